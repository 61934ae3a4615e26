//! Assertion decomposition (\[Fed15 §5.1.2\]): weaker assertions first, for their summaries.
//!
//! A weaker assertion is the same one for fewer inputs of a recursive function that the start calls: those
//! beyond a number that the function compares the input with, then ever more. For those that need
//! little unwinding there is a proof soon, and the summaries of its calls hold of all calls; so what is
//! left for the next assertion is less deep.

use crate::Answer;
use crate::search::Search;
use crate::unwound::CallId;
use term::{Op, Sort, Term};
use value::Bits;

/// How far weaker assertions go, each twice as far as the one before.
const STEPS: usize = 8;
/// The most numbers that an input is compared with.
const MAX_NUMBERS: usize = 3;
/// The rounds that a weaker assertion may take.
const MAX_ROUNDS: usize = 12;

impl Search<'_> {
    /// Proves weaker assertions, the weakest first.
    pub(crate) fn decompose(&mut self) -> Result<(), smt::Error> {
        for chain in self.chains() {
            for restriction in chain {
                let before = self.figures.interpolations;
                let answer = self.search(&[restriction], MAX_ROUNDS)?;
                self.figures.helpers += 1;
                let proved = self.figures.interpolations > before;
                if !proved || matches!(answer, Answer::Unsafe(_)) || self.is_late() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn is_late(&self) -> bool {
        self.means.allowance.exhausted().is_some()
    }

    /// Restrictions of the inputs of calls, by what each next one allows more.
    fn chains(&self) -> Vec<Vec<(CallId, Term)>> {
        let mut chains = Vec::new();
        let root = self.unwound.calls[0].copy.as_ref();
        for &id in root.iter().flat_map(|copy| &copy.calls) {
            let procedure = self.unwound.calls[id].procedure;
            if !self.encoding.recursive[procedure] {
                continue;
            }
            let parameters = &self.encoding.procedures.procedures[procedure].parameters;
            for &input in parameters {
                for number in self.numbers(procedure, input) {
                    chains.extend(
                        self.chains_from(input, &number)
                            .map(|chain| chain.into_iter().map(|formula| (id, formula)).collect()),
                    );
                }
            }
        }
        chains
    }

    /// The numbers that a procedure compares an input with.
    fn numbers(&self, procedure: program::procedures::ProcedureId, input: Term) -> Vec<Bits> {
        let pool = self.encoding.pool;
        let mut numbers = Vec::new();
        for &condition in &self.vocabularies[procedure].conditions {
            let atom = match pool.op(condition) {
                Op::Not => pool.args(condition)[0],
                _ => condition,
            };
            let &[a, b] = pool.args(atom) else { continue };
            for (variable, number) in [(a, b), (b, a)] {
                if let Some(bits) = pool.as_bits(number).filter(|_| variable == input)
                    && !numbers.contains(bits)
                {
                    numbers.push(bits.clone());
                }
            }
        }
        numbers.truncate(MAX_NUMBERS);
        numbers
    }

    /// The inputs above a number and ever further below it, and the other way round.
    fn chains_from(&self, input: Term, number: &Bits) -> [Vec<Term>; 2] {
        let pool = self.encoding.pool;
        let Sort::BitVec(width) = pool.sort(input) else { return [Vec::new(), Vec::new()] };
        let number = pool.bits(number.clone());
        let steps = (0..STEPS).map(|n| if n == 0 { 0 } else { 1 << (n - 1) });
        let distances: Vec<Term> = steps.map(|n| pool.bits(Bits::from_i64(width, n))).collect();
        let above = distances.iter().map(|d| pool.bv_sle(pool.bv_sub(number, *d), input));
        let below = distances.iter().map(|d| pool.bv_sle(input, pool.bv_add(number, *d)));
        [above.collect(), below.collect()]
    }
}
