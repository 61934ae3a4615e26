//! Random programs: what is printed and read is the same tree.
//!
//! `PROGRAMS=10000 SEED=3 cargo test --release -p cairn-front-st --test random` reads more of them.

mod kit;

use front_st::dialect::Dialect;
use kit::{Numbers, again, read};

/// Writes a random program, word by word, by the grammar; blanks and parentheses are random too.
struct Writer {
    numbers: Numbers,
    out: String,
    /// How much may still be written: below it, only leaves come.
    left: i32,
    scl: bool,
}

const NAMES: [&str; 11] = ["a", "Bc", "x1", "in", "ON", "step", "T", "LD", "größe", "_y", "last"];
const TYPES: [&str; 8] = ["INT", "BOOL", "REAL", "TIME", "STRING", "N.udt", "WORD", "TON"];
const BINARY: [&str; 19] = [
    "+", "-", "*", "/", "MOD", "**", "AND", "&", "OR", "XOR", "=", "<>", "<", ">", "<=", ">=",
    "AND_THEN", "OR_ELSE", "mod",
];
const LITERALS: [&str; 22] = [
    "0",
    "17",
    "3_000",
    "16#FFff",
    "2#1010",
    "8#17",
    "1.5",
    "2.0E-3",
    "TRUE",
    "FALSE",
    "INT#-5",
    "T#1h2m3s4ms5us6ns",
    "t#-0.5s",
    "LTIME#90d",
    "D#2024-02-29",
    "TOD#12:30:15.25",
    "DT#1969-07-20-20:17:40",
    "'It$'s $$ $N$09 ü'",
    "WORD#16#AB",
    "Color#Red",
    "NULL",
    "BOOL#1",
];

impl Writer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push_str(self.numbers.pick(&[" ", " ", " ", "\n", "  ", " (* c *) ", " // c\n"]));
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.numbers.below(one_in) == 0
    }

    fn name(&mut self) {
        let name = self.numbers.pick(&NAMES);
        let text = match self.numbers.below(6) {
            0 if self.scl => format!("#{name}"),
            1 if self.scl => format!("\"{name} z\""),
            _ => name.to_owned(),
        };
        self.push(&text);
    }

    fn list(&mut self, most: usize, mut one: impl FnMut(&mut Writer)) {
        for index in 0..=self.numbers.below(most) {
            if index > 0 {
                self.push(",");
            }
            one(self);
        }
    }

    fn expr(&mut self) {
        self.left -= 1;
        if self.left < 0 {
            return if self.chance(2) { self.name() } else { self.literal() };
        }
        match self.numbers.below(10) {
            0 => self.literal(),
            1 | 2 => self.place(),
            3 => {
                let op = self.numbers.pick(&["-", "+", "NOT", "not"]);
                self.push(op);
                self.expr();
            }
            4..=7 => {
                self.expr();
                let op = self.numbers.pick(&BINARY);
                self.push(op);
                self.expr();
            }
            8 => {
                self.push("(");
                self.expr();
                self.push(")");
            }
            _ => {
                self.callee();
                self.arguments();
            }
        }
    }

    fn callee(&mut self) {
        self.name();
        if self.chance(3) {
            let method = self.numbers.pick(&NAMES);
            self.push(&format!(".{method}"));
        }
    }

    fn literal(&mut self) {
        let literal = self.numbers.pick(&LITERALS);
        self.push(literal);
    }

    fn arguments(&mut self) {
        self.push("(");
        if !self.chance(4) {
            self.list(3, |w| match w.numbers.below(5) {
                0 => {
                    w.push("IN :=");
                    w.expr();
                }
                1 => w.push("PT :="),
                2 => {
                    w.push("Q =>");
                    w.place();
                }
                3 => w.push("NOT ET =>"),
                _ => w.expr(),
            });
        }
        self.push(")");
    }

    fn place(&mut self) {
        match self.numbers.below(12) {
            0 => self.push("%IX0.3"),
            1 => self.push("THIS^"),
            2 if !self.scl => {
                self.out.push('.');
                self.push("glob");
            }
            _ => self.name(),
        }
        while self.left > 0 && self.chance(2) {
            self.left -= 1;
            match self.numbers.below(5) {
                0 => {
                    self.push("[");
                    self.list(2, Writer::expr);
                    self.push("]");
                }
                1 => self.push("^"),
                2 => {
                    let part = self.numbers.pick(&[".5", ".%X7", ".%B1", ".%W0", ".%D1"]);
                    self.push(part);
                }
                _ => {
                    let field = self.numbers.pick(&NAMES);
                    self.push(&format!(".{field}"));
                }
            }
        }
    }

    fn block(&mut self) {
        for _ in 0..self.numbers.below(4) {
            if self.left > 0 {
                self.statement();
            }
        }
    }

    fn statement(&mut self) {
        self.left -= 1;
        match self.numbers.below(14) {
            0..=3 => {
                self.place();
                let op =
                    self.numbers.pick(&[":=", ":=", ":=", "REF=", "S=", "R=", "?=", "+=", "*="]);
                self.push(op);
                self.expr();
                self.push(";");
            }
            4 => {
                self.callee();
                self.arguments();
                self.push(";");
            }
            5 | 6 => self.conditional(),
            7 => self.case(),
            8 => {
                self.push("FOR");
                self.name();
                self.push(":=");
                self.expr();
                self.push("TO");
                self.expr();
                if self.chance(2) {
                    self.push("BY");
                    self.expr();
                }
                self.push("DO");
                self.block();
                self.push("END_FOR;");
            }
            9 => {
                self.push("WHILE");
                self.expr();
                self.push("DO");
                self.block();
                self.push("END_WHILE");
            }
            10 => {
                self.push("REPEAT");
                self.block();
                self.push("UNTIL");
                self.expr();
                self.push("END_REPEAT");
            }
            11 => {
                let simple =
                    self.numbers.pick(&["EXIT;", "CONTINUE;", "RETURN;", ";", "JMP l;", "{p 'q'}"]);
                self.push(simple);
            }
            12 => {
                let claim = self.numbers.pick(&["__assert(", "__assume(", "assert("]);
                self.push(claim);
                self.expr();
                self.push(");");
            }
            _ => {
                self.out.push_str("\n//#ASSERT a > b\n");
            }
        }
    }

    fn conditional(&mut self) {
        self.push("IF");
        self.expr();
        self.push("THEN");
        self.block();
        while self.chance(3) {
            self.push("ELSIF");
            self.expr();
            self.push("THEN");
            self.block();
        }
        if self.chance(2) {
            self.push("ELSE");
            self.block();
        }
        self.push("END_IF;");
    }

    fn case(&mut self) {
        self.push("CASE");
        self.expr();
        self.push("OF");
        for _ in 0..self.numbers.below(4) {
            self.list(3, |w| {
                let label =
                    w.numbers.pick(&["1", "-5", "2..7", "Red", "Color#Blue", "N.c", "16#F"]);
                w.push(label);
            });
            self.push(":");
            self.block();
        }
        if self.chance(2) {
            self.push("ELSE");
            self.block();
        }
        self.push("END_CASE");
    }

    fn ty(&mut self, level: u32) {
        match self.numbers.below(if level > 2 { 2 } else { 9 }) {
            0 | 1 => {
                let ty = self.numbers.pick(&TYPES);
                self.push(ty);
            }
            2 => {
                self.push("ARRAY [");
                self.list(3, |w| match w.numbers.below(3) {
                    0 => w.push("*"),
                    1 => w.push("0 .. 5"),
                    _ => w.push("-1..n"),
                });
                self.push("] OF");
                self.ty(level + 1);
            }
            3 => self.push("STRING[80]"),
            4 => self.push("INT(-5..5)"),
            5 => self.push("(red, green := 5) BYTE"),
            6 => {
                self.push("STRUCT");
                for _ in 0..self.numbers.below(3) {
                    self.variables(level + 1);
                }
                self.push("END_STRUCT");
            }
            7 => {
                let pointer = self.numbers.pick(&["REF_TO", "POINTER TO", "REFERENCE TO"]);
                self.push(pointer);
                self.ty(level + 1);
            }
            _ => {
                self.push("UNION");
                self.variables(level + 1);
                self.push("END_UNION");
            }
        }
    }

    fn variables(&mut self, level: u32) {
        if self.chance(6) {
            self.push("{attr 'x'}");
        }
        self.list(2, |w| {
            let name = w.numbers.pick(&NAMES);
            w.push(name);
        });
        if self.chance(5) {
            self.push("AT %QW3");
        }
        self.push(":");
        self.ty(level);
        if self.chance(3) {
            self.push(":=");
            match self.numbers.below(3) {
                0 => self.push("[1, 2(0), (a := 1)]"),
                1 => self.push("(x1 := 5, Bc := 'q')"),
                _ => self.expr(),
            }
        }
        self.push(";");
    }

    fn section(&mut self) {
        let kind = self.numbers.pick(&[
            "VAR",
            "VAR_INPUT",
            "VAR_OUTPUT",
            "VAR_IN_OUT",
            "VAR_TEMP",
            "VAR CONSTANT",
            "VAR RETAIN",
        ]);
        self.push(kind);
        self.out.push('\n');
        for _ in 0..self.numbers.below(4) {
            self.variables(0);
        }
        self.push("END_VAR");
    }

    fn unit(&mut self) {
        let kind = self.numbers.pick(&["PROGRAM", "FUNCTION_BLOCK"]);
        self.push(kind);
        self.push("u");
        for _ in 0..self.numbers.below(3) {
            self.section();
        }
        if self.chance(3) {
            self.push("METHOD PUBLIC m : INT");
            self.section();
            self.block();
            self.push("END_METHOD");
        }
        for _ in 0..self.numbers.below(8) {
            self.statement();
        }
        self.push(&format!("END_{kind}"));
        self.out.push('\n');
    }
}

#[test]
fn random_programs_round_trip() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (programs, seed) = (number("PROGRAMS", 400), number("SEED", 1));
    for index in 0..programs {
        let scl = index % 3 == 0;
        let numbers = Numbers(seed.wrapping_mul(0x1000_0000).wrapping_add(index));
        let mut writer = Writer { numbers, out: String::new(), left: 120, scl };
        writer.unit();
        let dialect = if scl { Dialect::Scl } else { Dialect::Iec };
        let unit = read(writer.out.as_bytes(), "random.st", Some(dialect))
            .unwrap_or_else(|errors| panic!("program {index}:\n{errors}\n{}", writer.out));
        again(&unit);
    }
}
