//! How a decision is made of its conditions.

/// A Boolean formula over the conditions of a decision, by their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tree {
    /// A condition.
    Condition(usize),
    /// `!`
    Not(Box<Tree>),
    /// `&&`: operands after the first false one are not evaluated.
    And(Vec<Tree>),
    /// `||`: operands after the first true one are not evaluated.
    Or(Vec<Tree>),
    /// `&`, `|` or `^` of truth values: all are evaluated.
    Bitwise(Bitwise, Vec<Tree>),
}

/// A Boolean operator that evaluates its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Bitwise {
    And,
    Or,
    Xor,
}

/// What an evaluation of a decision does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// The value of the decision.
    pub outcome: bool,
    /// The conditions that are evaluated, as bits.
    pub evaluated: u64,
    /// Those whose value the outcome depends on: with that condition alone changed, it would be the
    /// other one, whatever the values of those that would be evaluated then.
    pub decisive: u64,
}

impl Tree {
    /// What an evaluation does with these values of the conditions.
    ///
    /// *Masking*: an operand is decisive if all others of its operator leave the value to it, and the
    /// operator is decisive itself [DO-178C; CAST-6]. Operands that are not evaluated leave it.
    #[must_use]
    pub fn evaluate(&self, values: u64) -> Evaluation {
        match self {
            Tree::Condition(number) => {
                let bit = 1 << number;
                Evaluation { outcome: values & bit != 0, evaluated: bit, decisive: bit }
            }
            Tree::Not(operand) => {
                let inner = operand.evaluate(values);
                Evaluation { outcome: !inner.outcome, ..inner }
            }
            Tree::And(operands) => short_circuit(operands, values, true),
            Tree::Or(operands) => short_circuit(operands, values, false),
            Tree::Bitwise(operator, operands) => operator.evaluate(operands, values),
        }
    }

    /// Calls `each` with the values of the conditions of every evaluation that the formula allows, those
    /// of conditions that are not evaluated being zero, as long as there are at most `most`; says whether
    /// these were all.
    pub fn vectors(&self, most: usize, each: &mut dyn FnMut(u64)) -> bool {
        let mut left = most;
        self.walk(0, &mut |values, _| {
            if left == 0 {
                return false;
            }
            left -= 1;
            each(values);
            true
        })
    }

    /// Calls `then` with the values so far and the outcome; says whether nobody wanted to stop.
    fn walk(&self, values: u64, then: &mut dyn FnMut(u64, bool) -> bool) -> bool {
        match self {
            Tree::Condition(number) => then(values, false) && then(values | 1 << number, true),
            Tree::Not(operand) => {
                operand.walk(values, &mut |values, outcome| then(values, !outcome))
            }
            Tree::And(operands) => walk_short(operands, values, true, then),
            Tree::Or(operands) => walk_short(operands, values, false, then),
            Tree::Bitwise(operator, operands) => walk_all(*operator, operands, values, None, then),
        }
    }
}

/// `&&` (where `neutral` is true) or `||`.
fn short_circuit(operands: &[Tree], values: u64, neutral: bool) -> Evaluation {
    let mut evaluated = 0;
    let mut last = Evaluation { outcome: neutral, evaluated: 0, decisive: 0 };
    let mut neutral_ones = 0;
    for operand in operands {
        last = operand.evaluate(values);
        evaluated |= last.evaluated;
        if last.outcome != neutral {
            return Evaluation { outcome: !neutral, evaluated, decisive: last.decisive };
        }
        neutral_ones |= last.decisive;
    }
    Evaluation { outcome: last.outcome, evaluated, decisive: neutral_ones }
}

fn walk_short(
    operands: &[Tree],
    values: u64,
    neutral: bool,
    then: &mut dyn FnMut(u64, bool) -> bool,
) -> bool {
    let Some((first, rest)) = operands.split_first() else { return then(values, neutral) };
    first.walk(values, &mut |values, outcome| match outcome == neutral {
        true => walk_short(rest, values, neutral, then),
        false => then(values, outcome),
    })
}

fn walk_all(
    operator: Bitwise,
    operands: &[Tree],
    values: u64,
    so_far: Option<bool>,
    then: &mut dyn FnMut(u64, bool) -> bool,
) -> bool {
    let Some((first, rest)) = operands.split_first() else {
        return then(values, so_far.unwrap_or(false));
    };
    first.walk(values, &mut |values, outcome| {
        let joined = so_far.map_or(outcome, |so_far| operator.apply(so_far, outcome));
        walk_all(operator, rest, values, Some(joined), then)
    })
}

impl Bitwise {
    fn apply(self, a: bool, b: bool) -> bool {
        match self {
            Bitwise::And => a & b,
            Bitwise::Or => a | b,
            Bitwise::Xor => a ^ b,
        }
    }

    fn evaluate(self, operands: &[Tree], values: u64) -> Evaluation {
        let inner: Vec<Evaluation> = operands.iter().map(|o| o.evaluate(values)).collect();
        let outcomes = inner.iter().map(|inner| inner.outcome);
        let outcome = outcomes.reduce(|a, b| self.apply(a, b)).unwrap_or(false);
        // An operand of `&` matters if all others are true, one of `|` if they are false.
        let matters = |number: usize| {
            let mut others = inner.iter().enumerate().filter(|(other, _)| *other != number);
            match self {
                Bitwise::And => others.all(|(_, inner)| inner.outcome),
                Bitwise::Or => others.all(|(_, inner)| !inner.outcome),
                Bitwise::Xor => true,
            }
        };
        let decisive = (0..inner.len()).filter(|number| matters(*number));
        Evaluation {
            outcome,
            evaluated: inner.iter().fold(0, |bits, inner| bits | inner.evaluated),
            decisive: decisive.fold(0, |bits, number| bits | inner[number].decisive),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(number: usize) -> Tree {
        Tree::Condition(number)
    }

    #[test]
    fn what_is_not_evaluated_decides_nothing() {
        // (a || b) && c
        let tree = Tree::And(vec![Tree::Or(vec![condition(0), condition(1)]), condition(2)]);
        let seen = tree.evaluate(0b101);
        assert_eq!((seen.outcome, seen.evaluated, seen.decisive), (true, 0b101, 0b101));
        let seen = tree.evaluate(0b110);
        assert_eq!((seen.outcome, seen.evaluated, seen.decisive), (true, 0b111, 0b110));
        let seen = tree.evaluate(0b000);
        assert_eq!((seen.outcome, seen.evaluated, seen.decisive), (false, 0b011, 0b011));
        let seen = tree.evaluate(0b001);
        assert_eq!((seen.outcome, seen.evaluated, seen.decisive), (false, 0b101, 0b100));
    }

    #[test]
    fn bitwise_operators_evaluate_all_operands() {
        let tree = Tree::Bitwise(Bitwise::And, vec![condition(0), condition(1)]);
        let seen = tree.evaluate(0b00);
        assert_eq!((seen.outcome, seen.evaluated, seen.decisive), (false, 0b11, 0));
        let seen = tree.evaluate(0b10);
        assert_eq!((seen.outcome, seen.evaluated, seen.decisive), (false, 0b11, 0b01));
        let tree = Tree::Bitwise(Bitwise::Xor, vec![condition(0), condition(1)]);
        assert_eq!(tree.evaluate(0b10).decisive, 0b11);
    }

    #[test]
    fn vectors_are_those_of_short_circuit_evaluation() {
        let tree = Tree::And(vec![Tree::Or(vec![condition(0), condition(1)]), condition(2)]);
        let mut all = Vec::new();
        assert!(tree.vectors(100, &mut |values| all.push(values)));
        all.sort_unstable();
        assert_eq!(all, [0b000, 0b001, 0b010, 0b101, 0b110]);
        assert!(!tree.vectors(4, &mut |_| {}));
    }

    /// A condition that is changed alone, where it is decisive, changes the outcome.
    #[test]
    fn decisive_conditions_decide() {
        let not = |tree| Tree::Not(Box::new(tree));
        let tree = Tree::Or(vec![
            Tree::And(vec![condition(0), not(condition(1))]),
            Tree::Bitwise(Bitwise::Or, vec![condition(2), condition(3)]),
        ]);
        for values in 0..16u64 {
            let seen = tree.evaluate(values);
            for number in (0..4).filter(|number| seen.decisive >> number & 1 == 1) {
                // With the values of those that are evaluated then left as they are, and neutral.
                let changed = tree.evaluate(values ^ 1 << number);
                let same = changed.evaluated & !seen.evaluated == 0;
                assert!(!same || changed.outcome != seen.outcome, "{values:04b} {number}");
            }
        }
    }
}
