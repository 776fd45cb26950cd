//! Plain objects: Rust structs that JavaScript gets as objects, and JavaScript objects that Rust reads as structs.
//!
//! `#[derive(Tsify)]` makes the TypeScript type of a struct from its fields, and `plain_object!` and
//! `plain_input!` take the names of the properties from the same fields, so the three cannot disagree.
//! Each of the two macros lists every field: the compiler refuses a list that leaves one out.

use std::marker::PhantomData;

use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// An object with the TypeScript type of `T`.
pub type Js<T> = <T as Tsify>::JsType;

#[wasm_bindgen]
extern "C" {
    /// An object whose properties are being set.
    #[wasm_bindgen(extends = Object)]
    pub type Properties;

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set_value(this: &Properties, name: &str, value: JsValue);
    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set_number(this: &Properties, name: &str, value: f64);
    #[wasm_bindgen(method, structural, indexing_setter)]
    fn set_text(this: &Properties, name: &str, value: &str);
}

/// A value that can become a JavaScript value.
pub trait IntoJs: Sized {
    /// Converts the value.
    fn into_js_value(self) -> JsValue;

    /// Sets the value as a property of an object.
    fn set_on(self, object: &Properties, name: &str) {
        object.set_value(name, self.into_js_value());
    }
}

/// A struct that becomes an object with its fields as properties.
pub trait PlainObject: Sized {
    /// Sets each field as a property of `object`.
    fn set_fields(self, object: &Properties);
}

impl<T: PlainObject> IntoJs for T {
    fn into_js_value(self) -> JsValue {
        let object: Properties = Object::new().unchecked_into();
        self.set_fields(&object);
        object.into()
    }
}

/// Makes an object of a struct.
pub fn to_js<T: PlainObject + Tsify>(value: T) -> Js<T> {
    value.into_js_value().unchecked_into()
}

/// A JavaScript array with items of `T`. It converts each item at once, so no list of structs is built before.
pub struct List<T>(pub(crate) Array, PhantomData<T>);

#[wasm_bindgen(typescript_custom_section)]
const LIST: &str = "export type List<T> = T[];";

impl<T: IntoJs> List<T> {
    /// Appends an item.
    pub fn push(&self, item: T) {
        self.0.push(&item.into_js_value());
    }
}

impl<T: IntoJs> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> List<T> {
        let list = List::default();
        for item in items {
            list.push(item);
        }
        list
    }
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(Array::new(), PhantomData)
    }
}

impl<T> IntoJs for List<T> {
    fn into_js_value(self) -> JsValue {
        self.0.into()
    }
}

impl IntoJs for f64 {
    fn into_js_value(self) -> JsValue {
        JsValue::from_f64(self)
    }

    fn set_on(self, object: &Properties, name: &str) {
        object.set_number(name, self);
    }
}

impl IntoJs for u32 {
    fn into_js_value(self) -> JsValue {
        f64::from(self).into_js_value()
    }

    fn set_on(self, object: &Properties, name: &str) {
        f64::from(self).set_on(object, name);
    }
}

impl IntoJs for &str {
    fn into_js_value(self) -> JsValue {
        JsValue::from_str(self)
    }

    fn set_on(self, object: &Properties, name: &str) {
        object.set_text(name, self);
    }
}

impl IntoJs for String {
    fn into_js_value(self) -> JsValue {
        self.as_str().into_js_value()
    }

    fn set_on(self, object: &Properties, name: &str) {
        self.as_str().set_on(object, name);
    }
}

impl IntoJs for bool {
    fn into_js_value(self) -> JsValue {
        JsValue::from_bool(self)
    }
}

/// `None` becomes `null`.
impl<T: IntoJs> IntoJs for Option<T> {
    fn into_js_value(self) -> JsValue {
        self.map_or(JsValue::NULL, T::into_js_value)
    }
}

/// A value or an array of JavaScript is a value already.
macro_rules! values_already {
    ($($value:ty),+) => {
        $(impl IntoJs for $value {
            fn into_js_value(self) -> JsValue {
                self.into()
            }
        })+
    };
}

values_already!(JsValue, Array, Uint8Array, Uint32Array, Float64Array);

/// Makes a struct a [`PlainObject`](crate::plain::PlainObject).
///
/// In `plain_object!(Group { name, positions, ..results })`, the field after `..` has `#[serde(flatten)]`: its own
/// fields become properties of the object.
macro_rules! plain_object {
    ($name:ident { $($field:ident),* $(, ..$part:ident)? $(,)? }) => {
        impl $crate::plain::PlainObject for $name {
            fn set_fields(self, object: &$crate::plain::Properties) {
                let $name { $($field,)* $($part)? } = self;
                $($crate::plain::IntoJs::set_on($field, object, stringify!($field));)*
                $($crate::plain::PlainObject::set_fields($part, object);)?
            }
        }
    };
}

/// A value that can be read from a JavaScript value.
///
/// TypeScript checks the arguments of callers; a value that is missing or of another type reads as empty.
pub trait FromJs: Sized {
    /// Reads the value.
    fn from_js_value(value: &JsValue) -> Self;

    /// Reads a property of an object.
    fn property(object: &JsValue, name: &str) -> Self {
        Self::from_js_value(&Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED))
    }
}

impl FromJs for bool {
    fn from_js_value(value: &JsValue) -> bool {
        value.is_truthy()
    }
}

impl FromJs for u32 {
    fn from_js_value(value: &JsValue) -> u32 {
        value.as_f64().unwrap_or_default() as u32
    }
}

impl FromJs for String {
    fn from_js_value(value: &JsValue) -> String {
        value.as_string().unwrap_or_default()
    }
}

impl<T: FromJs> FromJs for Vec<T> {
    fn from_js_value(value: &JsValue) -> Vec<T> {
        value
            .dyn_ref::<Array>()
            .map(|values| values.iter().map(|value| T::from_js_value(&value)).collect())
            .unwrap_or_default()
    }
}

/// Makes a struct readable from an object with its fields as properties: `plain_input!(Outputs { heatmap, structures })`.
macro_rules! plain_input {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::plain::FromJs for $name {
            fn from_js_value(value: &wasm_bindgen::JsValue) -> $name {
                $name { $($field: $crate::plain::FromJs::property(value, stringify!($field)),)* }
            }
        }
    };
}

pub(crate) use {plain_input, plain_object};
