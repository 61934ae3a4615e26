//! Structs, unions, global variables, and initial values.

use super::types::{INTEGERS, Member, Record, Type};
use super::{Generator, Variable};
use rand::Rng;

/// Types that a bit-field may have, with the greatest width.
const BIT_TYPES: [(&str, u32); 9] = [
    ("int", 32),
    ("unsigned", 32),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("_Bool", 1),
    ("long long", 64),
    ("unsigned long long", 64),
];

impl Generator {
    pub(super) fn record(&mut self) {
        let union = self.once_in(3);
        let packed = !union && self.once_in(5);
        let keyword = if union { "union" } else { "struct" };
        let name = format!("{keyword} {}", self.fresh("s"));
        let mut members = Vec::new();
        if union {
            // The first member has all bytes, so that initializing it leaves none open.
            let ty = Type::Array(Box::new(Type::Integer(3)), 16);
            members.push(Member { name: self.fresh("m"), ty, bits: None });
        }
        for _ in 0..1 + self.below(5) {
            let member = self.member(union);
            members.push(member);
        }
        self.open(&name);
        for member in &members {
            let mut text = self.declare(&member.ty, &member.name);
            if let Some(width) = member.bits {
                text.push_str(&format!(" : {width}"));
                if self.once_in(6) {
                    self.line("int : 0;");
                }
            }
            self.line(&format!("{text};"));
        }
        self.close(if packed { " __attribute__((packed));" } else { ";" });
        self.records.push(Record { name, union, packed, members });
    }

    fn member(&mut self, union: bool) -> Member {
        let name = self.fresh("m");
        // The bytes of a NaN are not the same everywhere, so unions have no floats.
        let ty = if union {
            let ty = self.integer();
            // Not every byte is a `_Bool`.
            if ty == Type::Integer(0) { Type::Integer(3) } else { ty }
        } else {
            self.any_type(2)
        };
        if !self.once_in(3) {
            if union && self.once_in(4) {
                let array = Type::Array(Box::new(Type::Integer(3)), 1 + self.below(9));
                return Member { name, ty: array, bits: None };
            }
            return Member { name, ty, bits: None };
        }
        let (ty, most) = *self.pick(&BIT_TYPES[..if union { 6 } else { 9 }]);
        let width = self.rng.random_range(1..=most);
        let index = INTEGERS.iter().position(|(name, _)| *name == ty);
        let ty = Type::Integer(index.expect("bit-fields have integer types"));
        Member { name, ty, bits: Some(width) }
    }

    /// A constant that initializes a variable of the type.
    pub(super) fn initializer(&mut self, ty: &Type) -> String {
        match ty {
            Type::Integer(_) => self.literal().0,
            Type::Float | Type::Double => self.float_literal(),
            Type::Pointer(_) => "0".into(),
            Type::Array(of, length) => {
                if matches!(**of, Type::Integer(1..=3)) && *length > 1 && self.once_in(2) {
                    let text: String = "cairn!".chars().take(length - 1).collect();
                    return format!("\"{text}\"");
                }
                let given = 1 + self.below(*length);
                let mut items: Vec<String> = (0..given).map(|_| self.initializer(of)).collect();
                if self.once_in(4) {
                    let last = items.len() - 1;
                    items[last] = format!("[{}] = {}", length - 1, items[last]);
                }
                format!("{{{}}}", items.join(", "))
            }
            Type::Record(n) => {
                let record = self.records[*n].clone();
                let given = if record.union { 1 } else { 1 + self.below(record.members.len()) };
                let designated = self.once_in(2);
                let mut items = Vec::new();
                for member in record.members.iter().take(given) {
                    let value = self.initializer(&member.ty);
                    items.push(match designated {
                        true => format!(".{} = {value}", member.name),
                        false => value,
                    });
                }
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    pub(super) fn global(&mut self) {
        let name = self.fresh("g");
        if self.once_in(4) && self.global_pointer(&name) {
            return;
        }
        let ty = self.any_type(2);
        let constant = self.once_in(5);
        let qualifier = ["", "static "][self.below(2)];
        let qualifier = if constant { "static const " } else { qualifier };
        let declaration = self.declare(&ty, &name);
        let initial = if constant || !self.once_in(3) {
            format!(" = {}", self.initializer(&ty))
        } else {
            String::new()
        };
        self.line(&format!("{qualifier}{declaration}{initial};"));
        self.variables.push(Variable { name, ty, constant, global: true });
    }

    /// A pointer to something global.
    fn global_pointer(&mut self, name: &str) -> bool {
        let Some((address, to)) = self.constant_address() else { return false };
        let ty = Type::Pointer(Box::new(to));
        let declaration = self.declare(&ty, name);
        self.line(&format!("{declaration} = {address};"));
        self.variables.push(Variable { name: name.into(), ty, constant: false, global: true });
        true
    }

    /// The address of a part of a global variable, as a constant.
    fn constant_address(&mut self) -> Option<(String, Type)> {
        let of_globals = self.variables.iter().filter(|v| v.global && !v.constant);
        let roots: Vec<Variable> = of_globals.cloned().collect();
        if roots.is_empty() {
            return None;
        }
        let root = self.pick(&roots).clone();
        let (mut text, mut ty) = (root.name, root.ty);
        loop {
            match &ty {
                Type::Array(of, length) => {
                    text = format!("{text}[{}]", self.below(*length));
                    ty = (**of).clone();
                }
                Type::Record(n) => {
                    let record = self.records[*n].clone();
                    let candidates: Vec<_> =
                        record.members.iter().filter(|m| m.bits.is_none()).collect();
                    if record.packed || candidates.is_empty() || self.once_in(3) {
                        return Some((format!("&{text}"), ty));
                    }
                    let member = *self.pick(&candidates);
                    text = format!("{text}.{}", member.name);
                    ty = member.ty.clone();
                }
                _ => return Some((format!("&{text}"), ty)),
            }
        }
    }
}
