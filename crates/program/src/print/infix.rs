//! What every infix notation of terms has: how tightly operators bind, where parentheses are needed,
//! and names for subterms, so that the work is linear in the size of the term.

use rustc_hash::FxHashMap;
use term::{Op, Pool, Term};
use value::Bits;

/// Shared subterms of fewer bytes are written out each time.
const SMALL: usize = 20;

/// Subterms of more bytes have names.
const LONG: usize = 2000;

/// How tightly an operator binds; from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Binding {
    /// `c ? a : b`
    Choice,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`, `!=`
    Equality,
    /// `<`, `<=`
    Order,
    /// `<<`, `>>`
    Shift,
    /// `+`, `-`
    Sum,
    /// `*`, `/`, `%`
    Product,
    /// `!a`, `-a`
    Prefix,
    /// What has no operator outside of brackets.
    Atom,
}

impl Binding {
    /// The next tighter one; bitwise operators and shifts show their parentheses, as few know the
    /// order.
    pub fn above(self) -> Binding {
        match self {
            Binding::Choice => Binding::Or,
            Binding::Or => Binding::And,
            Binding::And => Binding::BitOr,
            Binding::BitOr | Binding::BitXor | Binding::BitAnd => Binding::Prefix,
            Binding::Equality | Binding::Order => Binding::Shift,
            Binding::Shift => Binding::Prefix,
            Binding::Sum => Binding::Product,
            Binding::Product | Binding::Prefix | Binding::Atom => Binding::Prefix,
        }
    }
}

/// A term that is written, with how tightly its outermost operator binds.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The operator's binding.
    pub binding: Binding,
}

impl Text {
    /// A text with the binding of its outermost operator.
    pub fn new(text: impl Into<String>, binding: Binding) -> Text {
        Text { text: text.into(), binding }
    }

    /// What never needs parentheses.
    pub fn atom(text: impl Into<String>) -> Text {
        Text::new(text, Binding::Atom)
    }

    /// A number, which may have a sign.
    pub fn number(text: String) -> Text {
        let binding = if text.starts_with('-') { Binding::Prefix } else { Binding::Atom };
        Text { text, binding }
    }

    /// `left symbol right`
    pub fn infix(left: &Text, symbol: &str, right: &Text, binding: Binding) -> Text {
        // To the left, the same operator needs no parentheses; of comparisons, it has them.
        let leftmost = if binding > Binding::Order { binding } else { binding.above() };
        let (left, right) = (left.within(leftmost), right.within(binding.above()));
        Text::new(format!("{left} {symbol} {right}"), binding)
    }

    /// Any number of operands with one operator between them.
    pub fn joined<'t>(
        operands: impl Iterator<Item = &'t Text>,
        separator: &str,
        binding: Binding,
    ) -> Text {
        let parts: Vec<String> = operands.map(|text| text.within(binding.above())).collect();
        Text::new(parts.join(separator), binding)
    }

    /// The text where an operator binds so tightly.
    pub fn within(&self, binding: Binding) -> String {
        if self.binding >= binding { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// Operators of bit-vectors, integers and reals that have a symbol everywhere.
pub fn operator(op: &Op) -> Option<(&'static str, Binding)> {
    Some(match op {
        Op::BvAnd => ("&", Binding::BitAnd),
        Op::BvOr => ("|", Binding::BitOr),
        Op::BvXor => ("^", Binding::BitXor),
        Op::BvAdd | Op::Add => ("+", Binding::Sum),
        Op::BvSub | Op::Sub => ("-", Binding::Sum),
        Op::BvMul | Op::Mul => ("*", Binding::Product),
        Op::BvUdiv => ("/u", Binding::Product),
        Op::BvUrem => ("%u", Binding::Product),
        Op::BvSdiv | Op::RealDiv => ("/", Binding::Product),
        Op::BvSrem => ("%", Binding::Product),
        Op::BvShl => ("<<", Binding::Shift),
        Op::BvLshr => (">>u", Binding::Shift),
        Op::BvAshr => (">>", Binding::Shift),
        _ => return None,
    })
}

/// Operators of floats that have a symbol; their first argument is a rounding mode.
pub fn float_operator(op: &Op) -> Option<(&'static str, Binding)> {
    Some(match op {
        Op::FpAdd => ("+", Binding::Sum),
        Op::FpMul => ("*", Binding::Product),
        Op::FpDiv => ("/", Binding::Product),
        _ => return None,
    })
}

/// Operators that stand before their operand.
pub fn prefix_operator(op: &Op) -> Option<&'static str> {
    Some(match op {
        Op::BvNot => "~",
        Op::BvNeg | Op::FpNeg | Op::Neg => "-",
        _ => return None,
    })
}

/// Decimal and signed if it is small, otherwise hexadecimal.
pub fn bits_text(bits: &Bits) -> String {
    match bits.to_bigint().try_into() {
        Ok(n @ 0i64..=100_000) => n.to_string(),
        Ok(n @ -100_000..0) if bits.width() > 1 => n.to_string(),
        _ => format!("0x{}", bits.to_biguint().to_str_radix(16)),
    }
}

/// What a notation makes of a subterm.
pub trait Piece: Clone {
    /// The name of a subterm that is written elsewhere.
    fn named(name: String) -> Self;

    /// The text.
    fn text(&self) -> &str;

    /// The text where a name gets its meaning.
    fn meaning(self) -> String;
}

impl Piece for Text {
    fn named(name: String) -> Self {
        Text::atom(name)
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn meaning(self) -> String {
        self.text
    }
}

/// Writes a term. `order` are its subterms, each once, arguments before their users; `node` writes
/// one of them, given what was made of its arguments.
///
/// A subterm that is used several times and is not small is written once and named, as is one whose
/// text is very long. Names are numbers behind a sign, and stand before what `last` makes of the
/// whole: `let $1 = …, $2 = … in …`.
pub fn with_names<P: Piece>(
    pool: &Pool,
    order: &[Term],
    sign: char,
    mut node: impl FnMut(Term, Vec<P>) -> P,
    last: impl FnOnce(P) -> String,
) -> String {
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for arg in order.iter().flat_map(|term| pool.args(*term)) {
        *uses.entry(*arg).or_default() += 1;
    }
    let mut pieces: FxHashMap<Term, P> = FxHashMap::default();
    let mut names: Vec<String> = Vec::new();
    let Some((&root, inner)) = order.split_last() else { return String::new() };
    // A piece is moved to its only user.
    let taken = |pieces: &mut FxHashMap<Term, P>, arg: Term| {
        let piece = if uses[&arg] == 1 { pieces.remove(&arg) } else { pieces.get(&arg).cloned() };
        piece.expect("arguments come before their users")
    };
    for &term in inner {
        let args = pool.args(term).iter().map(|arg| taken(&mut pieces, *arg)).collect();
        let mut piece = node(term, args);
        let length = piece.text().len();
        if uses.get(&term).is_some_and(|n| *n > 1) && length > SMALL || length > LONG {
            let name = format!("{sign}{}", names.len() + 1);
            names.push(format!("{name} = {}", piece.meaning()));
            piece = P::named(name);
        }
        pieces.insert(term, piece);
    }
    let args = pool.args(root).iter().map(|arg| taken(&mut pieces, *arg)).collect();
    let body = last(node(root, args));
    if names.is_empty() { body } else { format!("let {} in {body}", names.join(", ")) }
}
