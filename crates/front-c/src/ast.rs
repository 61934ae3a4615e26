//! The syntax tree as parsed, before names and types are resolved.
//!
//! Nodes live in arenas and refer to each other by index, so that a tree of any shape is dropped
//! without recursion. Constructs that are long rather than deep in practice are flat: comma
//! expressions, chains of `else if`, runs of labels, derivations of a declarator. Binary
//! operators associate to the left without limit; whoever walks them must follow the left spine
//! in a loop. nesting is bounded by [`crate::parse::MAX_NESTING`] and [`crate::parse::MAX_HEIGHT`].

use crate::diagnostic::Diagnostic;
use crate::literal::{FloatSuffix, IntLiteral, StringLiteral};
use crate::source::Span;
use crate::symbol::Symbol;
use la_arena::{Arena, Idx};
use rustc_hash::FxHashMap;

/// An expression's index.
pub type ExprId = Idx<Expr>;
/// A statement's index.
pub type StmtId = Idx<Stmt>;
/// A declaration's index.
pub type DeclId = Idx<Declaration>;
/// A type name's index.
pub type TypeNameId = Idx<TypeName>;
/// An initializer's index.
pub type InitId = Idx<Initializer>;
/// A struct or union specifier's index.
pub type RecordId = Idx<RecordSpec>;
/// An enum specifier's index.
pub type EnumId = Idx<EnumSpec>;

/// A parsed file.
#[derive(Debug, Default)]
pub struct Unit {
    /// Expressions.
    pub exprs: Arena<Expr>,
    /// Statements.
    pub stmts: Arena<Stmt>,
    /// Declarations.
    pub decls: Arena<Declaration>,
    /// Type names.
    pub type_names: Arena<TypeName>,
    /// Initializers.
    pub inits: Arena<Initializer>,
    /// Struct and union specifiers.
    pub records: Arena<RecordSpec>,
    /// Enum specifiers.
    pub enums: Arena<EnumSpec>,
    /// What stands at the outermost level, in order.
    pub items: Vec<Item>,
    /// What is claimed of the file.
    pub claims: Claims,
    /// Contracts of loops, by the loop.
    pub loops: FxHashMap<StmtId, Contract>,
    /// What the user should know of contracts that were not understood and belong to nothing.
    pub remarks: Vec<Diagnostic>,
}

/// Who writes contracts this way.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// CBMC: clauses between the head and the body, expressions of C.
    Cbmc,
    /// Frama-C: ACSL in a comment before the function or loop; integers are unbounded.
    Acsl,
}

/// A contract of a function or a loop, or an assertion in a comment.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Its place.
    pub span: Span,
    /// How it is written.
    pub spelling: Spelling,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// What is not understood of it.
    pub problem: Option<Box<Diagnostic>>,
}

/// A clause of a contract.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// Its place.
    pub span: Span,
}

/// What a clause says.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// What must hold where the function is called.
    Requires(ExprId),
    /// What holds where it returns.
    Ensures(ExprId),
    /// What may be written; empty if nothing.
    Assigns(Vec<Target>),
    /// Pointers to what may be freed.
    Frees(Vec<Target>),
    /// What holds whenever the loop's condition is evaluated.
    Invariant(ExprId),
    /// What gets smaller with each turn; it says that the loop ends.
    Decreases,
    /// What holds here.
    Assert(ExprId),
}

/// What may be written, perhaps only if a condition holds.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The condition, evaluated before the call.
    pub condition: Option<ExprId>,
    /// An lvalue, or a call that names a part of an object.
    pub what: ExprId,
}

/// A claim by its number, with its expression.
pub type ClaimExpr = (u32, ExprId);

/// Claims at their places (see [`crate::claim`]).
#[derive(Debug, Default)]
pub struct Claims {
    /// Claims before statements.
    pub before: FxHashMap<StmtId, Vec<ClaimExpr>>,
    /// Claims at the heads of loops.
    pub heads: FxHashMap<StmtId, Vec<ClaimExpr>>,
    /// Claims on the values of conditions.
    pub branches: FxHashMap<ExprId, Vec<ClaimExpr>>,
    /// Claims on the results of calls.
    pub returns: FxHashMap<ExprId, Vec<ClaimExpr>>,
    /// Claims where calls begin.
    pub enters: FxHashMap<ExprId, Vec<u32>>,
    /// The numbers of the claims whose places were found.
    pub placed: Vec<u32>,
}

/// What stands at the outermost level of a file.
#[derive(Debug)]
pub enum Item {
    /// A declaration.
    Declaration(DeclId),
    /// A function with its body.
    Function(Box<FunctionDefinition>),
    /// `asm("…");`
    Asm(Span),
}

/// A function with its body.
#[derive(Debug)]
pub struct FunctionDefinition {
    /// The whole definition's place.
    pub span: Span,
    /// Specifiers.
    pub specs: Specifiers,
    /// Name, parameters, and further derivations of the result.
    pub declarator: Declarator,
    /// The declarations between a K&R parameter list and the body.
    pub old_style: Vec<DeclId>,
    /// The body.
    pub body: StmtId,
}

/// A declaration: specifiers and what they declare.
#[derive(Debug)]
pub struct Declaration {
    /// Its place.
    pub span: Span,
    /// What it declares.
    pub kind: DeclarationKind,
}

/// What a declaration is.
#[derive(Debug)]
pub enum DeclarationKind {
    /// Specifiers with declarators; there may be none.
    Plain(Specifiers, Vec<InitDeclarator>),
    /// `_Static_assert(condition, "message");`
    StaticAssert(ExprId, Option<StringLiteral>),
}

/// A declarator with its initializer.
#[derive(Debug)]
pub struct InitDeclarator {
    /// The declarator.
    pub declarator: Declarator,
    /// The initializer.
    pub init: Option<InitId>,
}

/// A storage class.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// A set of type qualifiers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Quals(pub u8);

impl Quals {
    /// No qualifier.
    pub const NONE: Quals = Quals(0);
    /// `const`
    pub const CONST: Quals = Quals(1);
    /// `volatile`
    pub const VOLATILE: Quals = Quals(2);
    /// `restrict`
    pub const RESTRICT: Quals = Quals(4);
    /// `_Atomic`
    pub const ATOMIC: Quals = Quals(8);

    /// Whether all of `other` are in the set.
    #[must_use]
    pub fn contains(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Quals {
    type Output = Quals;
    fn bitor(self, other: Quals) -> Quals {
        Quals(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Quals {
    fn bitor_assign(&mut self, other: Quals) {
        self.0 |= other.0;
    }
}

impl std::fmt::Debug for Quals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = [(1, "const"), (2, "volatile"), (4, "restrict"), (8, "_Atomic")];
        let set: Vec<_> = names.iter().filter(|(b, _)| self.0 & b != 0).map(|n| n.1).collect();
        write!(f, "{{{}}}", set.join(" "))
    }
}

/// Declaration specifiers.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// Their place.
    pub span: Span,
    /// The storage class.
    pub storage: Option<Storage>,
    /// `_Thread_local`
    pub thread_local: bool,
    /// `inline`
    pub inline: bool,
    /// `_Noreturn`
    pub noreturn: bool,
    /// Qualifiers.
    pub quals: Quals,
    /// The type.
    pub ty: TypeSpec,
    /// Attributes, `_Alignas` among them.
    pub attributes: Vec<Attribute>,
}

/// The arithmetic types' keywords, counted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Words {
    pub void: bool,
    pub char: bool,
    pub short: bool,
    pub int: bool,
    pub long: u8,
    pub float: bool,
    pub double: bool,
    pub signed: bool,
    pub unsigned: bool,
    pub bool: bool,
    pub int128: bool,
    pub named_float: Option<NamedFloat>,
}

/// The floating types with names of their own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum NamedFloat {
    Float32,
    Float64,
    Float32x,
    Float64x,
    Float128,
    Float80,
}

/// What the specifiers say about the type.
#[derive(Clone, Debug)]
pub enum TypeSpec {
    /// Nothing: `int` by the rules of C89.
    Missing,
    /// Keywords of arithmetic types and `void`.
    Words(Words),
    /// A typedef name.
    Named(Symbol),
    /// A struct or union.
    Record(RecordId),
    /// An enum.
    Enum(EnumId),
    /// `typeof(expression)`
    TypeofExpr(ExprId),
    /// `typeof(type)`
    TypeofType(TypeNameId),
    /// `_Atomic(type)`
    Atomic(TypeNameId),
    /// `__auto_type`
    Auto,
    /// `__builtin_va_list`
    VaList,
}

/// Attributes that change meaning; others are dropped by the parser.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its place.
    pub span: Span,
    /// What it says.
    pub kind: AttributeKind,
}

/// What an attribute says.
#[derive(Clone, Debug)]
pub enum AttributeKind {
    /// `noreturn`
    NoReturn,
    /// `packed`
    Packed,
    /// `aligned`, `aligned(n)`
    Aligned(Option<ExprId>),
    /// `_Alignas(type)`
    AlignedAs(TypeNameId),
    /// `_Alignas(n)`, which may not weaken
    Alignas(ExprId),
    /// `mode(__DI__)`, the name without underscores
    Mode(Symbol),
    /// `transparent_union`
    TransparentUnion,
    /// `vector_size(n)`
    VectorSize,
    /// `cleanup(f)`
    Cleanup,
    /// `constructor`
    Constructor,
    /// `destructor`
    Destructor,
    /// `weak`
    Weak,
    /// `alias("name")`
    Alias(Symbol),
    /// `gnu_inline`
    GnuInline,
    /// `scalar_storage_order("big-endian")`
    StorageOrder,
}

/// A struct or union specifier.
#[derive(Debug)]
pub struct RecordSpec {
    /// Its place.
    pub span: Span,
    /// Whether it is a union.
    pub is_union: bool,
    /// Its tag.
    pub tag: Option<(Symbol, Span)>,
    /// Its members, if it has a body.
    pub members: Option<Vec<MemberDeclaration>>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// The limit on member alignment by `#pragma pack` (0: none).
    pub pack: u32,
}

/// A declaration in a struct or union.
#[derive(Debug)]
pub enum MemberDeclaration {
    /// Specifiers with declarators; none for an anonymous member.
    Fields(Specifiers, Vec<MemberDeclarator>),
    /// `_Static_assert`
    StaticAssert(DeclId),
}

/// A member with its width.
#[derive(Debug)]
pub struct MemberDeclarator {
    /// The declarator; unnamed for padding bit-fields.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<ExprId>,
}

/// An enum specifier.
#[derive(Debug)]
pub struct EnumSpec {
    /// Its place.
    pub span: Span,
    /// Its tag.
    pub tag: Option<(Symbol, Span)>,
    /// Its constants, if it has a body.
    pub constants: Option<Vec<EnumConstant>>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
}

/// An enumeration constant.
#[derive(Copy, Clone, Debug)]
pub struct EnumConstant {
    /// Its name.
    pub name: Symbol,
    /// Its place.
    pub span: Span,
    /// Its value, if given.
    pub value: Option<ExprId>,
}

/// A declarator.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its place.
    pub span: Span,
    /// The name; none in abstract declarators.
    pub name: Option<(Symbol, Span)>,
    /// How the type derives from the specifiers', read from the name outwards: `*f[3]` is an
    /// array of pointers.
    pub derivations: Vec<Derivation>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// `asm("name")`
    pub asm_label: Option<Symbol>,
    /// The contract of the function that it declares.
    pub contract: Option<Box<Contract>>,
}

/// One step of a declarator.
#[derive(Clone, Debug)]
pub enum Derivation {
    /// `*`
    Pointer(Quals),
    /// `[…]`
    Array {
        /// The length.
        length: ArrayLength,
        /// Qualifiers of the adjusted parameter.
        quals: Quals,
        /// The place.
        span: Span,
    },
    /// `(…)`
    Function(Parameters),
}

/// What stands between the brackets.
#[derive(Copy, Clone, Debug)]
pub enum ArrayLength {
    /// Nothing.
    Unknown,
    /// `*`
    Star,
    /// An expression.
    Expr(ExprId),
}

/// A parameter list.
#[derive(Clone, Debug)]
pub enum Parameters {
    /// Types, perhaps with names.
    Prototype {
        /// The parameters; `(void)` is the empty list.
        params: Vec<Parameter>,
        /// Whether `...` ends the list.
        variadic: bool,
    },
    /// Names only, or nothing at all.
    OldStyle(Vec<(Symbol, Span)>),
}

/// A parameter of a prototype.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Specifiers.
    pub specs: Specifiers,
    /// The declarator.
    pub declarator: Declarator,
}

/// A type name.
#[derive(Debug)]
pub struct TypeName {
    /// Its place.
    pub span: Span,
    /// Specifiers and qualifiers.
    pub specs: Specifiers,
    /// The abstract declarator.
    pub declarator: Declarator,
}

/// An initializer.
#[derive(Debug)]
pub struct Initializer {
    /// Its place.
    pub span: Span,
    /// What it is.
    pub kind: InitializerKind,
}

/// What an initializer is.
#[derive(Debug)]
pub enum InitializerKind {
    /// An expression.
    Expr(ExprId),
    /// A list in braces.
    List(Vec<InitializerItem>),
}

/// An entry of a braced list.
#[derive(Debug)]
pub struct InitializerItem {
    /// Where it goes; empty: to the next subobject.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: InitId,
}

/// A designator.
#[derive(Copy, Clone, Debug)]
pub enum Designator {
    /// `.name` or `name:`
    Field(Symbol, Span),
    /// `[i]`
    Index(ExprId),
    /// `[a ... b]`
    Range(ExprId, ExprId),
}

/// An expression with its place.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    /// The length of the longest path down, left spines of binary operators not counted.
    pub height: u32,
}

/// Binary operators, without assignment and comma.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// Prefix operators.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

/// What an expression is.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    Ident(Symbol),
    Int(IntLiteral),
    Float(Box<str>, FloatSuffix),
    Char(i64, crate::lexer::Encoding),
    Str(StringLiteral),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `=`, or a compound assignment with its operator.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? t : e`; without `t`, GNU's `c ?: e`.
    Conditional(ExprId, Option<ExprId>, ExprId),
    Comma(Vec<ExprId>),
    Cast(TypeNameId, ExprId),
    CompoundLiteral(TypeNameId, InitId),
    SizeofExpr(ExprId),
    SizeofType(TypeNameId),
    /// `__alignof__ e`
    AlignofExpr(ExprId),
    /// `_Alignof(type)`, the alignment of a member.
    AlignofType(TypeNameId),
    /// `__alignof__(type)`, the alignment of a variable.
    GnuAlignofType(TypeNameId),
    Call(ExprId, Vec<ExprId>),
    /// `e.name`, or `e->name`.
    Member(ExprId, Symbol, bool),
    Index(ExprId, ExprId),
    /// The controlling expression and the associations; no type name for `default`.
    Generic(ExprId, Vec<(Option<TypeNameId>, ExprId)>),
    StmtExpr(StmtId),
    LabelAddress(Symbol),
    Offsetof(TypeNameId, Vec<Designator>),
    VaArg(ExprId, TypeNameId),
    TypesCompatible(TypeNameId, TypeNameId),
    ChooseExpr(ExprId, ExprId, ExprId),
    /// `a ==> b`
    Implies(ExprId, ExprId),
    /// `a <==> b`
    Equivalent(ExprId, ExprId),
    Quantified(Box<Quantified>),
    /// `a .. b` of ACSL: all from the one to the other.
    Range(ExprId, ExprId),
}

/// A formula about all or some values of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Quantified {
    /// Whether it is about all values.
    pub all: bool,
    /// The variable.
    pub name: (Symbol, Span),
    /// Its type; none if it is an integer of ACSL.
    pub ty: Option<TypeNameId>,
    /// What holds of it.
    pub body: ExprId,
}

/// A statement with its place.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// A label of a statement.
#[derive(Copy, Clone, Debug)]
pub enum Label {
    /// `name:`
    Name(Symbol, Span),
    /// `case a:` or `case a ... b:`
    Case(ExprId, Option<ExprId>, Span),
    /// `default:`
    Default(Span),
}

/// What a statement is.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    Decl(DeclId),
    /// `__label__ a, b;`
    LabelDecl(Vec<(Symbol, Span)>),
    Block(Vec<StmtId>),
    /// `if`, `else if`, …, and the last `else`.
    If(Vec<(ExprId, StmtId)>, Option<StmtId>),
    Switch(ExprId, StmtId),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For(Option<StmtId>, Option<ExprId>, Option<ExprId>, StmtId),
    Labeled(Vec<Label>, StmtId),
    Goto(Symbol, Span),
    /// `goto *e;`
    ComputedGoto(ExprId),
    Continue,
    Break,
    Return(Option<ExprId>),
    Asm(Box<AsmStmt>),
    /// An assertion in a comment.
    Annotation(Box<Contract>),
}

/// An `asm` statement.
#[derive(Debug, Default)]
pub struct AsmStmt {
    /// `volatile`
    pub volatile: bool,
    /// The instructions.
    pub template: Vec<u32>,
    /// Written operands: constraint and place.
    pub outputs: Vec<(String, ExprId)>,
    /// Read operands: constraint and value.
    pub inputs: Vec<(String, ExprId)>,
    /// Registers it overwrites, and `memory`.
    pub clobbers: Vec<String>,
    /// Targets of `asm goto`.
    pub labels: Vec<(Symbol, Span)>,
}
