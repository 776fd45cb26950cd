//! The tree in JSON: an object whose only key names the node, or the name alone. Conditions on positions and facts about games
//! stand beside the nodes that join them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use schemars::{Schema, json_schema};
use serde::de::value::{StrDeserializer, UnitDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde::ser::{Serialize, Serializer};

use super::unknown;
use crate::forms::Leaf;
use crate::header::HeaderCondition;
use crate::tree::QueryTree;

impl Serialize for QueryTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            QueryTree::Leaf(leaf) => leaf.serialize(serializer),
            QueryTree::Header(header) => header.serialize(serializer),
            // The derived function.
            _ => QueryTree::serialize(self, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for QueryTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<QueryTree, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

/// Adds the conditions and facts to the schema of the nodes that join them.
pub(crate) fn add_conditions(schema: &mut Schema) {
    let others = ["Leaf", "HeaderCondition"].map(|name| json_schema!({ "$ref": format!("#/$defs/{name}") }).into());
    if let Some(nodes) = schema.get_mut("oneOf").and_then(|nodes| nodes.as_array_mut()) {
        nodes.extend(others);
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = QueryTree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one key that names the condition")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<QueryTree, E> {
        read_node(name, &mut NameAlone(PhantomData))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<QueryTree, A::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(A::Error::custom(
                "an object with one key that names the condition is expected, and this is empty",
            ));
        };
        let tree = read_node(&name, &mut map)?;
        match map.next_key::<IgnoredAny>()? {
            None => Ok(tree),
            Some(_) => Err(A::Error::custom("an object has one key, which names the condition: join several by `and`")),
        }
    }
}

/// Reads the node of this name; what belongs to it is the next value of `map`.
fn read_node<'de, A: MapAccess<'de>>(name: &str, map: &mut A) -> Result<QueryTree, A::Error> {
    let mut known = Vec::new();
    if let Some(leaf) = read_variant(name, map, &mut known, |node| Leaf::deserialize(node)) {
        return leaf.map(QueryTree::Leaf);
    }
    if let Some(header) = read_variant(name, map, &mut known, |node| HeaderCondition::deserialize(node)) {
        return header.map(QueryTree::Header);
    }
    // The derived function.
    if let Some(tree) = read_variant(name, map, &mut known, |node| QueryTree::deserialize(node)) {
        return tree;
    }
    Err(A::Error::custom(unknown("condition", name, known.into_iter())))
}

/// The value of an enum, whose variant has this name; none if the enum has no such variant.
fn read_variant<'de, A: MapAccess<'de>, T>(
    name: &str,
    map: &mut A,
    known: &mut Vec<&'static str>,
    read: impl FnOnce(Node<'_, A>) -> Result<T, A::Error>,
) -> Option<Result<T, A::Error>> {
    let before = known.len();
    let value = read(Node { name, map, known });
    if known.len() > before { None } else { Some(value) }
}

/// A node by its name, as a variant of an enum.
struct Node<'a, A> {
    name: &'a str,
    map: &'a mut A,
    /// The names of the variants of enums that do not have it.
    known: &'a mut Vec<&'static str>,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Node<'_, A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        if variants.contains(&self.name) {
            return visitor.visit_enum(self);
        }
        self.known.extend(variants);
        Err(A::Error::custom("another enum has it"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Node<'_, A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), A::Error> {
        let variant = seed.deserialize(StrDeserializer::<A::Error>::new(self.name))?;
        Ok((variant, self))
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Node<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.map.next_value()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }

    /// No node is a tuple.
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.struct_variant(&[], visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(Fields { fields, visitor })
    }
}

/// The fields of a variant.
struct Fields<V> {
    fields: &'static [&'static str],
    visitor: V,
}

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Fields<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_struct("", self.fields, self.visitor)
    }
}

/// A name alone, to which nothing belongs.
struct NameAlone<E>(PhantomData<E>);

impl<'de, E: Error> MapAccess<'de> for NameAlone<E> {
    type Error = E;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>, E> {
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, E> {
        seed.deserialize(UnitDeserializer::new())
    }
}
