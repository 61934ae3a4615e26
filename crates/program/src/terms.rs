//! What passes ask of terms again and again: how large they are and which variables they mention.
//! Each term is walked once, for both. The size of a command is that of its terms and its parts.

use crate::cfa::Command;
use term::{Op, Pool, Term};

/// What is known of a term.
#[derive(Clone, Copy, Default)]
struct Fact {
    /// The number of distinct subterms; zero if the term has not been walked.
    size: u32,
    /// Where its variables begin, and how many they are.
    first: u32,
    count: u32,
}

/// Sizes and variables of terms.
pub(crate) struct Terms<'a> {
    pool: &'a Pool,
    /// By the term's number.
    facts: Vec<Fact>,
    /// The variables of each term that has been walked, one after the other.
    variables: Vec<Term>,
    /// By the term's number: the last walk that came by.
    seen: Vec<u32>,
    walks: u32,
    pending: Vec<Term>,
}

impl<'a> Terms<'a> {
    pub fn new(pool: &'a Pool) -> Self {
        let (facts, variables, seen, pending) = Default::default();
        Terms { pool, facts, variables, seen, walks: 0, pending }
    }

    /// The number of distinct subterms.
    pub fn size(&mut self, term: Term) -> usize {
        self.fact(term).size as usize
    }

    /// The variables that occur and are not bound by a quantifier inside, in order of creation.
    pub fn variables(&mut self, term: Term) -> &[Term] {
        let Fact { first, count, .. } = self.fact(term);
        &self.variables[first as usize..][..count as usize]
    }

    /// The size of a command and the nesting of its choices.
    pub fn command(&mut self, command: &Command) -> (usize, usize) {
        match command {
            Command::Assume(formula) => (1 + self.size(*formula), 0),
            Command::Assign(_, term) => (1 + self.size(*term), 0),
            Command::Havoc(..) => (1, 0),
            Command::Sequence(commands) => self.commands(commands),
            Command::Choice(commands) => {
                let (size, nesting) = self.commands(commands);
                (size + 1, nesting + 1)
            }
        }
    }

    /// The same of some commands together.
    pub fn commands(&mut self, commands: &[Command]) -> (usize, usize) {
        commands.iter().fold((0, 0), |(size, nesting), command| {
            let (s, n) = self.command(command);
            (size + s, nesting.max(n))
        })
    }

    #[inline]
    fn fact(&mut self, term: Term) -> Fact {
        match self.facts.get(term.index()) {
            Some(fact) if fact.size > 0 => *fact,
            _ => self.walk(term),
        }
    }

    fn walk(&mut self, root: Term) -> Fact {
        if self.facts.len() <= root.index() {
            self.facts.resize(self.pool.len(), Fact::default());
            self.seen.resize(self.pool.len(), 0);
        }
        self.walks += 1;
        let first = self.variables.len();
        let mut bound: Vec<Term> = Vec::new();
        let mut size = 0;
        self.pending.push(root);
        while let Some(term) = self.pending.pop() {
            let seen = &mut self.seen[term.index()];
            if std::mem::replace(seen, self.walks) == self.walks {
                continue;
            }
            size += 1;
            let node = self.pool.node(term);
            match node.op {
                Op::Var(_) => self.variables.push(term),
                Op::Forall | Op::Exists => bound.extend(&node.args[..node.args.len() - 1]),
                _ => {}
            }
            self.pending.extend_from_slice(&node.args);
        }
        self.variables[first..].sort_unstable();
        if !bound.is_empty() {
            let free = self.variables.split_off(first).into_iter().filter(|v| !bound.contains(v));
            self.variables.extend(free);
        }
        let count = self.variables.len() - first;
        let fact = Fact { size, first: first as u32, count: count as u32 };
        self.facts[root.index()] = fact;
        fact
    }
}

#[cfg(test)]
mod tests {
    use super::Terms;
    use term::{Pool, Sort, traverse};

    #[test]
    fn sizes_and_variables_are_those_of_a_walk() {
        let pool = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| pool.var(name, Sort::BitVec(8)));
        let sum = pool.bv_add(pool.bv_mul(y, x), pool.bv_mul(x, y));
        let bound = pool.bound_var("b", Sort::BitVec(8));
        let all = pool.forall(&[bound], pool.bv_ult(bound, pool.bv_add(z, sum)));
        let mut terms = Terms::new(&pool);
        for term in [all, sum, x, pool.tru(), pool.bv_ult(sum, z), all] {
            assert_eq!(terms.size(term), traverse::size(&pool, term));
            assert_eq!(terms.variables(term), traverse::free_vars(&pool, &[term]));
        }
    }
}
