//! Format strings of `printf` and `scanf`, taken apart.
//!
//! Only what the models follow is read: `%d %i %u %x %X %o %c %s %%` with flags, a length, and a width and
//! a precision that are numbers. Anything else makes the format one that can't be followed.

use super::Call;
use crate::lower::Lowerer;
use crate::lower::expression::Value;

/// A part of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// Characters of the format as they are: where they begin, and how many.
    Text(usize, usize),
    /// A conversion.
    Directive(Directive),
}

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Directive {
    /// Padded on the right.
    pub(super) left: bool,
    /// Padded with zeros.
    pub(super) zeros: bool,
    /// What stands for the sign of a number that is not negative.
    pub(super) sign: Option<u8>,
    /// `#`: the base of a number is written, too.
    pub(super) alternate: bool,
    /// `*` in a format of `scanf`: nothing is stored.
    pub(super) skips: bool,
    /// At least (or, of `scanf`, at most) so many characters.
    pub(super) width: Option<u64>,
    /// At most so many characters of a string, at least so many digits of a number.
    pub(super) precision: Option<u64>,
    /// How long the number is.
    pub(super) length: Length,
    /// The letter.
    pub(super) letter: u8,
}

/// The length of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Length {
    /// `hh`
    Char,
    /// `h`
    Short,
    #[default]
    Int,
    /// `l`, `z`, `j` and `t`: as long as a pointer, except for `j`.
    Long,
    /// `ll`, `j`
    LongLong,
}

/// Which function a format is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Print,
    Scan,
}

/// The parts of a format, if all of it can be followed.
pub(super) fn pieces(format: &[u8], family: Family) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < format.len() {
        if format[at] == b'%' && format.get(at + 1) == Some(&b'%') {
            pieces.push(Piece::Text(at + 1, 1));
            at += 2;
        } else if format[at] == b'%' {
            let (directive, length) = directive(&format[at + 1..], family)?;
            pieces.push(Piece::Directive(directive));
            at += 1 + length;
        } else {
            let rest = &format[at..];
            let length = rest.iter().position(|c| *c == b'%').unwrap_or(rest.len());
            pieces.push(Piece::Text(at, length));
            at += length;
        }
    }
    Some(pieces)
}

/// The conversion at the beginning of a text, after its `%`, and how long it is.
fn directive(text: &[u8], family: Family) -> Option<(Directive, usize)> {
    let mut directive = Directive::default();
    let mut at = 0;
    if family == Family::Scan && text.first() == Some(&b'*') {
        (directive.skips, at) = (true, 1);
    }
    if family == Family::Print {
        at = flags(text, &mut directive);
    }
    directive.width = number(text, &mut at)?;
    if family == Family::Print && text.get(at) == Some(&b'.') {
        at += 1;
        directive.precision = Some(number(text, &mut at)?.unwrap_or(0));
    }
    let (length, taken) = match text.get(at..)? {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', b'l', ..] => (Length::LongLong, 2),
        [b'j', ..] => (Length::LongLong, 1),
        [b'l' | b'z' | b't', ..] => (Length::Long, 1),
        _ => (Length::Int, 0),
    };
    directive.length = length;
    at += taken;
    directive.letter = *text.get(at)?;
    let unflagged = !directive.zeros && !directive.alternate && directive.sign.is_none();
    let plain = length == Length::Int && unflagged;
    let known = match directive.letter {
        // What C leaves open is not followed.
        b'd' | b'i' | b'u' => !directive.alternate,
        b'x' | b'X' | b'o' => true,
        b'c' => plain && directive.precision.is_none(),
        b's' => plain,
        _ => false,
    };
    known.then_some((directive, at + 1))
}

/// The flags at the beginning of a conversion, and how many there are.
fn flags(text: &[u8], directive: &mut Directive) -> usize {
    let mut at = 0;
    while let Some(flag) = text.get(at) {
        match flag {
            b'-' => directive.left = true,
            b'0' => directive.zeros = true,
            b'#' => directive.alternate = true,
            b'+' => directive.sign = Some(b'+'),
            b' ' => directive.sign = directive.sign.or(Some(b' ')),
            _ => break,
        }
        at += 1;
    }
    at
}

/// A number at a place, if there is one; nothing can be followed if it is too large.
fn number(text: &[u8], at: &mut usize) -> Option<Option<u64>> {
    let first = *at;
    let mut number = 0u64;
    while let Some(digit) = text.get(*at).filter(|c| c.is_ascii_digit()) {
        number = 10 * number + u64::from(digit - b'0');
        *at += 1;
        if number > 1 << 20 {
            return None;
        }
    }
    Some((*at > first).then_some(number))
}

impl Lowerer<'_> {
    /// The format that an argument is, if it is a string literal.
    pub(super) fn format_argument(&self, call: &Call<'_>, index: usize) -> Option<Vec<u8>> {
        let (Value::Scalar(term), _) = call.arguments.get(index)? else { return None };
        let (string, _) = self.strings.iter().find(|(_, address)| *address == term)?;
        let units = &self.c.strings[*string].literal.units;
        let text: Option<Vec<u8>> = units.iter().map(|unit| u8::try_from(*unit).ok()).collect();
        // What comes after a zero is not read.
        text.map(|text| text.split(|c| *c == 0).next().unwrap_or_default().to_vec())
    }

    /// How many bits a number has that a conversion takes.
    pub(super) fn number_width(&self, length: Length) -> u32 {
        match length {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long => self.pointer_width(),
            Length::LongLong => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let plain = |letter| Directive { letter, ..Directive::default() };
        let followed = |text: &str| pieces(text.as_bytes(), Family::Print);
        assert_eq!(followed(""), Some(vec![]));
        assert_eq!(
            followed("a%db%%"),
            Some(vec![
                Piece::Text(0, 1),
                Piece::Directive(plain(b'd')),
                Piece::Text(3, 1),
                Piece::Text(5, 1)
            ])
        );
        let wide =
            Directive { zeros: true, width: Some(8), length: Length::LongLong, ..plain(b'x') };
        assert_eq!(followed("%08llx"), Some(vec![Piece::Directive(wide)]));
        let cut = Directive { left: true, width: Some(6), precision: Some(3), ..plain(b's') };
        assert_eq!(followed("%-6.3s"), Some(vec![Piece::Directive(cut)]));
        let signed =
            Directive { sign: Some(b'+'), alternate: true, precision: Some(3), ..plain(b'o') };
        assert_eq!(followed("%+ #.3o"), Some(vec![Piece::Directive(signed)]));
        for open in ["%", "%f", "%*d", "%.*d", "%p", "%n", "%ls", "%#d", "%99999999d"] {
            assert_eq!(followed(open), None, "{open}");
        }
        assert_eq!(pieces(b"%.3d", Family::Scan), None);
        let skipped = Directive { skips: true, width: Some(3), ..plain(b's') };
        let scanned = pieces(b"%*3s", Family::Scan);
        assert_eq!(scanned, Some(vec![Piece::Directive(skipped)]));
    }
}
