//! Expressions and statements in both languages. The translation has rules of its own for what types
//! operands are computed in, so that it checks ours.

use super::standard::Extras;
use super::{BOOL, Both, INT, TYPES, Ty, both, joined};
use rand::Rng;
use rand::rngs::StdRng;
use std::fmt::Write as _;

pub struct Writer {
    pub rng: StdRng,
    /// Scalars in scope: name in ST, name in C, type, whether it may be written.
    pub scope: Vec<(String, String, Ty, bool)>,
    /// Arrays of four elements in scope.
    pub arrays: Vec<(String, String, Ty)>,
    /// Functions of two parameters.
    pub functions: Vec<(String, Ty, Ty, Ty)>,
    /// Instances with two inputs and an output.
    pub instances: Vec<(String, String, Ty, Ty, Ty)>,
    /// What else statements may use.
    pub extras: Extras,
    pub loops: usize,
    in_loop: bool,
}

impl Writer {
    pub fn new(rng: StdRng) -> Writer {
        Writer {
            rng,
            scope: Vec::new(),
            arrays: Vec::new(),
            functions: Vec::new(),
            instances: Vec::new(),
            extras: Extras::default(),
            loops: 0,
            in_loop: false,
        }
    }

    pub fn any(&mut self) -> Ty {
        TYPES[self.rng.random_range(0..TYPES.len())]
    }

    fn number(&mut self) -> Ty {
        loop {
            let ty = self.any();
            if ty.is_number() {
                return ty;
            }
        }
    }

    pub fn literal(&mut self, ty: Ty) -> Both {
        if ty.width == 1 {
            let truth = self.rng.random_bool(0.5);
            return both(if truth { "TRUE" } else { "FALSE" }, u8::from(truth).to_string());
        }
        if ty.float {
            let number = f64::from(self.rng.random_range(-400i32..400)) / 8.0;
            let st = format!("{}#{number:?}", ty.st);
            return both(st, format!("(({})({number:?}))", ty.c));
        }
        let most = if ty.signed { (1i128 << (ty.width - 1)) - 1 } else { (1i128 << ty.width) - 1 };
        let value = match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..=most),
            1 => most,
            _ => self.rng.random_range(0..=most.min(20)),
        };
        let value = if ty.signed && self.rng.random_bool(0.3) { -value } else { value };
        let suffix = if ty.signed { "LL" } else { "ULL" };
        both(format!("{}#{value}", ty.st), format!("(({})({value}{suffix}))", ty.c))
    }

    fn leaf(&mut self, ty: Ty) -> Both {
        let known: Vec<_> = self.scope.iter().filter(|(_, _, other, _)| *other == ty).collect();
        if !known.is_empty() && self.rng.random_bool(0.7) {
            let at = self.rng.random_range(0..known.len());
            return both(known[at].0.clone(), known[at].1.clone());
        }
        self.literal(ty)
    }

    pub fn expr(&mut self, ty: Ty, depth: u32) -> Both {
        if depth == 0 || self.rng.random_bool(0.15) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.rng.random_range(0..10) {
            0 => {
                let (g, a, b) =
                    (self.expr(BOOL, depth), self.expr(ty, depth), self.expr(ty, depth));
                both(
                    format!("SEL({}, {}, {})", g.st, a.st, b.st),
                    format!("(({}) ? ({}) : ({}))", g.c, b.c, a.c),
                )
            }
            1 if !ty.float => match ty.width > 1 && self.rng.random_bool(0.3) {
                true => self.rounded(ty, depth),
                false => self.converted(ty, depth),
            },
            2 => self.call(ty).unwrap_or_else(|| self.leaf(ty)),
            3 => self.element(ty, depth).unwrap_or_else(|| self.leaf(ty)),
            _ if ty.width == 1 => self.truth(depth),
            _ if ty.float && self.rng.random_bool(0.4) => self.real(ty, depth),
            _ if ty.float => {
                let op = ["+", "-", "*", "/"][self.rng.random_range(0..4)];
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                both(
                    format!("({} {op} {})", a.st, b.st),
                    format!("(({})({} {op} {}))", ty.c, a.c, b.c),
                )
            }
            _ => self.arithmetic(ty, depth),
        }
    }

    fn converted(&mut self, ty: Ty, depth: u32) -> Both {
        let from = loop {
            let from = self.any();
            if !from.float && from != ty {
                break from;
            }
        };
        let e = self.expr(from, depth);
        let st = format!("{}_TO_{}({})", from.st, ty.st, e.st);
        let c = match ty.width {
            1 => format!("(({}) != 0)", e.c),
            _ => format!("(({})({}))", ty.c, e.c),
        };
        both(st, c)
    }

    /// A real number by a function, or from a number of another type.
    fn real(&mut self, ty: Ty, depth: u32) -> Both {
        let (other, suffix) = if ty.width == 32 { ("LREAL", "f") } else { ("REAL", "") };
        match self.rng.random_range(0..5) {
            0 => {
                let e = self.expr(ty, depth);
                both(format!("ABS({})", e.st), format!("fabs{suffix}({})", e.c))
            }
            1 => {
                let e = self.expr(ty, depth);
                both(format!("SQRT(ABS({}))", e.st), format!("sqrt{suffix}(fabs{suffix}({}))", e.c))
            }
            2 => {
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                let (st, c) = [("MAX", ">="), ("MIN", "<=")][self.rng.random_range(0..2)];
                both(
                    format!("{st}({}, {})", a.st, b.st),
                    format!("((({}) {c} ({})) ? ({}) : ({}))", a.c, b.c, a.c, b.c),
                )
            }
            3 => {
                let from = TYPES[13 + usize::from(ty.width == 32)];
                let e = self.expr(from, depth);
                both(format!("{other}_TO_{}({})", ty.st, e.st), format!("(({})({}))", ty.c, e.c))
            }
            _ => {
                let from = self.number();
                let e = self.expr(from, depth);
                both(
                    format!("{}_TO_{}({})", from.st, ty.st, e.st),
                    format!("(({})({}))", ty.c, e.c),
                )
            }
        }
    }

    /// A real number as an integer.
    fn rounded(&mut self, ty: Ty, depth: u32) -> Both {
        let from = TYPES[self.rng.random_range(13..15)];
        let e = self.expr(from, depth);
        let sign = if ty.signed { "s" } else { "u" };
        both(
            format!("{}_TO_{}({})", from.st, ty.st, e.st),
            format!("(({})rounded_{sign}({}, {}))", ty.c, e.c, ty.width),
        )
    }

    fn truth(&mut self, depth: u32) -> Both {
        match self.rng.random_range(0..5) {
            0 => {
                let e = self.expr(BOOL, depth);
                both(format!("(NOT {})", e.st), format!("(!{})", e.c))
            }
            1 | 2 => {
                let (st, c) =
                    [("AND", "&&"), ("OR", "||"), ("XOR", "!=")][self.rng.random_range(0..3)];
                let (a, b) = (self.expr(BOOL, depth), self.expr(BOOL, depth));
                // The operands of C's operators are evaluated both: they have no effects.
                both(format!("({} {st} {})", a.st, b.st), format!("(({}) {c} ({}))", a.c, b.c))
            }
            3 if self.rng.random_bool(0.5) => {
                let ty = TYPES[self.rng.random_range(13..15)];
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                let (st, c) = [("<", "<"), ("<=", "<="), ("=", "=="), ("<>", "!=")]
                    [self.rng.random_range(0..4)];
                both(format!("({} {st} {})", a.st, b.st), format!("(({}) {c} ({}))", a.c, b.c))
            }
            _ => {
                let (x, y) = (self.number(), self.number());
                let common = joined(x, y);
                let (st, c) =
                    [("<", "<"), ("<=", "<="), ("=", "=="), ("<>", "!="), (">", ">"), (">=", ">=")]
                        [self.rng.random_range(0..6)];
                let (a, b) = (self.expr(x, depth), self.expr(y, depth));
                both(
                    format!("({} {st} {})", a.st, b.st),
                    format!("((({common})({})) {c} (({common})({})))", a.c, b.c),
                )
            }
        }
    }

    fn arithmetic(&mut self, ty: Ty, depth: u32) -> Both {
        let a = self.expr(ty, depth);
        let wrap = |text: String| format!("(({})({text}))", ty.c);
        match self.rng.random_range(0..8) {
            0 if ty.signed => both(format!("(-{})", a.st), wrap(format!("-({})", a.c))),
            1 if ty.bits => both(format!("(NOT {})", a.st), wrap(format!("~({})", a.c))),
            2 => {
                let divisor = self.rng.random_range(2..=100);
                let (st, c) = [("/", "/"), ("MOD", "%")][self.rng.random_range(0..2)];
                let unit = if ty.signed { "" } else { "u" };
                both(
                    format!("({} {st} {divisor})", a.st),
                    wrap(format!("({}) {c} ({})({divisor}{unit})", a.c, ty.c)),
                )
            }
            3 => {
                let b = self.expr(ty, depth);
                let (st, c) = [("MAX", ">"), ("MIN", "<")][self.rng.random_range(0..2)];
                both(
                    format!("{st}({}, {})", a.st, b.st),
                    format!("((({}) {c} ({})) ? ({}) : ({}))", a.c, b.c, a.c, b.c),
                )
            }
            4 if ty.bits => {
                let by = self.rng.random_range(0..ty.width);
                let op = ["SHL", "SHR", "ROL", "ROR"][self.rng.random_range(0..4)];
                let (u, w) = (ty.unsigned(), ty.width);
                let x = format!("(({u})({}))", a.c);
                let back = (w - by) % w;
                let c = match op {
                    "SHL" => format!("{x} << {by}"),
                    "SHR" => format!("{x} >> {by}"),
                    "ROL" => format!("({x} << {by}) | ({x} >> {back})"),
                    _ => format!("({x} >> {by}) | ({x} << {back})"),
                };
                both(format!("{op}({}, {by})", a.st), wrap(c))
            }
            5 if ty.bits => {
                let b = self.expr(ty, depth);
                let (st, c) =
                    [("AND", "&"), ("OR", "|"), ("XOR", "^")][self.rng.random_range(0..3)];
                both(format!("({} {st} {})", a.st, b.st), wrap(format!("({}) {c} ({})", a.c, b.c)))
            }
            _ => {
                let b = self.expr(ty, depth);
                let op = ["+", "-", "*"][self.rng.random_range(0..3)];
                let u = if ty.width < 64 { "uint32_t".into() } else { ty.unsigned() };
                both(
                    format!("({} {op} {})", a.st, b.st),
                    wrap(format!("({u})({}) {op} ({u})({})", a.c, b.c)),
                )
            }
        }
    }

    fn element(&mut self, ty: Ty, depth: u32) -> Option<Both> {
        let known: Vec<_> = self.arrays.iter().filter(|(_, _, other)| *other == ty).collect();
        let (st, c, _) = (*known.first()?).clone();
        let index = self.index(depth);
        Some(both(format!("{st}[{}]", index.st), format!("{c}[{}]", index.c)))
    }

    pub fn index(&mut self, depth: u32) -> Both {
        let unsigned = TYPES[5];
        let e = self.expr(unsigned, depth.min(1));
        both(format!("{} MOD 4", e.st), format!("({}) % 4", e.c))
    }

    fn call(&mut self, ty: Ty) -> Option<Both> {
        let known: Vec<_> = self.functions.iter().filter(|(_, r, ..)| *r == ty).collect();
        let (name, _, p, q) = (*known.first()?).clone();
        let (a, b) = (self.leaf(p), self.leaf(q));
        Some(both(format!("{name}({}, q := {})", a.st, b.st), format!("{name}({}, {})", a.c, b.c)))
    }

    pub fn block(&mut self, count: usize, depth: u32) -> Both {
        let mut all = both("", "");
        for _ in 0..count {
            let statement = self.statement(depth);
            writeln!(all.st, "{}", statement.st).expect("a string");
            writeln!(all.c, "{}", statement.c).expect("a string");
        }
        all
    }

    fn assignment(&mut self) -> Both {
        let known: Vec<_> = self.scope.iter().filter(|(.., writable)| *writable).cloned().collect();
        let (st, c, ty, _) = known[self.rng.random_range(0..known.len())].clone();
        let e = self.expr(ty, 3);
        both(format!("{st} := {};", e.st), format!("{c} = {};", e.c))
    }

    fn statement(&mut self, depth: u32) -> Both {
        if depth == 0 {
            return self.assignment();
        }
        let depth = depth - 1;
        match self.rng.random_range(0..12) {
            0 | 1 => {
                let g = self.expr(BOOL, 2);
                let (a, b) = (self.block(2, depth), self.block(1, depth));
                both(
                    format!("IF {} THEN\n{}ELSE\n{}END_IF;", g.st, a.st, b.st),
                    format!("if ({}) {{\n{}}} else {{\n{}}}", g.c, a.c, b.c),
                )
            }
            2 => self.case(depth),
            3 | 4 => self.for_loop(depth),
            5 => self.while_loop(depth),
            6 if self.in_loop => {
                let g = self.expr(BOOL, 1);
                let (st, c) =
                    [("EXIT", "break"), ("CONTINUE", "continue")][self.rng.random_range(0..2)];
                both(format!("IF {} THEN {st}; END_IF;", g.st), format!("if ({}) {c};", g.c))
            }
            7 if !self.instances.is_empty() => {
                let at = self.rng.random_range(0..self.instances.len());
                let (st, c, a, b, _) = self.instances[at].clone();
                let (x, y) = (self.expr(a, 2), self.expr(b, 1));
                both(
                    format!("{st}(a := {}, b := {});", x.st, y.st),
                    format!("{c}_call({}, {});", x.c, y.c),
                )
            }
            8 if !self.arrays.is_empty() => {
                let at = self.rng.random_range(0..self.arrays.len());
                let (st, c, ty) = self.arrays[at].clone();
                let (index, e) = (self.index(1), self.expr(ty, 2));
                both(
                    format!("{st}[{}] := {};", index.st, e.st),
                    format!("{{ {0} v_ = {3}; {1}[{2}] = v_; }}", ty.c, c, index.c, e.c),
                )
            }
            9 | 10 => self.extra().unwrap_or_else(|| self.assignment()),
            _ => self.assignment(),
        }
    }

    fn case(&mut self, depth: u32) -> Both {
        let selector = self.expr(TYPES[5], 2);
        let (a, b, other) = (self.block(1, depth), self.block(1, depth), self.block(1, depth));
        let cut = self.rng.random_range(1..100);
        // `break` would leave the C switch only, so it is a chain of conditions.
        both(
            format!(
                "CASE {} OF\n0, {cut}: {}{}..200: {}ELSE {}END_CASE;",
                selector.st,
                a.st,
                cut + 1,
                b.st,
                other.st
            ),
            format!(
                "{{ uint8_t s_ = {}; if (s_ == 0 || s_ == {cut}) {{ {} }} else if (s_ > {cut} && s_ <= 200) {{ {} }} else {{ {} }} }}",
                selector.c, a.c, b.c, other.c
            ),
        )
    }

    fn for_loop(&mut self, depth: u32) -> Both {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let (from, to) = (self.rng.random_range(-2..3), self.rng.random_range(-1..6));
        let by = [1, 2, -1][self.rng.random_range(0..3)];
        let known = self.rng.random_bool(0.5);
        let outer = std::mem::replace(&mut self.in_loop, true);
        let scope = self.scope.clone();
        self.scope.push((name.clone(), format!("{name}_"), INT, false));
        let body = self.block(2, depth);
        self.scope = scope;
        self.in_loop = outer;
        // A bound that is a variable keeps the loop a loop.
        let (st_to, c_to) = match known {
            true => (to.to_string(), to.to_string()),
            false => (format!("({to} + zero)"), to.to_string()),
        };
        let op = if by > 0 { "<=" } else { ">=" };
        both(
            format!("FOR {name} := {from} TO {st_to} BY {by} DO\n{}END_FOR;", body.st),
            format!(
                "for (int16_t {name}_ = {from}; {name}_ {op} {c_to}; {name}_ += {by}) {{\n{}}}",
                body.c
            ),
        )
    }

    fn while_loop(&mut self, depth: u32) -> Both {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let turns = self.rng.random_range(0..4);
        let g = self.expr(BOOL, 1);
        let outer = std::mem::replace(&mut self.in_loop, true);
        let body = self.block(1, depth);
        self.in_loop = outer;
        both(
            format!(
                "{name} := 0;\nWHILE {name} < {turns} AND {} DO\n{name} := {name} + 1;\n{}END_WHILE;",
                g.st, body.st
            ),
            format!(
                "{{ int16_t {name}_ = 0;\nwhile ({name}_ < {turns} && ({})) {{ {name}_++;\n{}}} }}",
                g.c, body.c
            ),
        )
    }

    /// Counters of loops are variables of the unit.
    pub fn counters(&self, from: usize) -> String {
        (from + 1..=self.loops).map(|i| format!("i{i} : INT;\n")).collect()
    }
}
