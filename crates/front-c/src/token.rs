//! Tokens and keywords.

use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// Declares an enumeration of keywords with all their spellings.
macro_rules! keywords {
    ($($(#[$doc:meta])* $name:ident = $first:literal $(| $other:literal)*;)*) => {
        /// A reserved word; alternate spellings (`const`, `__const`, `__const__`) are one keyword.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Keyword { $($(#[$doc])* $name,)* }

        impl Keyword {
            /// The usual spelling.
            #[must_use]
            pub fn spelling(self) -> &'static str {
                match self { $(Keyword::$name => $first,)* }
            }
        }

        const SPELLINGS: &[(&str, Keyword)] =
            &[$(($first, Keyword::$name), $(($other, Keyword::$name),)*)*];
    };
}

keywords! {
    Alignas = "_Alignas";
    Alignof = "_Alignof";
    Asm = "asm" | "__asm" | "__asm__";
    Atomic = "_Atomic";
    Attribute = "__attribute__" | "__attribute";
    Auto = "auto";
    AutoType = "__auto_type";
    Bool = "_Bool";
    Break = "break";
    Case = "case";
    Char = "char";
    ChooseExpr = "__builtin_choose_expr";
    Complex = "_Complex" | "__complex__" | "__complex";
    Const = "const" | "__const" | "__const__";
    Continue = "continue";
    Decimal = "_Decimal64" | "_Decimal32" | "_Decimal128";
    Default = "default";
    Do = "do";
    Double = "double";
    Else = "else";
    Enum = "enum";
    Extension = "__extension__";
    Extern = "extern";
    Float = "float";
    Float128 = "__float128" | "_Float128";
    Float32 = "_Float32";
    Float32x = "_Float32x";
    Float64 = "_Float64";
    Float64x = "_Float64x";
    Float80 = "__float80";
    For = "for";
    Generic = "_Generic";
    GnuAlignof = "__alignof__" | "__alignof";
    Goto = "goto";
    If = "if";
    Imag = "__imag__" | "__imag";
    Imaginary = "_Imaginary";
    Inline = "inline" | "__inline" | "__inline__";
    Int = "int";
    Int128 = "__int128";
    LabelDecl = "__label__";
    Long = "long";
    Noreturn = "_Noreturn";
    Offsetof = "__builtin_offsetof";
    Pragma = "_Pragma";
    Real = "__real__" | "__real";
    Register = "register";
    Restrict = "restrict" | "__restrict" | "__restrict__";
    Return = "return";
    Short = "short";
    Signed = "signed" | "__signed" | "__signed__";
    Sizeof = "sizeof";
    Static = "static";
    StaticAssert = "_Static_assert";
    Struct = "struct";
    Switch = "switch";
    ThreadLocal = "_Thread_local" | "__thread";
    Typedef = "typedef";
    Typeof = "typeof" | "__typeof" | "__typeof__";
    TypesCompatible = "__builtin_types_compatible_p";
    Union = "union";
    Unsigned = "unsigned" | "__unsigned" | "__unsigned__";
    VaArg = "__builtin_va_arg";
    VaList = "__builtin_va_list";
    Void = "void";
    Volatile = "volatile" | "__volatile" | "__volatile__";
    While = "while";
}

/// Knows which symbols are keywords: they are interned first, so their indices are small.
#[derive(Debug, Clone)]
pub struct Keywords {
    by_symbol: Vec<Keyword>,
}

impl Keywords {
    /// Interns all keywords; `symbols` must be empty.
    #[must_use]
    pub fn seed(symbols: &mut Symbols) -> Keywords {
        let by_symbol = SPELLINGS
            .iter()
            .enumerate()
            .map(|(i, &(spelling, keyword))| {
                let symbol = symbols.intern(spelling);
                assert_eq!(symbol.index(), i, "keywords are interned first");
                keyword
            })
            .collect();
        Keywords { by_symbol }
    }

    /// The keyword that a symbol spells.
    #[must_use]
    pub fn get(&self, symbol: Symbol) -> Option<Keyword> {
        self.by_symbol.get(symbol.index()).copied()
    }
}

/// Operators and punctuation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Punct {
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Semi,
    Comma,
    Dot,
    Ellipsis,
    Arrow,
    PlusPlus,
    MinusMinus,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Amp,
    Pipe,
    Caret,
    Tilde,
    Bang,
    AmpAmp,
    PipePipe,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    EqEq,
    Ne,
    Question,
    Colon,
    Assign,
    PlusAssign,
    MinusAssign,
    StarAssign,
    SlashAssign,
    PercentAssign,
    AmpAssign,
    PipeAssign,
    CaretAssign,
    ShlAssign,
    ShrAssign,
}

impl Punct {
    /// How it is written.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        PUNCTUATION.iter().find(|&&(_, p)| p == self).map_or("?", |&(s, _)| s)
    }
}

/// All operators, longer ones before their prefixes; digraphs after the usual spelling.
pub(crate) const PUNCTUATION: &[(&str, Punct)] = &[
    ("...", Punct::Ellipsis),
    ("<<=", Punct::ShlAssign),
    (">>=", Punct::ShrAssign),
    ("->", Punct::Arrow),
    ("++", Punct::PlusPlus),
    ("--", Punct::MinusMinus),
    ("<<", Punct::Shl),
    (">>", Punct::Shr),
    ("<=", Punct::Le),
    (">=", Punct::Ge),
    ("==", Punct::EqEq),
    ("!=", Punct::Ne),
    ("&&", Punct::AmpAmp),
    ("||", Punct::PipePipe),
    ("+=", Punct::PlusAssign),
    ("-=", Punct::MinusAssign),
    ("*=", Punct::StarAssign),
    ("/=", Punct::SlashAssign),
    ("%=", Punct::PercentAssign),
    ("&=", Punct::AmpAssign),
    ("|=", Punct::PipeAssign),
    ("^=", Punct::CaretAssign),
    ("(", Punct::LParen),
    (")", Punct::RParen),
    ("[", Punct::LBracket),
    ("<:", Punct::LBracket),
    ("]", Punct::RBracket),
    (":>", Punct::RBracket),
    ("{", Punct::LBrace),
    ("<%", Punct::LBrace),
    ("}", Punct::RBrace),
    ("%>", Punct::RBrace),
    (";", Punct::Semi),
    (",", Punct::Comma),
    (".", Punct::Dot),
    ("+", Punct::Plus),
    ("-", Punct::Minus),
    ("*", Punct::Star),
    ("/", Punct::Slash),
    ("%", Punct::Percent),
    ("&", Punct::Amp),
    ("|", Punct::Pipe),
    ("^", Punct::Caret),
    ("~", Punct::Tilde),
    ("!", Punct::Bang),
    ("<", Punct::Lt),
    (">", Punct::Gt),
    ("?", Punct::Question),
    (":", Punct::Colon),
    ("=", Punct::Assign),
];

/// What a token is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// An identifier that is not a keyword.
    Ident(Symbol),
    /// A keyword.
    Keyword(Keyword),
    /// A preprocessing number, as written.
    Number(Symbol),
    /// A character constant: its index in [`crate::lexer::Lexed::literals`].
    Char(u32),
    /// A string literal: its index in [`crate::lexer::Lexed::literals`].
    Str(u32),
    /// An operator or punctuation.
    Punct(Punct),
    /// The end of the file.
    Eof,
}

/// A token with its place.
#[derive(Copy, Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}
