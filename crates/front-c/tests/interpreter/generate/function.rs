//! Functions, tables of functions, and the function that runs a program.

use super::types::Type;
use super::{Callable, Generator, Table, Variable};

impl Generator {
    /// Defines a function; a pure one reads and writes nothing but its arguments.
    pub(super) fn define_function(&mut self, pure: bool) {
        let name = self.fresh("f");
        let result = self.result_type(pure);
        let mut parameters = Vec::new();
        for _ in 0..self.below(4) {
            let parameter = self.parameter(pure);
            parameters.push(parameter);
        }
        let result_of = result.as_ref().map_or("void".into(), |ty| self.declare(ty, ""));
        let outside = self.variables.len();
        let mut texts = Vec::new();
        for ty in &parameters {
            let name = self.fresh("a");
            texts.push(self.declare(ty, &name));
            let ty = ty.clone();
            self.variables.push(Variable { name, ty, constant: false, global: false });
        }
        let list = if texts.is_empty() { "void".into() } else { texts.join(", ") };
        let function = Callable { name: name.clone(), result: result.clone(), parameters, pure };
        if !pure {
            // It may call itself.
            self.functions.push(function.clone());
        }
        self.pure = pure;
        self.result = Some(result.clone());
        self.open(&format!("static {result_of} {name}({list})"));
        self.scratch_variables();
        if !pure {
            let value = self.return_value(&result);
            self.line(&format!("if (fuel-- <= 0) return{value};"));
        }
        self.statements(self.size.nesting);
        if !pure {
            self.mix_all(outside);
        }
        self.full();
        let value = self.return_value(&result);
        self.line(&format!("return{value};"));
        self.close("");
        self.pure = false;
        self.result = None;
        self.scratch.clear();
        self.variables.truncate(outside);
        if pure {
            self.functions.push(function);
        }
    }

    fn result_type(&mut self, pure: bool) -> Option<Type> {
        match self.below(8) {
            0 if !pure => None,
            1 | 2 if !self.records.is_empty() => Some(Type::Record(self.below(self.records.len()))),
            3 => Some(Type::Double),
            _ => Some(self.integer()),
        }
    }

    fn parameter(&mut self, pure: bool) -> Type {
        match self.below(6) {
            0 if !self.records.is_empty() => Type::Record(self.below(self.records.len())),
            1 | 2 if !pure => {
                let to = self.any_type(1);
                Type::Pointer(Box::new(to))
            }
            _ => self.arithmetic(),
        }
    }

    /// What follows `return`.
    pub(super) fn return_value(&mut self, result: &Option<Type>) -> String {
        match result {
            None => String::new(),
            Some(ty) => format!(" {}", self.expression(ty, 1)),
        }
    }

    /// Variables for effects within expressions.
    fn scratch_variables(&mut self) {
        for ty in ["int", "unsigned char", "long long"] {
            let name = self.fresh("t");
            let (value, _) = self.literal();
            self.line(&format!("{ty} {name} = {value};"));
            self.scratch.push(name);
        }
    }

    /// An array of pointers to pure functions of one type.
    pub(super) fn table(&mut self) {
        let length = 2 + self.below(3);
        let result = self.integer();
        let parameters = vec![self.integer(), self.arithmetic()];
        let mut names = Vec::new();
        for _ in 0..length {
            let name = self.fresh("h");
            let outside = self.variables.len();
            let mut texts = Vec::new();
            for ty in &parameters {
                let name = self.fresh("a");
                texts.push(self.declare(ty, &name));
                let ty = ty.clone();
                self.variables.push(Variable { name, ty, constant: false, global: false });
            }
            self.pure = true;
            let value = self.expression(&result.clone(), self.size.depth);
            self.pure = false;
            self.variables.truncate(outside);
            let head = self.declare(&result, &format!("{name}({})", texts.join(", ")));
            self.line(&format!("static {head} {{ return {value}; }}"));
            names.push(name);
        }
        let name = self.fresh("h");
        let list: Vec<String> = parameters.iter().map(|ty| self.declare(ty, "")).collect();
        let declarator = format!("(*{name}[{length}])({})", list.join(", "));
        let declaration = self.declare(&result, &declarator);
        self.line(&format!("static {declaration} = {{{}}};", names.join(", ")));
        self.tables.push(Table { name, length, result, parameters });
    }

    /// The function that runs the program and returns the checksum.
    pub(super) fn run(&mut self) {
        let outside = self.variables.len();
        let name = format!("{}run", self.prefix);
        self.open(&format!("unsigned long long {name}(void)"));
        self.line("checksum = 14695981039346656037ull;");
        self.line("fuel = 100;");
        self.scratch_variables();
        self.statements(self.size.nesting);
        let own = |f: &Callable| !f.pure;
        for function in self.functions.clone().into_iter().filter(own) {
            self.call_statement(&function);
        }
        self.mix_all(0);
        self.line("return checksum;");
        self.close("");
        self.variables.truncate(outside);
    }

    /// Adds variables and scratch variables to the checksum.
    fn mix_all(&mut self, from: usize) {
        for name in self.scratch.clone() {
            self.line(&format!("mix({name});"));
        }
        for variable in self.variables.split_off(from) {
            self.mix_value(&variable.name, &variable.ty, 0);
            self.variables.push(variable);
        }
    }

    fn mix_value(&mut self, text: &str, ty: &Type, depth: u32) {
        match ty {
            Type::Integer(_) => self.line(&format!("mix({text});")),
            Type::Float => self.line(&format!("mix_float({text});")),
            Type::Double => self.line(&format!("mix_double({text});")),
            Type::Pointer(_) => {}
            Type::Array(of, length) => {
                self.open(&format!("for (int i{depth} = 0; i{depth} < {length}; i{depth}++)"));
                self.mix_value(&format!("{text}[i{depth}]"), of, depth + 1);
                self.close("");
            }
            Type::Record(n) => {
                for member in self.records[*n].members.clone() {
                    self.mix_value(&format!("{text}.{}", member.name), &member.ty, depth);
                }
            }
        }
    }
}
