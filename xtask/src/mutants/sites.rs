//! The places where a source file can be changed: the expression around an operator, the body of a function, the arms
//! of a match.
//!
//! `cargo mutants` names a place by the line and column of a token; a switch needs the whole expression around it. The
//! same walk finds two kinds of change that `cargo mutants` does not make: a literal of a comparison or a shift that is
//! one off, and a compound assignment that is left out.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Lit, Signature, Stmt};

/// Line and column of a place, both from 1, the column in characters.
pub type LineColumn = (usize, usize);

/// What a place has, and the bytes that change.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceSite {
    /// A binary operator between two operands; whether each operand needs parentheses beside another operator.
    Binary { whole: Range<usize>, left: (Range<usize>, bool), right: (Range<usize>, bool) },
    /// `!` or `-` before its operand.
    Unary { whole: Range<usize>, operand: Range<usize> },
    /// The first statement of a function.
    Body { start: usize },
    /// The condition of a match arm.
    Guard { whole: Range<usize> },
    /// A match arm without a condition: where its pattern ends.
    Arm { pattern_end: usize },
    /// A field of a struct literal that takes its other fields from a base.
    Field { whole: Range<usize>, field: Range<usize> },
}

/// A change that this walk proposes itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedChange {
    pub position: LineColumn,
    pub range: Range<usize>,
    pub replacement: String,
    pub genre: &'static str,
    pub function: String,
    pub surroundings: Surroundings,
}

/// What surrounds a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surroundings {
    /// In a constant, a static, the length of an array or a `const fn`: the compiler may have to evaluate it.
    pub is_constant: bool,
    /// In a chain of conditions with `let`, which is not an expression.
    pub is_let_chain: bool,
}

/// All sites of one file.
#[derive(Default)]
pub struct SourceSites {
    /// By genre, as `cargo mutants` calls it, and place.
    pub by_position: HashMap<(&'static str, LineColumn), (SourceSite, Surroundings)>,
    pub proposed: Vec<ProposedChange>,
}

/// Walks through the text of a Rust file.
///
/// # Errors
/// The text is not Rust.
pub fn sites(text: &str) -> Result<SourceSites> {
    let file = syn::parse_file(text).context("not Rust that syn can read")?;
    let mut walk = SiteVisitor::default();
    walk.visit_file(&file);
    Ok(walk.found)
}

#[derive(Default)]
struct SiteVisitor {
    found: SourceSites,
    names: Vec<String>,
    constants: usize,
}

impl SiteVisitor {
    fn surroundings(&self, is_let_chain: bool) -> Surroundings {
        Surroundings { is_constant: self.constants > 0, is_let_chain }
    }

    fn site(&mut self, genre: &'static str, at: proc_macro2::Span, site: SourceSite, is_let_chain: bool) {
        let around = self.surroundings(is_let_chain);
        self.found.by_position.insert((genre, line_column(at)), (site, around));
    }

    fn propose(&mut self, genre: &'static str, changed: &impl Spanned, replacement: String) {
        let span = changed.span();
        self.found.proposed.push(ProposedChange {
            position: line_column(span),
            range: span.byte_range(),
            replacement,
            genre,
            function: self.names.join("::"),
            surroundings: self.surroundings(false),
        });
    }

    /// A function with its body, which is walked through by `inside`.
    fn visit_function(&mut self, signature: &Signature, body: Option<&syn::Block>, inside: impl FnOnce(&mut Self)) {
        let constant = usize::from(signature.constness.is_some());
        self.constants += constant;
        if let Some(first) = body.and_then(|body| body.stmts.first()) {
            let start = first.span().byte_range().start;
            self.site("FnValue", first.span(), SourceSite::Body { start }, false);
        }
        self.within_name(signature.ident.to_string(), inside);
        self.constants -= constant;
    }

    fn within_name(&mut self, name: String, inside: impl FnOnce(&mut Self)) {
        self.names.push(name);
        inside(self);
        self.names.pop();
    }

    fn within_constant(&mut self, inside: impl FnOnce(&mut Self)) {
        self.constants += 1;
        inside(self);
        self.constants -= 1;
    }

    fn propose_literals(&mut self, operands: [&Expr; 2]) {
        for operand in operands {
            let Expr::Lit(literal) = operand else { continue };
            let Lit::Int(number) = &literal.lit else { continue };
            let Ok(value) = number.base10_parse::<u128>() else { continue };
            for changed in [value.checked_add(1), value.checked_sub(1)].into_iter().flatten() {
                self.propose("Literal", operand, format!("{changed}{}", number.suffix()));
            }
        }
    }
}

impl<'ast> Visit<'ast> for SiteVisitor {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if is_test(&item.attrs) {
            return;
        }
        self.visit_function(&item.sig, Some(&item.block), |walk| visit::visit_item_fn(walk, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if is_test(&item.attrs) {
            return;
        }
        self.visit_function(&item.sig, Some(&item.block), |walk| visit::visit_impl_item_fn(walk, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.visit_function(&item.sig, item.default.as_ref(), |walk| visit::visit_trait_item_fn(walk, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if is_test(&item.attrs) {
            return;
        }
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.within_name(name.unwrap_or_else(|| "impl".to_owned()), |walk| visit::visit_item_impl(walk, item));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within_constant(|walk| visit::visit_item_const(walk, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within_constant(|walk| visit::visit_item_static(walk, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.within_constant(|walk| visit::visit_impl_item_const(walk, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.within_constant(|walk| visit::visit_trait_item_const(walk, item));
    }

    fn visit_expr_const(&mut self, block: &'ast syn::ExprConst) {
        self.within_constant(|walk| visit::visit_expr_const(walk, block));
    }

    fn visit_type(&mut self, named: &'ast syn::Type) {
        self.within_constant(|walk| visit::visit_type(walk, named));
    }

    fn visit_generic_argument(&mut self, argument: &'ast syn::GenericArgument) {
        self.within_constant(|walk| visit::visit_generic_argument(walk, argument));
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.within_constant(|walk| visit::visit_item_enum(walk, item));
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        self.within_constant(|walk| visit::visit_pat(walk, pattern));
    }

    fn visit_expr_repeat(&mut self, array: &'ast syn::ExprRepeat) {
        self.visit_expr(&array.expr);
        self.within_constant(|walk| walk.visit_expr(&array.len));
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let operand = |of: &Expr| (of.span().byte_range(), needs_parentheses(of));
        let site = SourceSite::Binary {
            whole: binary.span().byte_range(),
            left: operand(&binary.left),
            right: operand(&binary.right),
        };
        self.site("BinaryOperator", binary.op.span(), site, has_let(binary));
        if is_comparison_or_shift(&binary.op) {
            self.propose_literals([&binary.left, &binary.right]);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let site = SourceSite::Unary { whole: unary.span().byte_range(), operand: unary.expr.span().byte_range() };
        self.site("UnaryOperator", unary.op.span(), site, false);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        match &arm.guard {
            Some((_, guard)) => {
                let chained =
                    matches!(&**guard, Expr::Let(_)) || matches!(&**guard, Expr::Binary(binary) if has_let(binary));
                self.site(
                    "MatchArmGuard",
                    guard.span(),
                    SourceSite::Guard { whole: guard.span().byte_range() },
                    chained,
                );
            }
            None => {
                let pattern_end = arm.pat.span().byte_range().end;
                self.site("MatchArm", arm.span(), SourceSite::Arm { pattern_end }, false);
            }
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
        if literal.rest.is_some() {
            for pair in literal.fields.pairs() {
                let field = pair.value().span();
                let end = pair.punct().map_or(field.byte_range().end, |comma| comma.span().byte_range().end);
                let site =
                    SourceSite::Field { whole: literal.span().byte_range(), field: field.byte_range().start..end };
                self.site("StructField", field, site, false);
            }
        }
        visit::visit_expr_struct(self, literal);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression @ Expr::Binary(binary), Some(_)) = statement
            && is_compound_assignment(&binary.op)
        {
            self.propose("Statement", expression, "()".to_owned());
        }
        visit::visit_stmt(self, statement);
    }
}

fn line_column(span: proc_macro2::Span) -> LineColumn {
    let start = span.start();
    (start.line, start.column + 1)
}

/// Whether these attributes mark tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        path.segments.last().is_some_and(|last| last.ident == "test")
            || path.is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| {
                    list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|w| w == "test")
                })
    })
}

/// Whether another operator beside the expression could split it.
fn needs_parentheses(operand: &Expr) -> bool {
    !matches!(
        operand,
        Expr::Lit(_)
            | Expr::Path(_)
            | Expr::Paren(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Unary(_)
            | Expr::Reference(_)
            | Expr::Macro(_)
    )
}

/// Whether a chain of `&&` binds names with `let`.
fn has_let(binary: &syn::ExprBinary) -> bool {
    let binds = |operand: &Expr| match operand {
        Expr::Let(_) => true,
        Expr::Binary(inner) => has_let(inner),
        _ => false,
    };
    matches!(binary.op, BinOp::And(_)) && (binds(&binary.left) || binds(&binary.right))
}

const fn is_comparison_or_shift(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Shl(_)
            | BinOp::Shr(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

const fn is_compound_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_with_the_expressions_around_them() {
        let text = "impl Board {\n    fn ü(&mut self, é: u8) -> bool {\n        self.n += 1;\n        !(é as u32) + 1 < 8\n    }\n}\n";
        let found = sites(text).expect("Rust");
        let words = |range: &Range<usize>| &text[range.clone()];
        let (site, around) = &found.by_position[&("BinaryOperator", (4, 25))];
        let SourceSite::Binary { whole, left, right } = site else { panic!("{site:?}") };
        assert_eq!((words(whole), words(&left.0), words(&right.0)), ("!(é as u32) + 1 < 8", "!(é as u32) + 1", "8"));
        assert_eq!((left.1, right.1, around.is_constant), (true, false, false));
        let (site, _) = &found.by_position[&("UnaryOperator", (4, 9))];
        assert!(matches!(site, SourceSite::Unary { operand, .. } if words(operand) == "(é as u32)"), "{site:?}");
        assert!(found.by_position.contains_key(&("FnValue", (3, 9))));
        let own: Vec<_> = found.proposed.iter().map(|own| (own.genre, words(&own.range), &*own.replacement)).collect();
        assert_eq!(own, [("Statement", "self.n += 1", "()"), ("Literal", "8", "9"), ("Literal", "8", "7")]);
        assert_eq!(found.proposed[0].function, "Board::ü");
    }

    #[test]
    fn constants_tests_and_chains_are_told_apart() {
        let text = "const A: [u8; 1 << 3] = [0; 1 << 3];\nconst fn f() -> u8 { 1 << 2 }\n\
                    fn g(x: Option<u8>) -> bool { if let Some(y) = x && y < 1 { true } else { false } }\n\
                    #[cfg(test)]\nmod tests { fn h() -> bool { 1 < 2 } }\n";
        let found = sites(text).expect("Rust");
        let constants = found.by_position.values().filter(|(_, around)| around.is_constant).count();
        let chains = found.by_position.values().filter(|(_, around)| around.is_let_chain).count();
        // Two lengths, the body of the const function and the shift in it.
        assert_eq!((constants, chains), (4, 1));
        assert!(found.proposed.iter().all(|own| own.position.0 <= 3), "{:?}", found.proposed);
        // The chain itself has no switch, but the literal of the comparison in it has one.
        assert_eq!(found.proposed.iter().filter(|own| !own.surroundings.is_constant).count(), 2);
    }

    #[test]
    fn arms_guards_and_fields() {
        let text = "fn f(x: u8) -> S { match x { 1 => a(), y if y > 3 => b(), _ => S { n: 1, ..S::new() } } }";
        let found = sites(text).expect("Rust");
        let of = |genre: &str| -> Vec<&SourceSite> {
            found.by_position.iter().filter(|((of, _), _)| *of == genre).map(|(_, (site, _))| site).collect()
        };
        assert!(of("MatchArm").contains(&&SourceSite::Arm { pattern_end: 30 }));
        assert_eq!(of("MatchArmGuard"), [&SourceSite::Guard { whole: 44..49 }]);
        let [SourceSite::Field { whole, field }] = of("StructField")[..] else { panic!("one field") };
        assert_eq!((&text[whole.clone()], &text[field.clone()]), ("S { n: 1, ..S::new() }", "n: 1,"));
    }
}
