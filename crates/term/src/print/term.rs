//! Terms, written without recursion: a stack of what is left to write.

use super::layout::{Layout, separated};
use super::operator::operator_to_string;
use super::printer::Printer;
use super::symbol::{append, symbol_to_string};
use super::value::write_value;
use crate::op::Op;
use crate::pool::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something left to write.
enum Piece {
    /// A term where it is used: its name, if it has a binding.
    Use(Term),
    /// A term in its binding.
    Definition(Term),
    /// The name of a binding, after `(`.
    Name(Term),
    /// A term inside the bindings of a scope.
    Scope(usize, Term),
    Text(&'static str),
    /// So many closing parentheses.
    Close(usize),
}

/// Writes a term and notes its symbols.
pub(super) fn write_term(printer: &mut Printer, term: Term) -> String {
    let term = separated(printer.pool, term);
    let layout = Layout::new(printer.pool, term);
    note_symbols(printer, &layout);
    let mut writer = Writer {
        names: binding_names(printer, &layout),
        printer,
        layout,
        text: String::new(),
        pending: vec![Piece::Scope(0, term)],
    };
    while let Some(piece) = writer.pending.pop() {
        writer.write(piece);
    }
    writer.text
}

/// Notes the free variables, functions and sorts of a separated term.
fn note_symbols(printer: &mut Printer, layout: &Layout) {
    let pool = printer.pool;
    let bound: FxHashSet<Term> = layout
        .scopes
        .keys()
        .flat_map(|quantifier| pool.args(*quantifier).split_last().map(|(_, vars)| vars))
        .flatten()
        .copied()
        .collect();
    for term in &layout.order {
        match pool.op(*term) {
            Op::Var(_) if bound.contains(term) => {
                printer.note_sort(pool.sort(*term));
                printer.var(*term);
            }
            Op::Var(_) => printer.declare_var(*term),
            Op::Apply(func) => {
                printer.function(*func);
            }
            Op::ConstArray(sort) => printer.note_sort(*sort),
            Op::Value(_) => printer.note_sort(pool.sort(*term)),
            _ => {}
        }
    }
}

/// `?1`, `?2`, … for the shared subterms, without names that are taken.
fn binding_names(printer: &Printer, layout: &Layout) -> FxHashMap<Term, String> {
    let free = (1..).map(|n| format!("?{n}")).filter(|name| !printer.is_taken(name));
    layout.bindings.iter().flatten().flatten().copied().zip(free).collect()
}

struct Writer<'w, 'p> {
    printer: &'w mut Printer<'p>,
    layout: Layout,
    names: FxHashMap<Term, String>,
    text: String,
    pending: Vec<Piece>,
}

impl Writer<'_, '_> {
    fn write(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.text.push_str(text),
            Piece::Close(n) => self.text.extend(std::iter::repeat_n(')', n)),
            Piece::Name(term) => append(&mut self.text, format_args!("({} ", self.names[&term])),
            Piece::Use(term) => match self.names.get(&term) {
                Some(name) => self.text.push_str(name),
                None => self.expand(term),
            },
            Piece::Definition(term) => self.expand(term),
            Piece::Scope(scope, body) => self.scope(scope, body),
        }
    }

    /// `(let (bindings) (let (bindings) … body))`
    fn scope(&mut self, scope: usize, body: Term) {
        let groups = std::mem::take(&mut self.layout.bindings[scope]);
        self.pending.extend([Piece::Close(groups.len()), Piece::Use(body)]);
        for group in groups.iter().rev() {
            self.pending.push(Piece::Text(") "));
            for (i, term) in group.iter().enumerate().rev() {
                self.pending.extend([
                    Piece::Close(1),
                    Piece::Definition(*term),
                    Piece::Name(*term),
                ]);
                if i > 0 {
                    self.pending.push(Piece::Text(" "));
                }
            }
            self.pending.push(Piece::Text("(let ("));
        }
    }

    /// The operator of a term; its arguments are left to write.
    fn expand(&mut self, term: Term) {
        let pool = self.printer.pool;
        let args = pool.args(term);
        match pool.op(term) {
            Op::Value(value) => {
                let printer = &self.printer;
                return write_value(&mut self.text, value, &|sort| printer.noted_sort(sort));
            }
            Op::Var(_) => {
                let name = symbol_to_string(self.printer.var(term));
                return self.text.push_str(&name);
            }
            op @ (Op::Forall | Op::Exists) => return self.quantifier(term, *op == Op::Forall),
            Op::Apply(func) => {
                let name = symbol_to_string(self.printer.function(*func));
                append(&mut self.text, format_args!("({name}"));
            }
            Op::ConstArray(sort) => {
                let sort = self.printer.noted_sort(*sort);
                append(&mut self.text, format_args!("((as const {sort})"));
            }
            op => append(&mut self.text, format_args!("({}", operator_to_string(op))),
        }
        self.pending.push(Piece::Close(1));
        for arg in args.iter().rev() {
            self.pending.extend([Piece::Use(*arg), Piece::Text(" ")]);
        }
    }

    fn quantifier(&mut self, term: Term, forall: bool) {
        let args = self.printer.pool.args(term);
        let (body, bound) = args.split_last().expect("a quantifier has a body");
        self.text.push_str(if forall { "(forall (" } else { "(exists (" });
        for (i, var) in bound.iter().enumerate() {
            let sort = self.printer.noted_sort(self.printer.pool.sort(*var));
            let name = symbol_to_string(self.printer.var(*var));
            let space = if i > 0 { " " } else { "" };
            append(&mut self.text, format_args!("{space}({name} {sort})"));
        }
        self.text.push_str(") ");
        self.pending.extend([Piece::Close(1), Piece::Scope(self.layout.scopes[&term], *body)]);
    }
}
