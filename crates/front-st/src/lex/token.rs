//! Tokens and keywords.

use crate::ast::{Claim, Spelling};
use source::Span;

/// Declares an enumeration of keywords, all spellings of each, and which are reserved.
macro_rules! keywords {
    ($($name:ident = $first:literal $(| $other:literal)* $(, $reserved:ident)?;)*) => {
        /// A word with a meaning. Only the reserved ones can't be names: what a dialect does not
        /// know is a name there, and programs use such names.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Keyword { $($name,)* }

        impl Keyword {
            /// The usual spelling, in small letters.
            #[must_use]
            pub fn spelling(self) -> &'static str {
                match self { $(Keyword::$name => $first,)* }
            }

            /// Whether it can't be a name.
            #[must_use]
            pub fn reserved(self) -> bool {
                match self { $(Keyword::$name => keywords!(@ $($reserved)?),)* }
            }
        }

        /// All spellings, in small letters.
        pub(crate) const KEYWORDS: &[(&str, Keyword)] =
            &[$(($first, Keyword::$name), $(($other, Keyword::$name),)*)*];
    };
    (@ reserved) => { true };
    (@) => { false };
}

keywords! {
    Abstract = "abstract";
    Action = "action";
    Actions = "actions";
    And = "and", reserved;
    AndThen = "and_then", reserved;
    Array = "array", reserved;
    At = "at";
    Begin = "begin";
    By = "by";
    Case = "case", reserved;
    Class = "class";
    Configuration = "configuration";
    Constant = "constant";
    Continue = "continue";
    DataBlock = "data_block";
    Do = "do", reserved;
    Else = "else", reserved;
    Elsif = "elsif", reserved;
    ElseIf = "elseif", reserved;
    EndAction = "end_action", reserved;
    EndActions = "end_actions", reserved;
    EndCase = "end_case", reserved;
    EndClass = "end_class", reserved;
    EndConfiguration = "end_configuration", reserved;
    EndDataBlock = "end_data_block", reserved;
    EndFor = "end_for", reserved;
    EndFunction = "end_function", reserved;
    EndFunctionBlock = "end_function_block" | "end_functionblock", reserved;
    EndGet = "end_get", reserved;
    EndIf = "end_if", reserved;
    EndInterface = "end_interface", reserved;
    EndMethod = "end_method", reserved;
    EndNamespace = "end_namespace", reserved;
    EndOrganizationBlock = "end_organization_block", reserved;
    EndProgram = "end_program", reserved;
    EndProperty = "end_property", reserved;
    EndRegion = "end_region";
    EndRepeat = "end_repeat", reserved;
    EndResource = "end_resource", reserved;
    EndSet = "end_set", reserved;
    EndStep = "end_step", reserved;
    EndStruct = "end_struct", reserved;
    EndTransition = "end_transition", reserved;
    EndType = "end_type", reserved;
    EndUnion = "end_union", reserved;
    EndVar = "end_var", reserved;
    EndWhile = "end_while", reserved;
    Exit = "exit";
    Extends = "extends";
    FallingEdge = "f_edge";
    False = "false", reserved;
    Final = "final";
    For = "for", reserved;
    From = "from";
    Function = "function", reserved;
    FunctionBlock = "function_block" | "functionblock", reserved;
    Get = "get";
    Goto = "goto";
    If = "if", reserved;
    Implements = "implements";
    InitialStep = "initial_step";
    Interface = "interface";
    Internal = "internal";
    Jmp = "jmp";
    Method = "method";
    Mod = "mod", reserved;
    Namespace = "namespace";
    NonRetain = "non_retain";
    Not = "not", reserved;
    Null = "null";
    Of = "of", reserved;
    On = "on";
    Or = "or", reserved;
    OrElse = "or_else", reserved;
    OrganizationBlock = "organization_block";
    Overlap = "overlap";
    Override = "override";
    Persistent = "persistent";
    Pointer = "pointer";
    Priority = "priority";
    Private = "private";
    Program = "program", reserved;
    Property = "property";
    PropertyGet = "property_get";
    PropertySet = "property_set";
    Protected = "protected";
    Public = "public";
    ReadOnly = "read_only";
    ReadWrite = "read_write";
    Ref = "ref";
    RefTo = "ref_to";
    Reference = "reference";
    Region = "region";
    Repeat = "repeat", reserved;
    Resource = "resource";
    Retain = "retain";
    Return = "return", reserved;
    RisingEdge = "r_edge";
    Set = "set";
    Step = "step";
    String = "string";
    Struct = "struct", reserved;
    Super = "super";
    Task = "task";
    Then = "then", reserved;
    This = "this";
    To = "to";
    Transition = "transition";
    True = "true", reserved;
    Type = "type";
    Union = "union";
    Until = "until", reserved;
    Using = "using";
    Var = "var", reserved;
    VarAccess = "var_access", reserved;
    VarConfig = "var_config", reserved;
    VarExternal = "var_external", reserved;
    VarGlobal = "var_global", reserved;
    VarInOut = "var_in_out" | "var_inout", reserved;
    VarInput = "var_input", reserved;
    VarInst = "var_inst", reserved;
    VarOutput = "var_output", reserved;
    VarStat = "var_stat", reserved;
    VarTemp = "var_temp", reserved;
    While = "while", reserved;
    With = "with";
    Wstring = "wstring";
    Xor = "xor", reserved;
}

/// Operators and punctuation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Punct {
    LParen,
    RParen,
    LBracket,
    RBracket,
    Semi,
    Comma,
    Dot,
    DotDot,
    Ellipsis,
    Colon,
    Assign,
    AssignAttempt,
    PlusAssign,
    MinusAssign,
    StarAssign,
    SlashAssign,
    Arrow,
    Implies,
    Plus,
    Minus,
    Star,
    StarStar,
    Slash,
    Amp,
    AmpAmp,
    PipePipe,
    Bang,
    Eq,
    EqEq,
    Ne,
    BangEq,
    Lt,
    Gt,
    Le,
    Ge,
    Caret,
    Hash,
}

impl Punct {
    /// How it is written.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        PUNCTUATION.iter().find(|&&(_, p)| p == self).map_or("?", |&(s, _)| s)
    }
}

/// All operators, longer ones before their prefixes.
pub(crate) const PUNCTUATION: &[(&str, Punct)] = &[
    ("-->", Punct::Implies),
    ("...", Punct::Ellipsis),
    ("..", Punct::DotDot),
    (":=", Punct::Assign),
    ("?=", Punct::AssignAttempt),
    ("+=", Punct::PlusAssign),
    ("-=", Punct::MinusAssign),
    ("*=", Punct::StarAssign),
    ("/=", Punct::SlashAssign),
    ("=>", Punct::Arrow),
    ("==", Punct::EqEq),
    ("!=", Punct::BangEq),
    ("<>", Punct::Ne),
    ("<=", Punct::Le),
    (">=", Punct::Ge),
    ("**", Punct::StarStar),
    ("&&", Punct::AmpAmp),
    ("||", Punct::PipePipe),
    ("(", Punct::LParen),
    (")", Punct::RParen),
    ("[", Punct::LBracket),
    ("]", Punct::RBracket),
    (";", Punct::Semi),
    (",", Punct::Comma),
    (".", Punct::Dot),
    (":", Punct::Colon),
    ("+", Punct::Plus),
    ("-", Punct::Minus),
    ("*", Punct::Star),
    ("/", Punct::Slash),
    ("&", Punct::Amp),
    ("!", Punct::Bang),
    ("=", Punct::Eq),
    ("<", Punct::Lt),
    (">", Punct::Gt),
    ("^", Punct::Caret),
    ("#", Punct::Hash),
];

/// What a token is. Indices lead into the tables of [`super::Tokens`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A word without quotes: a name, and perhaps a keyword.
    Word(u32, Option<Keyword>),
    /// A name that can't be a keyword: `#name`, `"name"`.
    Marked(u32, Spelling),
    /// A literal.
    Literal(u32),
    /// `%IX0.0`: a direct variable, or a part of a variable (`x.%X3`). The text without `%`.
    Direct(u32),
    /// `{text}`, or a line of a block's header. The text.
    Pragma(u32),
    /// `REGION title` of SCL. The text.
    Region(u32),
    /// A comment that makes a claim; its tokens follow, up to [`TokenKind::ClaimEnd`].
    Claim(Claim),
    /// The end of a claim.
    ClaimEnd,
    /// An operator or punctuation.
    Punct(Punct),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Copy, Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether no blank stands between it and the token before.
    pub adjacent: bool,
}
