//! Symbols and sorts.

use crate::pool::{Pool, Symbol};
use crate::smtlib::lexer::{is_reserved, is_symbol_byte};
use crate::sort::Sort;
use std::borrow::Cow;
use std::fmt::Write;

/// A symbol, between bars if it needs them. Characters that can't be between bars become `_`.
pub fn symbol_to_string(name: &str) -> Cow<'_, str> {
    let simple = !name.is_empty()
        && name.bytes().all(is_symbol_byte)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !is_reserved(name);
    if simple {
        return name.into();
    }
    format!("|{}|", name.replace(['|', '\\'], "_")).into()
}

/// A sort; declared ones under their own names.
pub fn sort_to_string(pool: &Pool, sort: Sort) -> String {
    let mut text = String::new();
    write_sort(&mut text, pool, sort, |symbol| symbol_to_string(pool.name(symbol)));
    text
}

/// Writes a sort; `name` tells how declared ones are called.
pub(super) fn write_sort<'n>(
    text: &mut String,
    pool: &Pool,
    sort: Sort,
    name: impl Fn(Symbol) -> Cow<'n, str>,
) {
    /// What is left to write.
    enum Piece {
        Sort(Sort),
        Text(&'static str),
    }
    let mut pending = vec![Piece::Sort(sort)];
    while let Some(piece) = pending.pop() {
        let sort = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Sort(sort) => sort,
        };
        if let Some((index, element)) = pool.array_parts(sort) {
            text.push_str("(Array ");
            let rest =
                [Piece::Text(")"), Piece::Sort(element), Piece::Text(" "), Piece::Sort(index)];
            pending.extend(rest);
            continue;
        }
        match sort {
            Sort::Bool => text.push_str("Bool"),
            Sort::Int => text.push_str("Int"),
            Sort::Real => text.push_str("Real"),
            Sort::RoundingMode => text.push_str("RoundingMode"),
            Sort::BitVec(width) => append(text, format_args!("(_ BitVec {width})")),
            Sort::Float(format) => append(
                text,
                format_args!("(_ FloatingPoint {} {})", format.exponent(), format.significand()),
            ),
            Sort::Uninterpreted(symbol) => text.push_str(&name(symbol)),
            Sort::Array(_) => unreachable!("array sorts have parts"),
        }
    }
}

/// Appends formatted text.
pub(super) fn append(text: &mut String, pieces: std::fmt::Arguments) {
    text.write_fmt(pieces).expect("writing to a string can't fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_quoted_when_needed() {
        for (name, text) in [
            ("x", "x"),
            ("x!1", "x!1"),
            ("<=", "<="),
            ("", "||"),
            ("1a", "|1a|"),
            ("a b", "|a b|"),
            ("let", "|let|"),
            ("_", "|_|"),
            ("ä", "|ä|"),
            ("a|b\\c", "|a_b_c|"),
        ] {
            assert_eq!(symbol_to_string(name), text);
        }
    }

    #[test]
    fn sorts_of_any_depth() {
        let pool = Pool::new();
        let mut sort = Sort::Int;
        for _ in 0..100_000 {
            sort = pool.array_sort(Sort::Bool, sort);
        }
        let text = sort_to_string(&pool, sort);
        assert!(text.starts_with("(Array Bool (Array Bool ") && text.ends_with("))"));
        assert_eq!(text.matches("(Array").count(), 100_000);
        let named = Sort::Uninterpreted(pool.symbol("my sort"));
        assert_eq!(
            sort_to_string(&pool, pool.array_sort(named, Sort::BitVec(8))),
            "(Array |my sort| (_ BitVec 8))"
        );
    }
}
