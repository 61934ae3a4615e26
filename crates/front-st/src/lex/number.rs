//! Numbers: `5`, `3_000`, `16#FF`, `1.5E-3`.

use super::{Lexer, is_word_part};
use crate::ast::LiteralKind;
use crate::lex::token::{Punct, TokenKind};

impl Lexer<'_> {
    /// Digits and underscores from `at` on: where they end.
    fn digits_end(&self, mut at: usize, is_digit: impl Fn(u8) -> bool) -> usize {
        while let Some(&byte) = self.bytes.get(at) {
            let joins = byte == b'_' && self.bytes.get(at + 1).is_some_and(|&b| is_digit(b));
            if !is_digit(byte) && !joins {
                break;
            }
            at += 1;
        }
        at
    }

    pub(super) fn number(&mut self) {
        let start = self.at;
        let decimal = |b: u8| b.is_ascii_digit();
        let end = self.digits_end(start, decimal);
        self.at = end;
        // After a point, a number names a bit: `x.1.2` is no fraction.
        let bit = self.last_end == start
            && self.out.tokens.last().is_some_and(|t| t.kind == TokenKind::Punct(Punct::Dot));
        if bit {
            return self.integer(start, start, end, 10);
        }
        if self.bytes.get(end) == Some(&b'#') {
            let base = match &self.bytes[start..end] {
                b"2" => 2,
                b"8" => 8,
                b"16" => 16,
                b"10" => 10,
                _ => {
                    self.at = self.digits_end(end + 1, |b| b.is_ascii_hexdigit());
                    let help = "bases are 2, 8, 10 and 16";
                    self.error(start, end + 1, "there is no such base of numbers", help);
                    return self.literal(start, ZERO);
                }
            };
            self.at = self.digits_end(end + 1, |b| b.is_ascii_hexdigit());
            return self.integer(start, end + 1, self.at, base);
        }
        let mut real = false;
        if self.bytes.get(end) == Some(&b'.')
            && self.bytes.get(end + 1).is_some_and(|&b| decimal(b))
        {
            real = true;
            self.at = self.digits_end(end + 1, decimal);
        }
        if let [b'e' | b'E', rest @ ..] = self.rest() {
            let sign = usize::from(matches!(rest, [b'+' | b'-', ..]));
            if rest.get(sign).is_some_and(|&b| decimal(b)) {
                real = true;
                self.at = self.digits_end(self.at + 1 + sign, decimal);
            }
        }
        if !real {
            return self.integer(start, start, end, 10);
        }
        self.ends_here(start);
        let digits = &self.bytes[start..self.at];
        let digits: String =
            digits.iter().filter(|&&b| b != b'_').map(|&b| char::from(b)).collect();
        self.literal(start, LiteralKind::Real { negative: false, digits: digits.into() });
    }

    /// Letters after a number are a mistake.
    fn ends_here(&mut self, start: usize) {
        let tail = self.rest().iter().take_while(|&&b| is_word_part(b)).count();
        if tail > 0 {
            let end = self.at + tail;
            let help = "durations are written T#5s, numbers of another base 16#FF";
            self.error(start, end, "this number has letters in it", help);
            self.at = end;
        }
    }

    fn integer(&mut self, start: usize, from: usize, to: usize, base: u8) {
        self.ends_here(start);
        let mut value = Some(0u128);
        let mut count = 0;
        for &byte in self.bytes[from..to].iter().filter(|&&b| b != b'_') {
            let Some(digit) = char::from(byte).to_digit(16).filter(|&d| d < u32::from(base)) else {
                let message = format!("'{}' is no digit of base {base}", char::from(byte));
                self.error(start, to, message, "");
                return self.literal(start, ZERO);
            };
            count += 1;
            let next = value.and_then(|v| v.checked_mul(u128::from(base)));
            value = next.and_then(|v| v.checked_add(u128::from(digit)));
        }
        if count == 0 {
            self.error(start, to, "digits are missing after '#'", "");
        }
        let Some(value) = value else {
            self.error(start, to, "this number is larger than any type", "at most 64 bits");
            return self.literal(start, ZERO);
        };
        self.literal(start, LiteralKind::Int { negative: false, value, base });
    }
}

/// Stands where a number is wrong, so that reading goes on.
const ZERO: LiteralKind = LiteralKind::Int { negative: false, value: 0, base: 10 };
