//! Random pairs of functions of two small numbers: what is said of them agrees with execution on all
//! inputs.
//!
//! A function masks its parameters, so that 64 inputs are all there are. The second version is the first
//! with changes of which some keep the meaning and some do not. `PAIRS` says how many pairs, `START` the
//! first seed.

use answer::Allowance;
use equivalence::annotation::Annotations;
use equivalence::prove::prove;
use equivalence::{Finding, compare};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Duration;
use truth::{number, read, truth};

mod truth;

/// A statement, as both versions have it.
struct Statement {
    old: String,
    new: String,
}

struct Writer {
    random: StdRng,
    loops: usize,
}

impl Writer {
    fn pick(&mut self, from: &[&str]) -> String {
        from[self.random.random_range(0..from.len())].to_owned()
    }

    fn atom(&mut self) -> String {
        match self.random.random_range(0..3) {
            0 => self.random.random_range(0..6).to_string(),
            _ => self.pick(&["a", "b", "x", "y", "g", "t[x & 3]"]),
        }
    }

    /// An expression, and another one that may be the same.
    fn expression(&mut self) -> (String, String) {
        let (p, q) = (self.atom(), self.atom());
        let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
        let old = format!("({p} {op} {q})");
        let new = match self.random.random_range(0..12) {
            0 if op != "-" => format!("({q} {op} {p})"),
            1 => format!("({p} {op} ({q} + 0))"),
            2 => format!("({q} {op} {p})"),
            3 => format!("({p} {op} {q} + 1)"),
            4 if op == "+" => format!("({p} - (-{q}))"),
            _ => old.clone(),
        };
        (old, new)
    }

    fn condition(&mut self) -> (String, String) {
        let (p, q) = (self.atom(), self.atom());
        let op = self.pick(&["<", "<=", "==", "!="]);
        let old = format!("{p} {op} {q}");
        let new = match (op.as_str(), self.random.random_range(0..8)) {
            ("<", 0) => format!("{q} > {p}"),
            ("<", 1) => format!("{p} <= {q}"),
            ("<=", 0) => format!("!({p} > {q})"),
            ("==", 0) => format!("{q} == {p}"),
            ("!=", 0) => format!("!({p} == {q})"),
            _ => old.clone(),
        };
        (old, new)
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.random.random_range(0..if depth == 0 { 5 } else { 8 }) {
            0 => {
                let (old, new) = self.expression();
                let index = self.pick(&["x & 3", "y & 3", "a & 3"]);
                Statement {
                    old: format!("t[{index}] = {old};"),
                    new: format!("t[{index}] = {new};"),
                }
            }
            1..=4 => {
                let target = self.pick(&["x", "y", "x", "y", "g"]);
                let (old, new) = self.expression();
                let (old, new) =
                    (format!("{target} = {old} & 63;"), format!("{target} = {new} & 63;"));
                match self.random.random_range(0..10) {
                    0 => Statement { old, new: format!("{{ int s; s = 0; {new} s = x; }}") },
                    _ => Statement { old, new },
                }
            }
            5 | 6 => {
                let (old, new) = self.condition();
                let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
                let old = format!("if ({old}) {{ {} }} else {{ {} }}", then.old, otherwise.old);
                let new = match self.random.random_range(0..3) {
                    0 => format!("if (!({new})) {{ {} }} else {{ {} }}", otherwise.new, then.new),
                    _ => format!("if ({new}) {{ {} }} else {{ {} }}", then.new, otherwise.new),
                };
                Statement { old, new }
            }
            _ => {
                self.loops += 1;
                let i = format!("i{}", self.loops);
                let body = self.statement(depth - 1);
                let bound = self.pick(&["a", "b", "4"]);
                let old = format!("for (int {i} = 0; {i} < {bound}; {i}++) {{ {} }}", body.old);
                let new = match self.random.random_range(0..5) {
                    0 => format!("for (int {i} = 1; {i} <= {bound}; {i}++) {{ {} }}", body.new),
                    1 => format!("for (int {i} = {bound}; {i} > 0; {i}--) {{ {} }}", body.new),
                    2 => format!("for (int {i} = 0; {i} <= {bound}; {i}++) {{ {} }}", body.new),
                    _ => format!("for (int {i} = 0; {i} < {bound}; {i}++) {{ {} }}", body.new),
                };
                Statement { old, new }
            }
        }
    }

    fn pair(&mut self) -> [String; 2] {
        let count = self.random.random_range(1..5);
        let statements: Vec<Statement> = (0..count).map(|_| self.statement(2)).collect();
        let text = |lines: Vec<&str>| {
            format!(
                "int g;\nint f(int a, int b)\n{{\n  int x = 0, y = 1;\n  int t[4] = {{ 1, 2, 3, 4 }};\n  \
                 a &= 7; b &= 7; g &= 3;\n  {}\n  return x + y + t[1];\n}}\n",
                lines.join("\n  ")
            )
        };
        let old = statements.iter().map(|s| s.old.as_str()).collect();
        let new = statements.iter().map(|s| s.new.as_str()).collect();
        [text(old), text(new)]
    }
}

#[test]
fn what_is_said_of_random_pairs_agrees_with_execution() {
    let (start, pairs): (u64, u64) = (number("START", 0), number("PAIRS", 40));
    let (mut same, mut different, mut open) = (0, 0, 0);
    for seed in start..start + pairs {
        let mut writer = Writer { random: StdRng::seed_from_u64(seed), loops: 0 };
        let texts = writer.pair();
        let versions = read(&texts);
        let allowance = Allowance::default().within(Duration::from_secs(4));
        let [old, new] = &versions;
        let answers = compare(old, new, &["f".to_owned()], &allowance).expect("it can be compared");
        let equal = truth(&versions);
        // Differences are found before proofs are looked for; that there is no proof of what is different
        // is asked by itself.
        let programs = [0, 1].map(|i| versions[i].lower("f").expect("it can be lowered"));
        let allowance = Allowance::default().within(Duration::from_secs(3));
        let proof = prove(&programs, "f", &Annotations::default(), &allowance);
        let proved = proof.proved.is_some();
        assert!(equal || !proved, "seed {seed}: proved:\n{}\n{}", texts[0], texts[1]);
        match &answers[0].finding {
            Finding::Same(_) => {
                assert!(equal, "seed {seed}: said to be the same:\n{}\n{}", texts[0], texts[1]);
                same += 1;
            }
            Finding::Different(difference) => {
                assert!(!equal, "seed {seed}: {difference:?}\n{}\n{}", texts[0], texts[1]);
                different += 1;
            }
            Finding::Nothing | Finding::Unknown(_) => open += 1,
        }
    }
    let decided = same + different;
    assert!(decided * 10 >= pairs * 7, "{same} same, {different} different, {open} open");
}
