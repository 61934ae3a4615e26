//! The typed program: names resolved, every expression typed, every conversion explicit.
//!
//! Two kinds of expression are kept apart. A [`Place`] designates an object (an lvalue); an
//! [`Expr`] has a value. The steps between them are explicit: [`ExprKind::Load`] reads a place,
//! [`ExprKind::AddressOf`] and [`ExprKind::Decay`] make pointers, [`PlaceKind::Deref`] follows
//! one. Operands of arithmetic have already the type in which the operation is carried out.
//!
//! Like the syntax tree, everything lives in arenas. The left operands of [`ExprKind::Binary`],
//! [`ExprKind::Logical`] and [`ExprKind::PointerAdd`] (and conversions between them) may form
//! spines of any length: follow [`Program::left_operand`] in a loop. All other nesting is bounded; run recursive walks on
//! [`crate::stack::with_deep_stack`].
//!
//! The order of evaluation is left open where C leaves it open; who lowers the program chooses.

use crate::constant::{Constant, FloatValue};
use crate::contract::{Contract, Formula, LoopContract, Quantified};
use crate::diagnostic::Diagnostic;
use crate::literal::StringLiteral;
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};
use crate::types::{BitField, QualType, RecordId, TypeId, TypeTable};
use la_arena::{Arena, ArenaMap, Idx};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value's index.
pub type ExprId = Idx<Expr>;
/// A place's index.
pub type PlaceId = Idx<Place>;
/// A statement's index.
pub type StmtId = Idx<Stmt>;
/// An object's index.
pub type ObjectId = Idx<Object>;
/// A function's index.
pub type FunctionId = Idx<Function>;
/// An initializer's index.
pub type InitId = Idx<Init>;
/// A string literal's index.
pub type StringId = Idx<StringObject>;
/// The index of an array length that is computed at run time.
pub type VlaId = Idx<Vla>;
/// A label's index in its function.
pub type LabelId = u32;

/// A program of one or several files.
#[derive(Debug)]
pub struct Program {
    /// Names.
    pub symbols: Symbols,
    /// Types.
    pub types: TypeTable,
    /// Variables, parameters and compound literals.
    pub objects: Arena<Object>,
    /// Functions, also those only declared.
    pub functions: Arena<Function>,
    /// Values.
    pub exprs: Arena<Expr>,
    /// Places.
    pub places: Arena<Place>,
    /// Statements.
    pub stmts: Arena<Stmt>,
    /// Initializers.
    pub inits: Arena<Init>,
    /// String literals, equal ones once.
    pub strings: Arena<StringObject>,
    /// Run-time array lengths.
    pub vlas: Arena<Vla>,
    /// What is known of values at translation time; all of static initializers is.
    pub constants: ArenaMap<ExprId, Known>,
    /// Places of `asm` at file scope, whose effect is unknown.
    pub file_asm: Vec<Span>,
    /// Claims ([`StmtKind::Claim`]) at the heads of loops, by the loop.
    pub heads: FxHashMap<StmtId, Vec<StmtId>>,
    /// Numbers of claims that are about the beginning of a call, by the call's place.
    pub enters: FxHashMap<Span, Vec<u32>>,
    /// Contracts of loops.
    pub loops: FxHashMap<StmtId, LoopContract>,
}

/// What is known of a value at translation time.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Known {
    /// The value.
    pub value: Constant,
    /// Whether it follows without looking into constant objects, as an integer constant
    /// expression must.
    pub strict: bool,
}

/// Who can name an object or function.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// All files.
    External,
    /// This file.
    Internal,
    /// The enclosing block.
    None,
}

/// How long an object lives.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// As long as the program.
    Static,
    /// As long as its block.
    Automatic,
    /// As long as the call; the argument is its first value.
    Parameter,
}

/// A variable, parameter or compound literal.
#[derive(Debug)]
pub struct Object {
    /// Its name; none for compound literals and unnamed parameters.
    pub name: Option<Symbol>,
    /// Where it is declared.
    pub span: Span,
    /// Its type.
    pub ty: QualType,
    /// An alignment attribute of its own.
    pub align: Option<u64>,
    /// How long it lives.
    pub storage: Storage,
    /// Who can name it.
    pub linkage: Linkage,
    /// Whether each thread has its own.
    pub thread_local: bool,
    /// Whether it is defined (perhaps tentatively) and not only declared.
    pub defined: bool,
    /// The initializer of a static object; without one it is zero. Automatic objects are
    /// initialized by [`StmtKind::Declare`] or [`PlaceKind::Compound`].
    pub init: Option<InitId>,
    /// The function it is local to.
    pub function: Option<FunctionId>,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// Where it is defined, or first declared.
    pub span: Span,
    /// Its function type.
    pub ty: TypeId,
    /// Who can name it.
    pub linkage: Linkage,
    /// Whether it never returns.
    pub noreturn: bool,
    /// Whether it is `inline`.
    pub inline: bool,
    /// Whether it was called without any declaration.
    pub implicit: bool,
    /// Whether it runs before `main`.
    pub constructor: bool,
    /// Whether it runs after `main`.
    pub destructor: bool,
    /// Whether another definition may replace it.
    pub weak: bool,
    /// Whether the definition is only for inlining (GNU `extern inline`).
    pub replaceable: bool,
    /// The number of the file that defines it, or first declares it.
    pub unit: u32,
    /// The function it is another name of.
    pub alias: Option<Symbol>,
    /// Its parameters, if it is defined.
    pub params: Vec<ObjectId>,
    /// Its local objects, statics among them.
    pub locals: Vec<ObjectId>,
    /// Its labels.
    pub labels: Vec<Label>,
    /// Its body, if it is defined.
    pub body: Option<StmtId>,
    /// Its contract.
    pub contract: Option<Box<Contract>>,
}

/// A label.
#[derive(Copy, Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A string literal as an object.
#[derive(Debug)]
pub struct StringObject {
    /// The characters without the terminating zero.
    pub literal: StringLiteral,
    /// The array type, terminating zero included.
    pub ty: TypeId,
}

/// The length of an array, computed when its declaration is reached.
#[derive(Copy, Clone, Debug)]
pub struct Vla {
    /// The number of elements, of the type of `sizeof`.
    pub length: ExprId,
}

/// A value.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type, unqualified.
    pub ty: TypeId,
    /// Its place in the source.
    pub span: Span,
}

/// Operators on two operands of one type; the result has this type too.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    /// The right operand has its own promoted type.
    Shl,
    /// The right operand has its own promoted type; arithmetic for signed left operands.
    Shr,
}

/// Comparisons of two operands of one type; the result is an `int`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Comparison {
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
}

/// An operator of [`ExprKind::Binary`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Arithmetic.
    Arith(ArithOp),
    /// Comparison.
    Compare(Comparison),
}

/// How a conversion changes the representation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// Between integer types: truncate, or extend by the source's sign.
    IntToInt,
    /// From an integer type.
    IntToFloat,
    /// To an integer type, towards zero.
    FloatToInt,
    /// Between floating types.
    FloatToFloat,
    /// From a pointer to an integer type.
    PointerToInt,
    /// From an integer type to a pointer.
    IntToPointer,
    /// Between pointer types; the address stays.
    PointerToPointer,
    /// A scalar compared with zero, as `_Bool`.
    ToBool,
    /// The value is not used.
    ToVoid,
    /// The representation stays, as from an enum to its integer type.
    Same,
    /// A member's value as the transparent union that has it.
    ToUnion,
}

/// What is called.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function by name.
    Function(FunctionId),
    /// The value of a function pointer.
    Pointer(ExprId),
}

/// What a value is.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer (or, cast from one, a pointer): its bits, those above the width zero.
    Int(u128),
    /// A floating constant.
    Float(FloatValue),
    /// The value of an object.
    Load(PlaceId),
    /// The address of a place, of pointer type.
    AddressOf(PlaceId),
    /// The address of the first element of an array place.
    Decay(PlaceId),
    /// The address of a function.
    FunctionAddress(FunctionId),
    /// `-e`
    Neg(ExprId),
    /// `~e`
    BitNot(ExprId),
    /// `!e`: the operand is a `_Bool`, the result an `int`.
    Not(ExprId),
    /// Arithmetic and comparison.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a && b` (true) or `a || b` (false) of two `_Bool`s; the right operand is evaluated only
    /// if the left does not decide. The result is an `int`.
    Logical {
        /// Whether it is `&&`.
        and: bool,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// A pointer moved by elements.
    PointerAdd {
        /// The pointer.
        pointer: ExprId,
        /// The number of elements, an integer of any type, by its value.
        index: ExprId,
        /// Whether to move down.
        subtract: bool,
        /// Bytes of an element; of a `void` or function, 1.
        size: ElementSize,
    },
    /// The distance of two pointers in elements, of the signed type of differences.
    PointerDiff {
        /// Minuend.
        left: ExprId,
        /// Subtrahend.
        right: ExprId,
        /// Bytes of an element.
        size: ElementSize,
    },
    /// `c ? t : e`; the condition is a `_Bool`.
    Conditional(ExprId, ExprId, ExprId),
    /// GNU's `c ?: e`: the value of `c`, evaluated once and converted like `then`, if it is not
    /// zero. `then` refers to the value by [`ExprKind::Shared`].
    Elvis {
        /// The operand before the question mark.
        value: ExprId,
        /// Its truth, as `_Bool`.
        condition: ExprId,
        /// Its value, converted to the result type.
        then: ExprId,
        /// The other operand.
        otherwise: ExprId,
    },
    /// The value of an expression that the surrounding [`ExprKind::Elvis`] has evaluated.
    Shared(ExprId),
    /// All are evaluated in order, the last is the value.
    Comma(Vec<ExprId>),
    /// A conversion.
    Convert(Conversion, ExprId),
    /// `place = value`; the value is that of the place afterwards.
    Assign(PlaceId, ExprId),
    /// `place op= value`: the place's value is converted to `computation`, the operator applied,
    /// the result converted to the place's type and stored.
    CompoundAssign {
        /// The place, evaluated once.
        place: PlaceId,
        /// The operator.
        op: ArithOp,
        /// The type of the left operand and the result of the operator.
        computation: TypeId,
        /// How the place's value is converted to that.
        to_computation: Conversion,
        /// How the result is converted back.
        from_computation: Conversion,
        /// The right operand, already converted.
        value: ExprId,
        /// Whether the value is that before the operation (`x++`).
        old_value: bool,
    },
    /// `place += index` for pointers, also `++` and `--`.
    PointerAssign {
        /// The place, evaluated once.
        place: PlaceId,
        /// The number of elements.
        index: ExprId,
        /// Whether to move down.
        subtract: bool,
        /// Bytes of an element.
        size: ElementSize,
        /// Whether the value is that before the operation.
        old_value: bool,
    },
    /// A call; arguments are converted to the parameters' types or promoted.
    Call(Callee, Vec<ExprId>),
    /// An operation that C has no operator for.
    Builtin(Builtin, Vec<ExprId>),
    /// `va_arg`: the pointer to the list; the type is the expression's.
    VaArg(ExprId),
    /// `({ … })`: the statement, then the value if there is one.
    StmtExpr(StmtId, Option<ExprId>),
    /// The number of elements of an array of variable length.
    VlaLength(VlaId),
    /// Lengths of variable arrays in a type that the expression names are evaluated, in order,
    /// and kept; then the value.
    WithLengths(SmallVec<[VlaId; 2]>, ExprId),
    /// A formula about all or some values of a variable, an `int`.
    Quantified(Box<Quantified>),
}

/// The size of the elements a pointer moves over.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ElementSize {
    /// In bytes.
    Fixed(u64),
    /// Computed at run time, of the type of `sizeof`.
    Variable(ExprId),
}

/// A place.
#[derive(Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Its type.
    pub ty: QualType,
    /// Its place in the source.
    pub span: Span,
}

/// What a place is.
#[derive(Debug)]
pub enum PlaceKind {
    /// A variable.
    Object(ObjectId),
    /// What a pointer points to.
    Deref(ExprId),
    /// An element of an array place.
    Index(PlaceId, ExprId),
    /// A member of a struct or union place.
    Field {
        /// The struct or union.
        base: PlaceId,
        /// Its type.
        record: RecordId,
        /// The member's index.
        field: u32,
        /// Its offset in bytes.
        offset: u64,
        /// Its bits, if it is a bit-field.
        bits: Option<BitField>,
    },
    /// A string literal.
    String(StringId),
    /// A compound literal: the object is initialized each time the place is evaluated (unless
    /// it is static).
    Compound(ObjectId, InitId),
    /// A temporary with a value that is no lvalue, such as a function's result.
    Temporary(ExprId),
}

/// An initializer, flat: the object is zero except for the entries. Where entries overlap, the
/// later one holds.
#[derive(Debug, Default)]
pub struct Init {
    /// What is not zero.
    pub entries: Vec<InitEntry>,
    /// The end of the last entry in bytes: more than the size of the type when a flexible array
    /// member is initialized, and then the size of the object.
    pub extent: u64,
}

/// The value of one subobject.
#[derive(Debug)]
pub struct InitEntry {
    /// Offset in bytes from the start of the object; of the first, if it is repeated.
    pub offset: u64,
    /// For a bit-field, its bits, counted from the start of the object.
    pub bits: Option<BitField>,
    /// The way from the object to the subobject.
    pub path: SmallVec<[PathStep; 3]>,
    /// The subobject's type.
    pub ty: QualType,
    /// Its value.
    pub value: InitValue,
}

/// A step from an object to a subobject.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PathStep {
    /// A member, by its index.
    Field(u32),
    /// An element.
    Index(u64),
    /// The elements from the first to the last; the entry repeats for each. `stride` is the
    /// size of an element.
    Range {
        /// First element.
        first: u64,
        /// Last element.
        last: u64,
        /// Bytes of an element.
        stride: u64,
    },
}

/// The value of a subobject.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum InitValue {
    /// A value of the subobject's type.
    Expr(ExprId),
    /// The characters of a string, as far as they fit; the rest of the array is zero.
    String(StringId),
    /// All zero again, which takes back what earlier entries gave.
    Zero,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place in the source.
    pub span: Span,
}

/// What a statement is.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    /// An automatic object begins to live; its initializer, if it has one, is evaluated.
    Declare(ObjectId, Option<InitId>),
    /// Lengths of variable arrays are evaluated, and kept.
    EvaluateLengths(SmallVec<[VlaId; 2]>),
    /// Objects declared in the block live until it is left.
    Block(Vec<StmtId>),
    /// Conditions (`_Bool`) with their branches, tried in order; then the last `else`.
    If(Vec<(ExprId, StmtId)>, Option<StmtId>),
    /// The controlling value, promoted; its cases are within the body.
    Switch(ExprId, StmtId),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For {
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    /// `case low ... high` of the innermost switch, as bits of its promoted type, inclusive.
    Case(u128, u128),
    Default,
    Label(LabelId),
    Goto(LabelId),
    Continue,
    Break,
    /// The value has the function's result type.
    Return(Option<ExprId>),
    /// Unknown effect on the outputs, and on memory if clobbered.
    Asm(Box<Asm>),
    /// A claim, by its number: a `_Bool` (see [`crate::claim`]).
    Claim(u32, ExprId),
    /// An assertion of the source that is written as an annotation.
    Assertion(Formula),
    /// Something that was not understood; an error if control can come there.
    Unsupported(Box<Diagnostic>),
}

/// Inline assembly.
#[derive(Debug)]
pub struct Asm {
    /// Whether it may do more than write its outputs.
    pub volatile: bool,
    /// The instructions.
    pub template: String,
    /// Constraints and places of the outputs.
    pub outputs: Vec<(String, PlaceId)>,
    /// Constraints and values of the inputs.
    pub inputs: Vec<(String, ExprId)>,
    /// Inputs that are memory operands: the assembly may read and write the place.
    pub memory_inputs: Vec<(String, PlaceId)>,
    /// What else it overwrites; `memory` is any object.
    pub clobbers: Vec<String>,
    /// Where it may jump to.
    pub labels: Vec<LabelId>,
}

/// Operations without an operator in C.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `va_start(list)`: the argument is a pointer to the list.
    VaStart,
    /// `va_end(list)`
    VaEnd,
    /// `va_copy(to, from)`
    VaCopy,
    /// Control never comes here.
    Unreachable,
    /// The program stops abnormally.
    Trap,
    /// `a op b` with unbounded integers, stored through the pointer (the third argument) as its
    /// type; the `_Bool` result is whether it did not fit.
    Overflow(ArithOp),
    /// Like [`Builtin::Overflow`], but the third argument is only a sample of the type.
    OverflowPredicate(ArithOp),
    /// Leading zeros; undefined for zero.
    CountLeadingZeros,
    /// Trailing zeros; undefined for zero.
    CountTrailingZeros,
    /// Redundant sign bits.
    CountSignBits,
    /// Ones.
    PopCount,
    /// Ones modulo 2.
    Parity,
    /// One plus the index of the least one, or zero.
    FindFirstSet,
    /// Bytes in reverse.
    ByteSwap,
    /// Whether the floating argument is not a number.
    IsNan,
    /// Whether it is an infinity.
    IsInf,
    /// 1 for +∞, -1 for −∞, 0 otherwise.
    IsInfSign,
    /// Whether it is finite.
    IsFinite,
    /// Whether it is normal.
    IsNormal,
    /// Whether its sign bit is set.
    SignBit,
    /// The argument that its class selects among the first five: nan, infinite, normal,
    /// subnormal, zero.
    FpClassify,
    /// Comparison that is false, and quiet, for unordered arguments.
    QuietCompare(Comparison),
    /// `<` or `>`, quiet.
    LessGreater,
    /// Whether an argument is not a number.
    Unordered,
    /// An address in the caller's frames; its value is unknown.
    FrameAddress,
    /// The atomic read-modify-write `*p = *p op v` (`__sync_…`, `__atomic_…`).
    Atomic(AtomicOp),
    /// A question about the memory that a pointer points to.
    Memory(MemoryQuestion),
    /// The condition, a `_Bool`, must hold.
    Assert,
    /// Runs where the condition, a `_Bool`, does not hold are of no interest.
    Assume,
    /// The whole object that the pointer points into takes any value.
    HavocObject,
}

/// A question about memory, by the pointer that is the first argument.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MemoryQuestion {
    /// `(p, n)`: whether `n` bytes there belong to one living object; `_Bool`.
    Readable,
    /// `(p, n)`: whether they may be written, too; `_Bool`.
    Writable,
    /// `(p, n)`: like [`MemoryQuestion::Writable`], of an object that nothing else leads to; `_Bool`.
    Fresh,
    /// `(p, n, q, m)`: whether these bytes overlap nowhere; `_Bool`.
    Separated,
    /// `(p, q)`: whether they point into the same object; `_Bool`.
    SameObject,
    /// `(p)`: how many bytes of the object are before it.
    Offset,
    /// `(p)`: how many bytes the object has.
    Size,
}

/// An atomic operation; the first argument is a pointer to the object.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Reads.
    Load,
    /// Writes the second argument.
    Store,
    /// Writes the second argument and gives the old value.
    Exchange,
    /// Writes the result of the operator (`nand`: negated and) with the second argument; gives
    /// the new value or the old one.
    Fetch {
        /// The operator; none for nand.
        op: Option<ArithOp>,
        /// Whether the result is the new value.
        new: bool,
    },
    /// `(p, expected, desired)` by values: gives whether it was exchanged, or the old value.
    CompareSwap {
        /// Whether the result is whether it was exchanged.
        success: bool,
    },
    /// `(p, &expected, desired)`: gives whether it was exchanged, and stores the old value.
    CompareExchange,
    /// Sets to one, gives whether it was set.
    TestAndSet,
    /// Sets to zero.
    Clear,
    /// Orders memory accesses.
    Fence,
}

impl Program {
    /// The left operand, if the expression is a step of a left spine.
    #[must_use]
    pub fn left_operand(&self, expr: ExprId) -> Option<ExprId> {
        match self.exprs[expr].kind {
            ExprKind::Binary(_, left, _) | ExprKind::Logical { left, .. } => Some(left),
            ExprKind::PointerAdd { pointer, .. } => Some(pointer),
            ExprKind::PointerDiff { left, .. } => Some(left),
            ExprKind::Convert(_, operand) => Some(operand),
            _ => None,
        }
    }

    /// The function with this name that other files can see.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let name = self.symbols.get(name)?;
        let external = |f: &&FunctionId| {
            let function = &self.functions[**f];
            function.name == name && function.linkage == Linkage::External
        };
        let ids: Vec<FunctionId> = self.functions.iter().map(|(id, _)| id).collect();
        ids.iter().find(external).copied()
    }
}
