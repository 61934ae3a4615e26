//! What expressions are, and where their values go.

use super::Machine;
use super::datum::Datum;
use crate::interpret::code::{Expression, General, Node, Operand, Section, Slot, WordAt};
use crate::interpret::word::is_word;
use smallvec::SmallVec;
use term::eval::{apply, default_value};
use term::{Sort, Value};

impl<'p> Machine<'_, 'p> {
    #[inline]
    pub(super) fn word(&self, at: WordAt) -> u64 {
        self.words[at.place(&self.sections)]
    }

    pub(super) fn value(&self, operand: Operand) -> &Value {
        match operand {
            Operand::Local(n) => &self.locals[self.values + n as usize],
            Operand::Constant(n) => &self.interpreter.code.constants.values[n as usize],
            Operand::Temporary(n) => &self.temporaries[n as usize],
            Operand::Global(n) => &self.globals[n as usize],
        }
    }

    pub(super) fn get(&self, operand: Operand, sort: Sort) -> Datum {
        if is_word(sort) {
            Datum::Word(self.word(operand.into()))
        } else {
            Datum::Value(self.value(operand).clone())
        }
    }

    pub(super) fn set(&mut self, slot: Slot, datum: Datum) {
        match (slot, datum) {
            (slot, Datum::Word(word)) => {
                let place = WordAt::from(Operand::from(slot)).place(&self.sections);
                self.words[place] = word;
            }
            (Slot::Global(n), Datum::Value(value)) => self.globals[n as usize] = value,
            (Slot::Local(n), Datum::Value(value)) => {
                self.locals[self.values + n as usize] = value;
            }
        }
    }

    /// Computes the nodes of an expression.
    #[inline]
    pub(super) fn compute(&mut self, expression: &Expression<'p>) {
        let mut next = self.sections[Section::Temporaries as usize];
        self.temporaries.clear();
        for node in &expression.nodes {
            match node {
                Node::Word(op, [a, b, c]) => {
                    let word = op.apply(self.word(*a), self.word(*b), self.word(*c));
                    self.words[next] = word;
                    next += 1;
                }
                Node::General(general) => match self.apply(general) {
                    Datum::Word(word) => {
                        self.words[next] = word;
                        next += 1;
                    }
                    Datum::Value(value) => self.temporaries.push(value),
                },
            }
        }
    }

    pub(super) fn evaluate(&mut self, expression: &Expression<'p>) -> Datum {
        self.compute(expression);
        self.get(expression.root, expression.sort)
    }

    /// An operator that is not on words.
    pub(super) fn apply(&self, General { op, sort, args }: &General<'p>) -> Datum {
        let values: SmallVec<[Value; 4]> =
            args.iter().map(|(operand, sort)| self.get(*operand, *sort).to_value(*sort)).collect();
        let references: SmallVec<[&Value; 4]> = values.iter().collect();
        let pool = &self.interpreter.program.pool;
        let result = apply(op, *sort, &references).unwrap_or_else(|| default_value(pool, *sort));
        Datum::new(result, *sort)
    }

    #[inline]
    pub(super) fn holds(&mut self, formula: &Expression<'p>) -> bool {
        self.number(formula) != 0
    }

    /// The value of an expression that is a word.
    #[inline]
    pub(super) fn number(&mut self, expression: &Expression<'p>) -> u64 {
        self.compute(expression);
        self.word(expression.word)
    }
}
