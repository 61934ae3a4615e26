//! Expressions: pure, defined, of a known kind.

use super::types::Type;
use super::{Generator, Variable};

/// An object that an expression names.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) ty: Type,
    pub(super) constant: bool,
    /// Whether its address may be taken.
    pub(super) addressable: bool,
    /// Whether it is a bit-field, whose type differs from the declared one.
    pub(super) bits: bool,
}

const INTEGER_LITERALS: [(&str, bool); 30] = [
    ("0", false),
    ("1", false),
    ("2", false),
    ("(-1)", false),
    ("'x'", false),
    ("'\\377'", false),
    ("7u", false),
    ("100", false),
    ("(-128)", false),
    ("255", false),
    ("0x7fff", false),
    ("65535u", false),
    ("0x7fffffff", false),
    ("(-2147483647 - 1)", false),
    ("0x80000000", false),
    ("0xffffffffu", false),
    ("4294967295", false),
    ("123456789L", false),
    ("0UL", false),
    ("0x100000000LL", true),
    ("(-5LL)", true),
    ("0x7fffffffffffffffLL", true),
    ("0xdeadbeefcafebabeULL", true),
    ("1ull", true),
    ("sizeof(int)", false),
    ("sizeof(long)", false),
    ("sizeof(char *)", false),
    ("(unsigned char)200", false),
    ("(short)40000", false),
    ("(_Bool)2", false),
];

const FLOAT_LITERALS: [&str; 14] = [
    "0.0",
    "1.0f",
    "(-0.0)",
    "0.1",
    "0.1f",
    "1e10",
    "3.0e38f",
    "1e-40f",
    "1e300",
    "2.5",
    "16777217.0f",
    "9007199254740993.0",
    "1.5f",
    "0x1.8p3",
];

const BINARY: [&str; 6] = ["+", "-", "*", "&", "|", "^"];
const COMPARISON: [&str; 6] = ["<", ">", "<=", ">=", "==", "!="];

impl Generator {
    /// Begins a full expression: scratch variables can be used again.
    pub(super) fn full(&mut self) {
        self.scratch_used = 0;
    }

    /// An integer literal, and whether it is wide.
    pub(super) fn literal(&mut self) -> (String, bool) {
        if self.once_in(4) {
            let name = ["A", "B", "C", "D"][self.below(4)];
            return (format!("{}{name}", self.prefix), false);
        }
        if self.once_in(3) {
            return (self.below(20).to_string(), false);
        }
        let (text, wide) = *self.pick(&INTEGER_LITERALS);
        (text.into(), wide)
    }

    pub(super) fn float_literal(&mut self) -> String {
        (*self.pick(&FLOAT_LITERALS)).into()
    }

    /// An integer expression, and whether it has 64 bits in every data model.
    pub(super) fn integer_expression(&mut self, depth: u32) -> (String, bool) {
        if depth == 0 {
            return self.integer_leaf();
        }
        let depth = depth - 1;
        match self.below(24) {
            0..6 => {
                let op = *self.pick(&BINARY);
                let (a, wide_a) = self.integer_expression(depth);
                let (b, wide_b) = self.integer_expression(depth);
                (format!("({a} {op} {b})"), wide_a || wide_b)
            }
            6 | 7 => self.division(depth),
            8 | 9 => {
                let op = ["<<", ">>"][self.below(2)];
                let (a, wide) = self.integer_expression(depth);
                let (b, _) = self.integer_expression(depth);
                let mask = if wide { 63 } else { 31 };
                (format!("({a} {op} ({b} & {mask}))"), wide)
            }
            10 | 11 => {
                let op = *self.pick(&COMPARISON);
                let (a, _) = self.integer_expression(depth);
                let (b, _) = self.integer_expression(depth);
                (format!("({a} {op} {b})"), false)
            }
            12 => {
                let op = *self.pick(&COMPARISON);
                let (a, b) = (self.float_expression(depth), self.float_expression(depth));
                (format!("({a} {op} {b})"), false)
            }
            13 => {
                let op = ["&&", "||"][self.below(2)];
                let (a, _) = self.integer_expression(depth);
                let (b, _) = self.integer_expression(depth);
                (format!("({a} {op} {b})"), false)
            }
            14 | 15 => {
                let (c, _) = self.integer_expression(depth);
                let (a, wide_a) = self.integer_expression(depth);
                let (b, wide_b) = self.integer_expression(depth);
                (format!("({c} ? {a} : {b})"), wide_a || wide_b)
            }
            16 | 17 => {
                let op = ["-", "~", "!", "+"][self.below(4)];
                let (a, wide) = self.integer_expression(depth);
                (format!("({op}{a})"), wide && op != "!")
            }
            18 => {
                let ty = self.integer();
                let name = self.declare(&ty, "");
                let (a, _) = self.integer_expression(depth);
                (format!("({name})({a})"), ty.is_wide())
            }
            19 => self.integer_of_float(depth),
            20 => self.scratch_expression(depth),
            21 | 22 => self.pure_call(depth).unwrap_or_else(|| self.integer_leaf()),
            _ => self.pointer_comparison().unwrap_or_else(|| self.integer_leaf()),
        }
    }

    fn division(&mut self, depth: u32) -> (String, bool) {
        let op = ["/", "%"][self.below(2)];
        let (a, wide_a) = self.integer_expression(depth);
        let (b, wide_b) = self.integer_expression(depth);
        let mask = ["3", "0x7f", "0xffff", "0xffffff"][self.below(4)];
        let divisor = match self.below(3) {
            // -1 would overflow with the least number.
            0 => format!("(-2 - ({b} & {mask}))"),
            1 => format!("(({b} & {mask}) + 1)"),
            _ => format!("((unsigned long long)({b}) | 1)"),
        };
        let wide = divisor.starts_with("((unsigned long long)") || wide_a || wide_b;
        (format!("({a} {op} {divisor})"), wide)
    }

    fn integer_of_float(&mut self, depth: u32) -> (String, bool) {
        let a = self.float_expression(depth);
        let (function, wide) =
            [("to_int", false), ("to_char", false), ("to_long", true), ("to_unsigned", true)]
                [self.below(4)];
        (format!("{function}({a})"), wide)
    }

    /// An effect within an expression, on a variable that is not used elsewhere in it.
    fn scratch_expression(&mut self, depth: u32) -> (String, bool) {
        if self.scratch_used >= self.scratch.len() {
            return self.integer_leaf();
        }
        let name = self.scratch[self.scratch_used].clone();
        self.scratch_used += 1;
        let (a, wide) = self.integer_expression(depth);
        match self.below(7) {
            0 => (format!("{name}++"), false),
            1 => (format!("(--{name})"), false),
            2 => (format!("({name} = {a})"), false),
            3 => (format!("({name} += {a})"), false),
            4 => (format!("({name} ^= {a}, {name} + 1)"), false),
            5 => (format!("({{ {name} -= {a}; {name} * 3; }})"), false),
            _ => (format!("({name}--, {a})"), wide),
        }
    }

    fn integer_leaf(&mut self) -> (String, bool) {
        match self.below(10) {
            0 | 1 => self.literal(),
            2 => {
                let length = 3 + self.below(3);
                let text: String = "a\\0zQ\\xff".into();
                let index = self.below(length);
                (format!("\"{text}\"[{index}]"), false)
            }
            3 => match self.place(|_| true) {
                Some(place) if !place.bits => (format!("sizeof({})", place.text), false),
                _ => self.literal(),
            },
            _ => match self.place(Type::is_scalar) {
                None => self.literal(),
                Some(place) => match &place.ty {
                    // A bit-field that is wider than an int has a type of its own width.
                    Type::Integer(_) => (place.text, place.ty.is_wide() && !place.bits),
                    Type::Float | Type::Double => (format!("to_int({})", place.text), false),
                    _ => (format!("({} != 0)", place.text), false),
                },
            },
        }
    }

    pub(super) fn float_expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => self.float_literal(),
                1 => {
                    let (a, _) = self.integer_leaf();
                    format!("(double){a}")
                }
                _ => match self.place(Type::is_float) {
                    Some(place) => place.text,
                    None => self.float_literal(),
                },
            };
        }
        let depth = depth - 1;
        match self.below(12) {
            0..5 => {
                let op = ["+", "-", "*", "/"][self.below(4)];
                let (a, b) = (self.float_expression(depth), self.float_expression(depth));
                format!("({a} {op} {b})")
            }
            5 => format!("(-{})", self.float_expression(depth)),
            6 => {
                let ty = ["float", "double"][self.below(2)];
                format!("({ty})({})", self.float_expression(depth))
            }
            7 => {
                let ty = ["float", "double"][self.below(2)];
                format!("({ty})({})", self.integer_expression(depth).0)
            }
            8 => {
                let (c, _) = self.integer_expression(depth);
                let (a, b) = (self.float_expression(depth), self.float_expression(depth));
                format!("({c} ? {a} : {b})")
            }
            9 => format!("float_of({})", self.integer_expression(depth).0),
            10 => format!("double_of({})", self.integer_expression(depth).0),
            _ => {
                let (a, b) = (self.float_expression(depth), self.integer_expression(depth).0);
                format!("({a} + {b})")
            }
        }
    }

    /// An expression that can be converted to the type.
    pub(super) fn expression(&mut self, ty: &Type, depth: u32) -> String {
        match ty {
            Type::Float | Type::Double => self.float_expression(depth),
            Type::Integer(_) => self.integer_expression(depth).0,
            Type::Record(n) => self.record_expression(*n),
            _ => "0".into(),
        }
    }

    /// A value of a record type.
    fn record_expression(&mut self, record: usize) -> String {
        let wanted = Type::Record(record);
        match self.place(|ty| *ty == wanted) {
            Some(place) if !self.once_in(4) => place.text,
            _ => {
                let name = self.declare(&wanted, "");
                format!("({name}){}", self.initializer(&wanted))
            }
        }
    }

    /// Arguments for parameters of these types.
    pub(super) fn arguments(&mut self, parameters: &[Type], depth: u32) -> Option<String> {
        let mut arguments = Vec::new();
        for parameter in parameters {
            arguments.push(match parameter {
                Type::Pointer(to) => self.address(to, self.variables.len())?,
                ty => self.expression(ty, depth),
            });
        }
        Some(arguments.join(", "))
    }

    /// A call of a pure function, directly or through a table.
    fn pure_call(&mut self, depth: u32) -> Option<(String, bool)> {
        // Calls in loops of pure functions would multiply the work.
        if self.pure && self.in_loop > 0 {
            return None;
        }
        if self.once_in(3) && !self.tables.is_empty() {
            let table = self.pick(&self.tables.clone()).clone();
            let (index, _) = self.integer_expression(depth);
            let arguments = self.arguments(&table.parameters, depth)?;
            let star = ["", "*"][self.below(2)];
            let call = format!(
                "({star}{}[(unsigned)({index}) % {}])({arguments})",
                table.name, table.length
            );
            return Some((call, table.result.is_wide()));
        }
        let pure = |f: &&super::Callable| f.pure && f.result.as_ref().is_some_and(Type::is_integer);
        let candidates: Vec<_> = self.functions.iter().filter(pure).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let function = self.pick(&candidates).clone();
        let arguments = self.arguments(&function.parameters, depth)?;
        let wide = function.result.is_some_and(|r| r.is_wide());
        Some((format!("{}({arguments})", function.name), wide))
    }

    /// Comparison or difference of pointers into one array.
    fn pointer_comparison(&mut self) -> Option<(String, bool)> {
        let place = self.place(|ty| matches!(ty, Type::Array(..)))?;
        let Type::Array(_, length) = place.ty else { return None };
        if !place.addressable {
            return None;
        }
        let (i, j) = (self.below(length + 1), self.below(length + 1));
        let text = &place.text;
        Some(match self.below(4) {
            0 => (format!("(&{text}[{i}] - &{text}[{j}])"), false),
            1 => (format!("({text} + {i} < {text} + {j})"), false),
            2 => (format!("(&{text}[{i}] == {text} + {j})"), false),
            _ => (format!("(int)((char *)(&{text}[{i}]) - (char *){text})"), false),
        })
    }

    /// An object of a type that is wanted, by a way from a variable to a part of it.
    pub(super) fn place(&mut self, wanted: impl Fn(&Type) -> bool) -> Option<Place> {
        self.place_before(wanted, self.variables.len())
    }

    /// The same, from one of the first variables.
    pub(super) fn place_before(
        &mut self,
        wanted: impl Fn(&Type) -> bool,
        before: usize,
    ) -> Option<Place> {
        for _ in 0..8 {
            let seen = self.variables[..before].iter();
            let seen: Vec<usize> = seen
                .enumerate()
                .filter(|(_, v)| !self.pure || !v.global || v.constant)
                .map(|(i, _)| i)
                .collect();
            if seen.is_empty() {
                return None;
            }
            let root = *self.pick(&seen);
            let root = self.variables[root].clone();
            if let Some(place) = self.descend(root, &wanted) {
                return Some(place);
            }
        }
        None
    }

    fn descend(&mut self, root: Variable, wanted: &impl Fn(&Type) -> bool) -> Option<Place> {
        let Variable { name, ty, constant, .. } = root;
        let mut place = Place { text: name, ty, constant, addressable: true, bits: false };
        loop {
            let stop = wanted(&place.ty);
            if stop && (place.ty.is_scalar() || self.once_in(2)) && !self.descends(&place) {
                return Some(place);
            }
            match place.ty.clone() {
                Type::Array(of, length) => {
                    let index = self.index(length);
                    place.text = match self.below(6) {
                        0 => format!("(*({} + {index}))", place.text),
                        _ => format!("{}[{index}]", place.text),
                    };
                    place.ty = *of;
                }
                Type::Record(n) => {
                    let record = self.records[n].clone();
                    let member = self.pick(&record.members).clone();
                    place.text = match place.text.strip_prefix("(*") {
                        Some(rest) if rest.ends_with(')') && is_name(&rest[..rest.len() - 1]) => {
                            format!("{}->{}", &rest[..rest.len() - 1], member.name)
                        }
                        _ => format!("{}.{}", place.text, member.name),
                    };
                    place.ty = member.ty;
                    place.bits = member.bits.is_some();
                    place.addressable &= !place.bits && !record.packed;
                }
                Type::Pointer(to) => {
                    place = Place {
                        text: format!("(*{})", place.text),
                        ty: *to,
                        constant: false,
                        addressable: true,
                        bits: false,
                    };
                }
                _ => return None,
            }
        }
    }

    /// Whether to look behind a pointer rather than at it.
    fn descends(&mut self, place: &Place) -> bool {
        matches!(place.ty, Type::Pointer(_)) && !self.once_in(4)
    }

    /// An index into an array.
    fn index(&mut self, length: usize) -> String {
        if length == 1 || self.once_in(2) {
            return self.below(length).to_string();
        }
        let integers = |v: &&Variable| v.ty.is_integer();
        let visible = self.variables.iter().filter(integers);
        let visible: Vec<_> =
            visible.filter(|v| !self.pure || !v.global || v.constant).cloned().collect();
        if visible.is_empty() {
            return self.below(length).to_string();
        }
        format!("(unsigned){} % {length}", self.pick(&visible).name)
    }

    /// The address of an object of the type, from one of the first variables.
    pub(super) fn address(&mut self, to: &Type, before: usize) -> Option<String> {
        for _ in 0..6 {
            let Some(place) = self.place_before(|ty| ty == to, before) else { continue };
            if place.addressable && !place.constant {
                return Some(format!("&{}", place.text));
            }
        }
        None
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
