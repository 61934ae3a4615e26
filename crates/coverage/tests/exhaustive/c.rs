//! Small random controllers in C.

use super::CYCLES;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Writes a controller.
pub struct Writer {
    random: StdRng,
    text: String,
    depth: usize,
}

impl Writer {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.random_range(0..of.len())]
    }

    fn condition(&mut self) -> String {
        let variable = self.pick(&["a", "b", "s", "t"]);
        let number = self.random.random_range(0..5);
        match self.random.random_range(0..7) {
            0 => format!("({variable} & 1)"),
            1 => variable.to_owned(),
            2 => "1".to_owned(),
            3 => format!("same({variable}) == {number}"),
            4 => format!("table[{variable} & 3] == {number}"),
            _ => format!("{variable} {} {number}", self.pick(&["<", ">", "==", "!="])),
        }
    }

    fn decision(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.condition();
        }
        let (a, b) = (self.decision(depth - 1), self.decision(depth - 1));
        match self.random.random_range(0..8) {
            0..=2 => format!("({a} && {b})"),
            3..=5 => format!("({a} || {b})"),
            6 => format!("!({a})"),
            _ => {
                let (a, b) = (self.random.random_range(0..4), self.random.random_range(0..4));
                format!("((a > {a}) {} (b == {b}))", self.pick(&["&", "|", "^"]))
            }
        }
    }

    fn statement(&mut self) {
        let depth = self.random.random_range(0..3);
        let variable = self.pick(&["s", "t"]);
        self.depth += 1;
        match self.random.random_range(0..if self.depth > 3 { 3 } else { 8 }) {
            0 => {
                let number = self.random.random_range(0..5);
                self.text += &format!("{variable} = {number};\n");
            }
            1 => {
                let decision = self.decision(depth);
                self.text += &format!("{variable} = ({decision}) ? (unsigned char) (a + 1) : b;\n");
            }
            2 => {
                let decision = self.decision(depth);
                self.text += &format!("{variable} = (unsigned char) ({decision});\n");
            }
            3 => {
                self.text += &format!("switch ({variable}) {{\ncase 0:\n");
                self.statement();
                self.text += "break;\ncase 2:\n";
                self.statement();
                self.text += "case 4: s = a; break;\n}\n";
            }
            _ => {
                let decision = self.decision(depth);
                self.text += &format!("if ({decision}) {{\n");
                self.statement();
                if self.random.random_bool(0.5) {
                    self.text += "} else {\n";
                    self.statement();
                }
                self.text += "}\n";
            }
        }
        self.depth -= 1;
    }

    pub fn program(seed: u64) -> String {
        let random = StdRng::seed_from_u64(seed);
        let mut writer = Writer { random, text: String::new(), depth: 0 };
        for _ in 0..4 {
            writer.statement();
        }
        format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
             unsigned char s, t; static const unsigned char table[4] = {{ 1, 3, 3, 0 }};\n\
             static unsigned char same(unsigned char x) {{ return x; }}\n\
             static void step(unsigned char a, unsigned char b) {{\n{}}}\n\
             static void never(int x) {{ if (x > 0 && x < 5) s = 1; }}\n\
             int main(void) {{\n\
             for (int k = 0; k < {CYCLES}; k++) {{\n\
             unsigned char a = __VERIFIER_nondet_uchar() & 3;\n\
             unsigned char b = __VERIFIER_nondet_uchar() & 1;\n\
             step(a, b); }}\nreturn 0; }}\n",
            writer.text
        )
    }
}
