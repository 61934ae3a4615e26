//! Syntax tree to typed program [C11 §6.2–§6.9], as gcc 12 does it by default: what gcc accepts
//! with a warning is accepted here with a warning.
//!
//! One [`Checker`] takes the files of a program one after another. File scope is fresh for each;
//! what has external linkage is kept for all of them (see `link`). Errors do not stop
//! the check: the declaration or statement at fault is left out and the next one is looked at,
//! up to [`MAX_ERRORS`].

mod builtin;
mod call;
mod claim;
mod contract;
mod conversion;
mod declaration;
mod declarator;
mod expression;
mod fold;
mod formula;
mod function;
mod generic;
mod initializer;
mod integer;
mod link;
mod operator;
mod place;
mod quantifier;
mod record;
mod scope;
mod signature;
mod specifier;
mod statement;

use crate::ast;
use crate::constant::Constant;
use crate::diagnostic::{Diagnostic, Result, Severity};
use crate::literal::StringLiteral;
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};
use crate::typed::{
    Expr, ExprId, ExprKind, FunctionId, ObjectId, Place, PlaceId, PlaceKind, Program, Stmt, StmtId,
    StmtKind, StringId, VlaId,
};
use crate::types::{DataModel, IntKind, QualType, TypeId, TypeTable};
use function::FunctionContext;
use rustc_hash::FxHashMap;
use scope::{Entity, Scopes};
use smallvec::SmallVec;

/// After so many errors the check gives up.
pub const MAX_ERRORS: usize = 20;

/// Checks files and collects the typed program.
pub struct Checker {
    program: Program,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    /// What has external linkage, across files.
    externals: FxHashMap<Symbol, Entity>,
    strings: FxHashMap<StringLiteral, StringId>,
    /// The function whose body is being checked.
    current: Option<FunctionContext>,
    /// Lengths that types named since the last statement need evaluated.
    pending_lengths: SmallVec<[VlaId; 2]>,
    /// Automatic integers that are `const`, with the constants that they are declared with.
    constant_objects: FxHashMap<ObjectId, Constant>,
    /// The number of the file at hand.
    unit: u32,
    va_list: Option<QualType>,
    /// Whether a prototype is being read that belongs to no definition: lengths of arrays in it
    /// are not evaluated.
    in_prototype: bool,
    /// The contract whose formulas are being checked.
    contract: Option<contract::Context>,
    errors: usize,
}

impl Checker {
    /// A checker for a program without files; `symbols` must be those the files were lexed with.
    #[must_use]
    pub fn new(model: DataModel, symbols: Symbols) -> Checker {
        let program = Program {
            symbols,
            types: TypeTable::new(model),
            objects: Default::default(),
            functions: Default::default(),
            exprs: Default::default(),
            places: Default::default(),
            stmts: Default::default(),
            inits: Default::default(),
            strings: Default::default(),
            vlas: Default::default(),
            constants: Default::default(),
            file_asm: Vec::new(),
            heads: FxHashMap::default(),
            enters: FxHashMap::default(),
            loops: FxHashMap::default(),
        };
        Checker {
            program,
            diagnostics: Vec::new(),
            scopes: Scopes::default(),
            externals: FxHashMap::default(),
            strings: FxHashMap::default(),
            current: None,
            pending_lengths: SmallVec::new(),
            constant_objects: FxHashMap::default(),
            unit: 0,
            va_list: None,
            in_prototype: false,
            contract: None,
            errors: 0,
        }
    }

    /// Checks one file. Runs on the caller's stack: see [`crate::stack::with_deep_stack`].
    pub fn unit(&mut self, unit: &ast::Unit) {
        self.unit += 1;
        self.scopes = Scopes::default();
        for item in &unit.items {
            if self.errors >= MAX_ERRORS {
                break;
            }
            match item {
                ast::Item::Declaration(declaration) => {
                    if let Err(error) = self.file_declaration(unit, *declaration) {
                        self.report(*error);
                    }
                }
                ast::Item::Function(definition) => {
                    if let Err(error) = self.function_definition(unit, definition) {
                        self.report(*error);
                    }
                    self.current = None;
                    self.scopes.pop_to_file();
                }
                ast::Item::Asm(span) => self.program.file_asm.push(*span),
            }
        }
        for remark in &unit.remarks {
            self.report(remark.clone());
        }
        self.finish_unit();
    }

    /// The program and all messages; there is no program if there were errors.
    #[must_use]
    pub fn finish(self) -> (Option<Program>, Vec<Diagnostic>) {
        let program = (self.errors == 0).then_some(self.program);
        (program, self.diagnostics)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.diagnostics.push(diagnostic);
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        let warning = Diagnostic::warning(span, message);
        self.report(*warning);
    }

    fn error<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::error(span, message))
    }

    fn types(&mut self) -> &mut TypeTable {
        &mut self.program.types
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.program.symbols.name(symbol)
    }

    fn show(&self, ty: TypeId) -> String {
        self.program.types.show(QualType::plain(ty), &self.program.symbols)
    }

    fn int_type(&mut self) -> TypeId {
        self.types().int(IntKind::Int)
    }

    // Nodes.

    /// Makes a value and notes what is known of it at translation time.
    fn make(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        let constant = self.fold(&kind, ty);
        let id = self.program.exprs.alloc(Expr { kind, ty, span });
        if let Some(constant) = constant {
            self.program.constants.insert(id, constant);
        }
        id
    }

    fn make_place(&mut self, kind: PlaceKind, ty: QualType, span: Span) -> PlaceId {
        self.program.places.alloc(Place { kind, ty, span })
    }

    fn make_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.program.stmts.alloc(Stmt { kind, span })
    }

    fn make_int(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        let shape = self.program.types.shape(ty);
        let bits = shape.map_or(value as u128, |s| s.wrap(value as u128));
        self.make(ExprKind::Int(bits), ty, span)
    }

    /// A constant of the type of `sizeof`.
    fn make_size(&mut self, value: u64, span: Span) -> ExprId {
        let size_type = self.types().size_type();
        self.make_int(i128::from(value), size_type, span)
    }

    fn type_of(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    fn span_of(&self, expr: ExprId) -> Span {
        self.program.exprs[expr].span
    }

    /// The value of an integer constant expression, if the expression is one.
    fn integer_constant(&self, expr: ExprId) -> Option<i128> {
        let known = self.program.constants.get(expr).filter(|c| c.strict)?;
        let Constant::Int(bits) = known.value else { return None };
        let shape = self.program.types.shape(self.type_of(expr))?;
        Some(shape.value(bits))
    }

    fn function_id(&self) -> Option<FunctionId> {
        self.current.as_ref().map(|c| c.id)
    }
}
