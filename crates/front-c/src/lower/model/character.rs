//! `ctype.h` in the "C" locale: the functions, and the tables that glibc's macros look into.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::Property;
use term::Term;
use value::Bits;

/// glibc's tables reach from -128 to 255.
const FIRST: i32 = -128;
const LAST: i32 = 255;

/// The name of a class's function, its bit in glibc's table on little-endian machines, and the
/// characters in it.
type Class = (&'static str, u16, fn(u8) -> bool);

const CLASSES: [Class; 12] = [
    ("isupper", 0x100, |c| c.is_ascii_uppercase()),
    ("islower", 0x200, |c| c.is_ascii_lowercase()),
    ("isalpha", 0x400, |c| c.is_ascii_alphabetic()),
    ("isdigit", 0x800, |c| c.is_ascii_digit()),
    ("isxdigit", 0x1000, |c| c.is_ascii_hexdigit()),
    ("isspace", 0x2000, |c| c.is_ascii_whitespace() || c == 0x0b),
    ("isprint", 0x4000, |c| c.is_ascii_graphic() || c == b' '),
    ("isgraph", 0x8000, |c| c.is_ascii_graphic()),
    ("isblank", 0x1, |c| c == b' ' || c == b'\t'),
    ("iscntrl", 0x2, |c| c.is_ascii_control()),
    ("ispunct", 0x4, |c| c.is_ascii_punctuation()),
    ("isalnum", 0x8, |c| c.is_ascii_alphanumeric()),
];

impl Lowerer<'_> {
    pub(super) fn character_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let name = call.name;
        if let Some((_, _, contains)) = CLASSES.iter().find(|c| c.0 == name) {
            let c = self.integer_argument(call, 0, 32)?;
            self.check_character(c);
            let term = self.in_class(c, *contains);
            let term = self.bool_to_bits(term, 32);
            return Ok(self.result(call, term));
        }
        let term = match name {
            "tolower" => {
                let c = self.integer_argument(call, 0, 32)?;
                let upper = self.in_class(c, |c| c.is_ascii_uppercase());
                self.pool.ite(upper, self.pool.bv_add(c, self.pool.bv(32, 32)), c)
            }
            "toupper" => {
                let c = self.integer_argument(call, 0, 32)?;
                let lower = self.in_class(c, |c| c.is_ascii_lowercase());
                self.pool.ite(lower, self.pool.bv_sub(c, self.pool.bv(32, 32)), c)
            }
            "isascii" => {
                let c = self.integer_argument(call, 0, 32)?;
                let small = self.pool.bv_ult(c, self.pool.bv(128, 32));
                self.bool_to_bits(small, 32)
            }
            "toascii" => {
                let c = self.integer_argument(call, 0, 32)?;
                self.pool.bv_and(c, self.pool.bv(127, 32))
            }
            "__ctype_b_loc" => self.table("table of character classes", 2, |c| {
                let c = u8::try_from(c).unwrap_or(0x80);
                let bits = CLASSES.iter().filter(|class| class.2(c)).map(|class| class.1);
                u64::from(bits.fold(0, |sum, bit| sum | bit))
            }),
            "__ctype_tolower_loc" => self.table("table of lower-case characters", 4, |c| {
                u8::try_from(c).map_or(c as u32, |c| u32::from(c.to_ascii_lowercase())).into()
            }),
            "__ctype_toupper_loc" => self.table("table of upper-case characters", 4, |c| {
                u8::try_from(c).map_or(c as u32, |c| u32::from(c.to_ascii_uppercase())).into()
            }),
            "__errno_location" | "__errno" => self.errno(),
            _ => return Ok(None),
        };
        Ok(self.result(call, term))
    }

    /// The character has an entry in glibc's tables. (C knows those of `unsigned char` and `EOF`.)
    fn check_character(&mut self, c: Term) {
        if self.asks_for_buffers() {
            let pool = &self.pool;
            let from_first = pool.bv_sub(c, pool.bits(Bits::from_i64(32, FIRST.into())));
            let entries = pool.bv((LAST - FIRST + 1) as u64, 32);
            let within = pool.bv_ult(from_first, entries);
            self.check(Property::Bounds, within);
        }
    }

    /// Whether a character is in a class: a few ranges.
    fn in_class(&self, c: Term, contains: fn(u8) -> bool) -> Term {
        let pool = &self.pool;
        let mut ranges = Vec::new();
        let mut first = None;
        for code in 0..=128u8 {
            match (code < 128 && contains(code), first) {
                (true, None) => first = Some(code),
                (false, Some(start)) => {
                    let count = u64::from(code - start);
                    let offset = pool.bv_sub(c, pool.bv(u64::from(start), 32));
                    ranges.push(pool.bv_ult(offset, pool.bv(count, 32)));
                    first = None;
                }
                _ => {}
            }
        }
        pool.or(ranges)
    }

    /// The address of a pointer to the entry for character zero of a table.
    fn table(&mut self, name: &'static str, width: u64, entry: impl Fn(i32) -> u64) -> Term {
        let bits = width as u32 * 8;
        let size = (LAST - FIRST + 1) as u64 * width;
        let table = self.named_object(name, size, vec![width as u32], |l, _| {
            let values = (FIRST..=LAST).map(&entry).enumerate();
            let values = values.filter(|(_, value)| *value != 0);
            values.map(|(i, v)| (i as u64 * width, l.pool.bv(v, bits))).collect()
        });
        let zero = self.moved(table, (-FIRST) as u64 * width);
        let word = self.pointer_width() / 8;
        let pointer = format!("pointer to the {name}");
        self.named_object(&pointer, u64::from(word), vec![word], |_, _| vec![(0, zero)])
    }
}
