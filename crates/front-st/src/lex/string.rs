//! Strings and their escapes [IEC 61131-3 §6.3.3]: `'It$'s'`, `"wide $00C4"`.

use super::Lexer;
use super::text::decode;
use crate::ast::LiteralKind;

impl Lexer<'_> {
    /// A string between `quote`s, which must end on its line.
    pub(super) fn string(&mut self, quote: u8) {
        let start = self.at;
        let wide = quote == b'"';
        let mut at = start + 1;
        let end = loop {
            match self.bytes.get(at) {
                Some(b'$') if self.bytes.get(at + 1).is_some_and(|&b| b != b'\n') => at += 2,
                Some(&b) if b == quote => break at,
                None | Some(b'\n') => {
                    let quote = char::from(quote);
                    let help = format!("write {quote} after it; ${quote} stands for a quote in it");
                    self.error(start, at.min(start + 1), "this string does not end", &help);
                    break at;
                }
                Some(_) => at += 1,
            }
        };
        let text = self.unescape(start + 1, end, wide);
        self.at = (end + 1).min(self.bytes.len());
        self.literal(start, LiteralKind::String { wide, text });
    }

    fn unescape(&mut self, start: usize, end: usize, wide: bool) -> Box<[u32]> {
        let mut out = Vec::with_capacity(end - start);
        let mut at = start;
        while at < end {
            let run = self.bytes[at..end].iter().take_while(|&&b| b != b'$').count();
            out.extend(decode(&self.bytes[at..at + run]).chars().map(u32::from));
            at += run;
            if at >= end {
                break;
            }
            let digits = if wide { 4 } else { 2 };
            let hex = self.bytes.get(at + 1..(at + 1 + digits).min(end)).unwrap_or_default();
            let hex = std::str::from_utf8(hex).ok().filter(|h| h.len() == digits);
            let hex = hex.filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
            if let Some(code) = hex.and_then(|h| u32::from_str_radix(h, 16).ok()) {
                out.push(code);
                at += 1 + digits;
                continue;
            }
            match self.bytes.get(at + 1).filter(|_| at + 1 < end) {
                Some(&c @ (b'$' | b'\'' | b'"')) => out.push(u32::from(c)),
                Some(b'L' | b'l' | b'N' | b'n') => out.push(10),
                Some(b'P' | b'p') => out.push(12),
                Some(b'R' | b'r') => out.push(13),
                Some(b'T' | b't') => out.push(9),
                _ => {
                    let help = if wide {
                        "$$ $\" $L $N $P $R $T $hhhh"
                    } else {
                        "$$ $' $L $N $P $R $T $hh"
                    };
                    let help = format!("escapes are {help}");
                    self.error(at, (at + 2).min(end), "there is no such escape", &help);
                }
            }
            at += 2;
        }
        out.into()
    }
}
