//! Statements.

use super::types::Type;
use super::{Callable, Generator, Variable};

impl Generator {
    /// The statements of a block.
    pub(super) fn statements(&mut self, nesting: u32) {
        for _ in 0..1 + self.below(self.size.statements as usize) {
            self.full();
            self.statement(nesting);
        }
    }

    /// A block with a scope of its own.
    fn block(&mut self, head: &str, nesting: u32, tail: &str) {
        self.open(head);
        let outside = self.variables.len();
        self.statements(nesting);
        self.variables.truncate(outside);
        self.close(tail);
    }

    fn statement(&mut self, nesting: u32) {
        if nesting > 0 {
            match self.below(22) {
                0 | 1 => return self.branch(nesting - 1),
                2 | 3 => return self.repetition(nesting - 1),
                4 => return self.switch(nesting - 1),
                5 => return self.jump(nesting - 1),
                6 => return self.block("", nesting - 1, ""),
                7 if !self.pure => return self.heap(),
                8 => return self.walk(),
                9 => return self.variable_array(),
                _ => {}
            }
        }
        match self.below(20) {
            0..3 => self.local(),
            3 if !self.pure => self.mix_expression(),
            4 | 5 if !self.pure => self.some_call(),
            6 => self.leave(),
            7 => self.bytes(),
            8 => self.move_pointer(),
            9 => self.local_pointer(),
            10 => {
                let depth = self.size.depth;
                let (value, _) = self.integer_expression(depth);
                self.line(&format!("{value};"));
            }
            _ => self.assignment(),
        }
    }

    fn condition(&mut self) -> String {
        self.full();
        match self.below(6) {
            0 => self.float_expression(1),
            _ => self.integer_expression(self.size.depth.min(2)).0,
        }
    }

    fn branch(&mut self, nesting: u32) {
        let condition = self.condition();
        if self.once_in(2) {
            return self.block(&format!("if ({condition})"), nesting, "");
        }
        self.block(&format!("if ({condition})"), nesting, " else");
        self.block("", nesting, "");
    }

    /// What keeps loops within the supply of fuel.
    fn burn(&mut self) {
        if !self.pure {
            self.line("if (fuel-- <= 0) break;");
        }
    }

    fn counter(&mut self, ty: usize) -> String {
        let name = self.fresh("i");
        let ty = Type::Integer(ty);
        self.variables.push(Variable { name: name.clone(), ty, constant: true, global: false });
        name
    }

    fn repetition(&mut self, nesting: u32) {
        let rounds = 1 + self.below(if self.pure { 3 } else { 6 });
        let outside = self.variables.len();
        self.open("");
        let counter = self.counter(6);
        let end = match self.below(4) {
            0 => {
                self.line(&format!("int {counter} = {rounds};"));
                let condition = ["", " && 1", " != 0"][self.below(3)];
                self.open(&format!("while ({counter}--{condition})"));
                ""
            }
            1 => {
                self.line(&format!("int {counter} = {rounds};"));
                self.open("do");
                " while"
            }
            2 => {
                let condition = self.condition();
                self.line(&format!("int {counter};"));
                self.open(&format!(
                    "for ({counter} = 0; {counter} < {rounds} && ({condition}); {counter} += 1)"
                ));
                ""
            }
            _ => {
                self.open(&format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++)"));
                ""
            }
        };
        self.burn();
        self.in_loop += 1;
        self.breakable += 1;
        self.continuable += 1;
        self.statements(nesting);
        self.in_loop -= 1;
        self.breakable -= 1;
        self.continuable -= 1;
        match end {
            "" => self.close(""),
            _ => self.close(&format!(" while (--{counter} > 0);")),
        }
        self.close("");
        self.variables.truncate(outside);
    }

    fn switch(&mut self, nesting: u32) {
        let (value, _) = self.integer_expression(2);
        let value = match self.below(3) {
            0 => value,
            1 => format!("(unsigned char)({value})"),
            _ => format!("{value} & 7"),
        };
        self.open(&format!("switch ({value})"));
        self.breakable += 1;
        let cases = 1 + self.below(4);
        let default = self.below(cases + 2);
        for case in 0..cases {
            if case == default {
                self.line("default:");
            }
            let label = match self.below(4) {
                0 => format!("case {}: case {}:", case * 3, case * 3 + 1),
                1 => format!("case {} ... {}:", case * 3, case * 3 + 2),
                2 if case == 2 => format!("case {}C:", self.prefix),
                _ => format!("case {}:", case * 3 + 1),
            };
            self.line(&label);
            self.block("", nesting, "");
            if !self.once_in(3) {
                self.line("break;");
            }
        }
        self.breakable -= 1;
        self.close("");
    }

    /// Jumps forward over a block, backward, or out of everything within.
    fn jump(&mut self, nesting: u32) {
        let label = self.fresh("l");
        let condition = self.condition();
        match self.below(3) {
            0 => {
                self.line(&format!("if ({condition}) goto {label};"));
                self.block("", nesting, "");
                self.line(&format!("{label}: ;"));
            }
            1 => {
                self.open("");
                let outside = self.variables.len();
                let counter = self.counter(6);
                let rounds = 1 + self.below(3);
                self.line(&format!("int {counter} = {rounds};"));
                self.line(&format!("{label}: ;"));
                self.in_loop += 1;
                self.block("", nesting, "");
                self.in_loop -= 1;
                let fuel = if self.pure { "" } else { " && fuel-- > 0" };
                self.line(&format!("if (--{counter} > 0{fuel}) goto {label};"));
                self.variables.truncate(outside);
                self.close("");
            }
            _ => {
                self.exits.push(label.clone());
                self.block("", nesting, "");
                self.exits.pop();
                self.line(&format!("{label}: ;"));
            }
        }
    }

    /// Leaves a loop, a switch, a round, a block, or the function.
    fn leave(&mut self) {
        let condition = self.condition();
        let mut ways = Vec::new();
        if self.breakable > 0 {
            ways.push("break".to_string());
        }
        if self.continuable > 0 {
            ways.push("continue".to_string());
        }
        ways.extend(self.exits.iter().map(|label| format!("goto {label}")));
        if let Some(result) = self.result.clone()
            && self.once_in(4)
        {
            ways.push(format!("return{}", self.return_value(&result)));
        }
        if ways.is_empty() {
            return self.assignment();
        }
        let way = self.pick(&ways).clone();
        self.line(&format!("if ({condition}) {way};"));
    }

    fn local(&mut self) {
        let name = self.fresh("v");
        let ty = self.any_type(2);
        let (constant, fixed) = (self.once_in(8), !self.pure && self.once_in(8));
        let mut declaration = self.declare(&ty, &name);
        let value = match &ty {
            Type::Array(..) => self.initializer(&ty),
            _ if fixed => self.initializer(&ty),
            _ => {
                let depth = self.size.depth;
                self.expression(&ty, depth)
            }
        };
        if constant {
            declaration = format!("const {declaration}");
        }
        if fixed {
            declaration = format!("static {declaration}");
        }
        self.line(&format!("{declaration} = {value};"));
        self.variables.push(Variable { name, ty, constant, global: fixed });
    }

    /// A pointer, or a pointer to a pointer, to what was declared before.
    fn local_pointer(&mut self) {
        let Some(place) = self.place(|_| true) else { return };
        if !place.addressable || place.constant {
            return;
        }
        let name = self.fresh("p");
        let ty = Type::Pointer(Box::new(place.ty));
        let declaration = self.declare(&ty, &name);
        self.line(&format!("{declaration} = &{};", place.text));
        self.variables.push(Variable { name, ty, constant: false, global: false });
    }

    /// Lets a pointer point to something else that outlives it.
    fn move_pointer(&mut self) {
        let pointers = self.variables.iter().enumerate().filter_map(|(i, v)| match &v.ty {
            Type::Pointer(to) if !self.pure || !v.global => Some((i, (**to).clone())),
            _ => None,
        });
        let pointers: Vec<_> = pointers.collect();
        if pointers.is_empty() {
            return self.assignment();
        }
        let (index, to) = self.pick(&pointers).clone();
        let name = self.variables[index].name.clone();
        if let Some(address) = self.address(&to, index) {
            self.line(&format!("{name} = {address};"));
        }
    }

    pub(super) fn assignment(&mut self) {
        let wanted = |ty: &Type| !matches!(ty, Type::Array(..) | Type::Pointer(_));
        let Some(place) = self.place(wanted) else { return self.local() };
        if place.constant {
            return;
        }
        let (text, depth) = (place.text, self.size.depth);
        let statement = match &place.ty {
            Type::Record(_) => format!("{text} = {}", self.expression(&place.ty, depth)),
            Type::Float | Type::Double => {
                let op = ["=", "=", "+=", "-=", "*=", "/="][self.below(6)];
                format!("{text} {op} {}", self.expression(&place.ty, depth))
            }
            _ => match self.below(12) {
                0 => format!("{text}++"),
                1 => format!("--{text}"),
                2 => format!("{text} {} {}", ["+=", "*="][self.below(2)], self.small_float()),
                3 => {
                    let (a, _) = self.integer_expression(depth);
                    let op = ["/=", "%="][self.below(2)];
                    format!("{text} {op} ({a} & 0xfff) + 1")
                }
                4 => {
                    let (a, _) = self.integer_expression(depth);
                    let mask = if place.ty.is_wide() && !place.bits { 63 } else { 31 };
                    let op = ["<<=", ">>="][self.below(2)];
                    format!("{text} {op} {a} & {mask}")
                }
                5..8 => {
                    let op = ["+=", "-=", "*=", "&=", "|=", "^="][self.below(6)];
                    format!("{text} {op} {}", self.integer_expression(depth).0)
                }
                _ => format!("{text} = {}", self.integer_expression(depth).0),
            },
        };
        self.line(&format!("{statement};"));
    }

    /// What can be added to or multiplied with any integer type: nothing that leaves its range.
    fn small_float(&mut self) -> &'static str {
        ["0.0", "0", "1u", "'\\0'", "2L"][self.below(5)]
    }

    fn mix_expression(&mut self) {
        let depth = self.size.depth;
        if self.once_in(3) {
            let value = self.float_expression(depth);
            return self.line(&format!("mix_double({value});"));
        }
        let (value, _) = self.integer_expression(depth);
        self.line(&format!("mix({value});"));
    }

    fn some_call(&mut self) {
        if self.functions.is_empty() {
            return self.assignment();
        }
        let function = self.pick(&self.functions.clone()).clone();
        self.call_statement(&function);
    }

    pub(super) fn call_statement(&mut self, function: &Callable) {
        self.full();
        let Some(arguments) = self.arguments(&function.parameters, 2) else { return };
        let call = format!("{}({arguments})", function.name);
        match &function.result {
            Some(ty) if !self.once_in(5) => {
                let name = self.fresh("v");
                let declaration = self.declare(ty, &name);
                self.line(&format!("{declaration} = {call};"));
                let ty = ty.clone();
                self.variables.push(Variable { name, ty, constant: false, global: false });
            }
            _ => self.line(&format!("{call};")),
        }
    }

    /// `memset`, `memcpy` and their kin on whole arrays of integers.
    fn bytes(&mut self) {
        let plain = |ty: &Type| match ty {
            Type::Array(of, _) => of.is_integer() && **of != Type::Integer(0),
            _ => false,
        };
        let (Some(a), Some(b)) = (self.place(plain), self.place(plain)) else {
            return self.assignment();
        };
        if a.constant || !a.addressable || !b.addressable {
            return;
        }
        let (to, from) = (&a.text, &b.text);
        let size = format!("sizeof({to}) < sizeof({from}) ? sizeof({to}) : sizeof({from})");
        match self.below(5) {
            0 => {
                let (value, _) = self.integer_expression(1);
                self.line(&format!("memset({to}, {value}, sizeof({to}));"));
            }
            // The arrays may be one, so that only this copy is defined.
            1 | 2 => self.line(&format!("memmove({to}, {from}, {size});")),
            3 if !self.pure => {
                self.line(&format!("mix(memcmp({to}, {from}, {size}) == 0);"));
            }
            _ if !self.pure => {
                let length = 1 + self.below(6);
                let text: String = "model checking".chars().take(length).collect();
                let name = self.fresh("w");
                self.line(&format!("char {name}[16] = \"{text}\";"));
                let (index, byte) = (self.below(16), self.below(3));
                self.line(&format!("{name}[{index}] = {byte};"));
                self.line(&format!("{name}[15] = 0;"));
                self.line(&format!("mix(strlen({name}));"));
                self.line(&format!("mix(strcmp({name}, \"model\") < 0);"));
            }
            _ => self.assignment(),
        }
    }

    /// An array on the heap, all of it written, then read.
    fn heap(&mut self) {
        let ty = self.arithmetic();
        let name = self.fresh("q");
        let length = 1 + self.below(6);
        let pointer = self.declare(&Type::Pointer(Box::new(ty.clone())), &name);
        self.open("");
        let outside = self.variables.len();
        let cleared = self.once_in(3);
        let allocation = match cleared {
            true => format!("calloc({length}, sizeof *{name})"),
            false => format!("malloc({length} * sizeof *{name})"),
        };
        self.line(&format!("{pointer} = {allocation};"));
        let counter = self.counter(6);
        self.open(&format!("for (int {counter} = 0; {counter} < {length}; {counter}++)"));
        self.full();
        let value = self.expression(&ty, 1);
        let op = if cleared { "+=" } else { "=" };
        self.line(&format!("{name}[{counter}] {op} {value};"));
        self.close("");
        self.variables.truncate(outside);
        // The pointer is known as an array from here on: of its type and length, that is what it
        // can be used as.
        let array = Type::Pointer(Box::new(Type::Array(Box::new(ty), length)));
        let whole = self.fresh("q");
        let declaration = self.declare(&array, &whole);
        let cast = self.declare(&array, "");
        self.line(&format!("{declaration} = ({cast}){name};"));
        self.variables.push(Variable { name: whole, ty: array, constant: false, global: false });
        let exits = std::mem::take(&mut self.exits);
        self.statements(0);
        self.exits = exits;
        self.variables.truncate(outside);
        self.line(&format!("free({name});"));
        self.close("");
    }

    /// A loop that walks over an array with a pointer.
    fn walk(&mut self) {
        let numbers = |ty: &Type| matches!(ty, Type::Array(of, _) if of.is_integer());
        let Some(place) = self.place(numbers) else { return self.assignment() };
        let (Type::Array(of, length), true) = (place.ty, place.addressable) else { return };
        let name = self.fresh("p");
        let pointer = self.declare(&Type::Pointer(of), &name);
        let sum = self.fresh("v");
        let text = place.text;
        self.line(&format!("unsigned long long {sum} = 0;"));
        let step = match self.below(3) {
            0 => format!("for (const {pointer} = {text}; {name} < {text} + {length}; {name}++)"),
            1 => format!("for (const {pointer} = {text}; {name} != &{text}[{length}]; ++{name})"),
            _ => format!("for (const {pointer} = {text} + {length}; {name}-- > {text}; )"),
        };
        self.line(&format!("{step} {sum} = {sum} * 31 + *{name};"));
        let ty = Type::Integer(11);
        self.variables.push(Variable { name: sum, ty, constant: false, global: false });
    }

    /// An array whose length is known at run time only.
    fn variable_array(&mut self) {
        let ty = self.integer();
        let (name, length) = (self.fresh("v"), self.fresh("n"));
        let declaration = self.declare(&ty, &format!("{name}[{length}]"));
        let (value, _) = self.integer_expression(1);
        self.open("");
        self.line(&format!("int {length} = ({value} & 3) + 1;"));
        self.line(&format!("{declaration};"));
        let outside = self.variables.len();
        let counter = self.counter(6);
        self.full();
        let (value, _) = self.integer_expression(1);
        self.line(&format!(
            "for (int {counter} = 0; {counter} < {length}; {counter}++) {name}[{counter}] = {value};"
        ));
        self.variables.truncate(outside);
        let into = self.place(|ty| ty.is_integer());
        if let Some(place) = into
            && !place.constant
        {
            self.line(&format!("{} += {name}[{length} - 1] + sizeof {name};", place.text));
        }
        self.close("");
    }
}
