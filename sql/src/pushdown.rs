//! Conditions of SQL as conditions of a query: what the scan can test, it tests.
//!
//! A translation is never narrower than what SQL states. If it is wider, as for names, of which the query language ignores
//! capitals and accents, DataFusion tests the rows again.

use chrono::Datelike;
use datafusion::arrow::datatypes::Date32Type;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{InList, ScalarFunction};
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Like, Operator, TableProviderFilterPushDown};
use plyfold_core::corpus::record::Date as GameDate;

use crate::columns::{GameColumn, days_since_1970};
use crate::functions::MATCHES;

/// A condition in the query language.
pub(crate) struct PushedFilter {
    pub text: String,
    /// Whether exactly those games match of which the SQL condition is true.
    exact: bool,
    /// Whether the SQL condition is true or false of every game, and never unknown.
    two_valued: bool,
}

impl PushedFilter {
    fn exact(text: String, two_valued: bool) -> PushedFilter {
        PushedFilter { text, exact: true, two_valued }
    }

    fn wider(text: String) -> PushedFilter {
        PushedFilter { text, exact: false, two_valued: false }
    }

    /// What DataFusion may do with the condition.
    pub fn kind(&self) -> TableProviderFilterPushDown {
        if self.exact { TableProviderFilterPushDown::Exact } else { TableProviderFilterPushDown::Inexact }
    }
}

/// Translates a condition; none if the query language has nothing like it.
pub(crate) fn translate(expression: &Expr) -> Option<PushedFilter> {
    match expression {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => both(translate(left), translate(right)),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(join(translate(left)?, "or", translate(right)?))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (column(left), column(right)) {
            (Some(column), None) => comparison(column, *op, literal(right)?),
            (None, Some(column)) => comparison(column, op.swap()?, literal(left)?),
            _ => None,
        },
        Expr::Not(inner) => negate(&translate(inner)?),
        Expr::Between(Between { expr, negated: false, low, high }) => {
            let column = column(expr)?;
            both(comparison(column, Operator::GtEq, literal(low)?), comparison(column, Operator::LtEq, literal(high)?))
        }
        Expr::InList(InList { expr, list, negated: false }) => {
            let column = column(expr)?;
            let mut parts = list.iter().map(|value| comparison(column, Operator::Eq, literal(value)?));
            let first = parts.next()??;
            parts.try_fold(first, |all, part| Some(join(all, "or", part?)))
        }
        Expr::Like(Like { negated: false, expr, pattern, escape_char: None, case_insensitive: false }) => {
            like(column(expr)?, text(literal(pattern)?)?)
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) if func.name() == MATCHES => {
            let query = text(literal(args.first()?)?)?;
            (column(args.get(1)?)? == GameColumn::Game).then(|| PushedFilter::exact(query.to_owned(), true))
        }
        _ => None,
    }
}

fn both(left: Option<PushedFilter>, right: Option<PushedFilter>) -> Option<PushedFilter> {
    match (left, right) {
        (Some(left), Some(right)) => Some(join(left, "and", right)),
        (Some(one), None) | (None, Some(one)) => Some(PushedFilter::wider(one.text)),
        (None, None) => None,
    }
}

fn join(left: PushedFilter, word: &str, right: PushedFilter) -> PushedFilter {
    PushedFilter {
        text: format!("({}) {word} ({})", left.text, right.text),
        exact: left.exact && right.exact,
        two_valued: left.two_valued && right.two_valued,
    }
}

/// `not` of a condition matches the games of which it is false or unknown; SQL wants those of which it is false.
fn negate(inner: &PushedFilter) -> Option<PushedFilter> {
    let text = format!("not ({})", inner.text);
    inner.exact.then_some(PushedFilter { text, exact: inner.two_valued, two_valued: inner.two_valued })
}

fn column(expression: &Expr) -> Option<GameColumn> {
    match expression {
        Expr::Column(column) => GameColumn::named(&column.name),
        Expr::Cast(cast) => column(&cast.expr),
        _ => None,
    }
}

fn literal(expression: &Expr) -> Option<&ScalarValue> {
    match expression {
        Expr::Literal(value, _) => Some(value),
        _ => None,
    }
}

fn text(value: &ScalarValue) -> Option<&str> {
    value.try_as_str().flatten()
}

fn integer(value: &ScalarValue) -> Option<i64> {
    match value.cast_to(&datafusion::arrow::datatypes::DataType::Int64).ok()? {
        ScalarValue::Int64(Some(number)) if value.data_type().is_integer() => Some(number),
        _ => None,
    }
}

fn comparison(column: GameColumn, operator: Operator, value: &ScalarValue) -> Option<PushedFilter> {
    match column {
        GameColumn::WhiteElo => number("white elo", 1, operator, value, column),
        GameColumn::BlackElo => number("black elo", 1, operator, value, column),
        GameColumn::Plies => number("plies", 0, operator, value, column),
        GameColumn::Year => number("year", 1, operator, value, column),
        GameColumn::Date => date(operator, value),
        _ if operator != Operator::Eq => None,
        GameColumn::Result => {
            let value = text(value).filter(|value| ["1-0", "0-1", "1/2-1/2", "*"].contains(value))?;
            Some(PushedFilter::exact(format!("result {value}"), true))
        }
        GameColumn::Eco | GameColumn::EcoTag => {
            let code = text(value).filter(|code| is_eco(code) && code.len() == 3)?;
            Some(PushedFilter::exact(format!("{} {code}", eco_word(column)), false))
        }
        GameColumn::TimeClass => {
            let name = text(value).filter(|name| name.bytes().all(|letter| letter.is_ascii_lowercase()))?;
            Some(PushedFilter::exact(format!("time_class {name}"), true))
        }
        _ => Some(PushedFilter::wider(format!("{} \"{}\"", name_word(column)?, plain_name(text(value)?)?))),
    }
}

fn number(word: &str, least: i64, operator: Operator, value: &ScalarValue, column: GameColumn) -> Option<PushedFilter> {
    let sign = match operator {
        Operator::Eq => "=",
        Operator::Lt => "<",
        Operator::LtEq => "<=",
        Operator::Gt => ">",
        Operator::GtEq => ">=",
        _ => return None,
    };
    let value = integer(value).filter(|value| (least..=9999).contains(value))?;
    Some(PushedFilter::exact(format!("{word} {sign} {value}"), !column.is_nullable()))
}

/// A date of which the month or the day is unknown counts as the first, but is NULL in SQL.
fn date(operator: Operator, value: &ScalarValue) -> Option<PushedFilter> {
    let &ScalarValue::Date32(Some(days)) = value else { return None };
    let date = Date32Type::to_naive_date_opt(days)?;
    let (year, month, day) = (u32::try_from(date.year()).ok()?, date.month(), date.day());
    // A game can have the date.
    days_since_1970(GameDate::new(year, month, day)).filter(|&found| found == days)?;
    let sign = match operator {
        Operator::Lt | Operator::LtEq => "<=",
        Operator::Gt | Operator::GtEq => ">=",
        Operator::Eq => "=",
        _ => return None,
    };
    Some(PushedFilter::wider(format!("date {sign} {year:04}.{month:02}.{day:02}")))
}

fn name_word(column: GameColumn) -> Option<&'static str> {
    Some(match column {
        GameColumn::White => "white",
        GameColumn::Black => "black",
        GameColumn::Event => "event",
        GameColumn::Site => "site",
        GameColumn::Round => "round",
        GameColumn::Annotator => "annotator",
        GameColumn::TimeControl => "time_control",
        GameColumn::WhiteTitle => "white title",
        GameColumn::BlackTitle => "black title",
        _ => return None,
    })
}

/// A name that the query language reads as itself: it has letters, and none that is special there.
fn plain_name(name: &str) -> Option<&str> {
    let is_plain = |letter: char| !letter.is_control() && !['"', '*', '\\'].contains(&letter);
    let has_letters = name.chars().any(char::is_alphanumeric);
    (has_letters && name.len() <= 200 && name.chars().all(is_plain)).then_some(name)
}

fn eco_word(column: GameColumn) -> &'static str {
    if column == GameColumn::EcoTag { "eco_tag" } else { "eco" }
}

fn is_eco(code: &str) -> bool {
    let bytes = code.as_bytes();
    matches!(bytes.first(), Some(b'A'..=b'E')) && bytes[1..].iter().all(u8::is_ascii_digit) && bytes.len() <= 3
}

fn like(column: GameColumn, pattern: &str) -> Option<PushedFilter> {
    if matches!(column, GameColumn::Eco | GameColumn::EcoTag) {
        let prefix = pattern.strip_suffix('%').filter(|prefix| is_eco(prefix) && prefix.len() < 3)?;
        return Some(PushedFilter::exact(format!("{} {prefix}", eco_word(column)), false));
    }
    let word = name_word(column)?;
    // The text between two wildcards begins and ends with a plain letter, so that no folded run of signs is cut.
    let is_whole = |piece: &str| {
        let ends = [piece.chars().next(), piece.chars().last()];
        ends.into_iter().all(|end| end.is_none_or(|end| end.is_ascii_alphanumeric()))
    };
    plain_name(&pattern.replace('%', ""))?;
    (!pattern.contains('_') && pattern.split('%').all(is_whole))
        .then(|| PushedFilter::wider(format!("{word} \"{}\"", pattern.replace('%', "*"))))
}
