//! What the tests of the reading half share.
#![allow(dead_code)]

use front_st::ast::Unit;
use front_st::dialect::Dialect;
use front_st::parse::parse;
use front_st::print;
use source::SourceMap;

/// Reads a text; the errors as they are shown.
pub fn read(text: &[u8], name: &str, dialect: Option<Dialect>) -> Result<Unit, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text).expect("a small text");
    parse(&sources, &[file], dialect)
        .map_err(|errors| errors.iter().map(|error| error.render(&sources)).collect())
}

/// A tree without places.
pub fn shape(unit: &Unit) -> String {
    let text = format!("{:?}", unit.items);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("Span {") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
        out.push('_');
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Prints what was read and reads it again: the same tree. The printed text.
pub fn again(unit: &Unit) -> String {
    let printed = print::unit(unit);
    let second = read(printed.as_bytes(), "printed.st", Some(unit.dialect))
        .unwrap_or_else(|errors| panic!("what we print, we read:\n{errors}\n{printed}"));
    let (first, second) = (shape(unit), shape(&second));
    if first != second {
        let differing = first.bytes().zip(second.bytes()).position(|(a, b)| a != b).unwrap_or(0);
        let around = |text: &str| {
            let bytes = &text.as_bytes()[differing.saturating_sub(300)..];
            String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned()
        };
        panic!("{printed}\nread:\n{}\nread again:\n{}", around(&first), around(&second));
    }
    printed
}

/// Numbers without a pattern (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn pick<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }
}
