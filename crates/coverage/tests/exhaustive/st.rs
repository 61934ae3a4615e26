//! Small random controllers in Structured Text, with all that decides there: operators that evaluate both
//! operands and those that do not, calls in conditions that change what others read, `CASE`, loops, blocks
//! with several instances.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Writes a controller.
pub struct Writer {
    random: StdRng,
    text: String,
    depth: usize,
    loops: usize,
}

impl Writer {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.random_range(0..of.len())]
    }

    fn condition(&mut self) -> String {
        let number = self.random.random_range(0..4);
        match self.random.random_range(0..9) {
            0 => "FALSE".to_owned(),
            1 | 2 => self.pick(&["x", "y", "z", "f"]).to_owned(),
            3 => format!("bump(n := {number})"),
            4 => format!("one.up = {}", self.pick(&["x", "f"])),
            5 => self.pick(&["one.up", "two.up", "w.0", "list[1]"]).to_owned(),
            _ => {
                format!("{} {} {number}", self.pick(&["s", "t"]), self.pick(&["<", ">", "=", "<>"]))
            }
        }
    }

    fn decision(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.condition();
        }
        let (a, b) = (self.decision(depth - 1), self.decision(depth - 1));
        match self.random.random_range(0..11) {
            0..=2 => format!("(({a}) AND ({b}))"),
            3 | 4 => format!("(({a}) OR ({b}))"),
            5 => format!("(({a}) XOR ({b}))"),
            6 | 7 => format!("(({a}) AND_THEN ({b}))"),
            8 | 9 => format!("(({a}) OR_ELSE ({b}))"),
            _ => format!("NOT ({a})"),
        }
    }

    fn statement(&mut self) {
        let depth = self.random.random_range(0..3);
        let variable = self.pick(&["s", "t"]);
        self.depth += 1;
        match self.random.random_range(0..if self.depth > 3 { 3 } else { 10 }) {
            0 => {
                let number = self.random.random_range(0..5);
                self.text += &format!("{variable} := {number};\n");
            }
            1 => {
                let decision = self.decision(depth);
                self.text += &format!("f := {decision};\n");
            }
            2 => {
                let (block, decision) = (self.pick(&["one", "two"]), self.decision(depth));
                self.text += &format!("{block}(go := {decision});\n");
            }
            3 => {
                self.text += &format!("CASE {variable} OF\n0: ");
                self.statement();
                self.text += "2..3: ";
                self.statement();
                if self.random.random_bool(0.5) {
                    self.text += "ELSE\n";
                    self.statement();
                }
                self.text += "END_CASE;\n";
            }
            4 => {
                self.loops += 1;
                let (counter, decision) = (self.loops, self.decision(depth));
                self.text += &format!("FOR i{counter} := 1 TO 2 DO\n");
                self.statement();
                self.text += &format!("IF {decision} THEN EXIT; END_IF;\nEND_FOR;\n");
            }
            5 => {
                let decision = self.decision(1);
                self.text += "k := 0;\nREPEAT\nk := k + 1;\n";
                self.text += &format!("UNTIL k > 2 OR_ELSE {decision}\nEND_REPEAT;\n");
            }
            _ => {
                let decision = self.decision(depth);
                self.text += &format!("IF {decision} THEN\n");
                self.statement();
                if self.random.random_bool(0.3) {
                    let decision = self.decision(1);
                    self.text += &format!("ELSIF {decision} THEN\n");
                    self.statement();
                }
                if self.random.random_bool(0.5) {
                    self.text += "ELSE\n";
                    self.statement();
                }
                self.text += "END_IF;\n";
            }
        }
        self.depth -= 1;
    }

    pub fn program(seed: u64) -> String {
        let random = StdRng::seed_from_u64(seed);
        let mut writer = Writer { random, text: String::new(), depth: 0, loops: 0 };
        for _ in 0..4 {
            writer.statement();
        }
        let counters: String = (1..=writer.loops).map(|n| format!("i{n} : INT; ")).collect();
        format!(
            "FUNCTION_BLOCK Count\nVAR_INPUT go : BOOL; END_VAR VAR_OUTPUT up : BOOL; END_VAR\n\
             VAR n : INT; END_VAR\n\
             IF go AND n < 2 THEN n := n + 1; ELSE n := 0; END_IF;\n\
             up := n = 2 OR go AND n > 2;\nEND_FUNCTION_BLOCK\n\
             FUNCTION_BLOCK Never\nVAR_INPUT b : BOOL; END_VAR VAR c : INT; END_VAR\n\
             IF b AND_THEN c > 0 THEN c := 1; END_IF;\nEND_FUNCTION_BLOCK\n\
             FUNCTION_BLOCK Main\nVAR_INPUT x, y, z : BOOL; END_VAR\n\
             VAR s, t, k : INT; f : BOOL; w : WORD; list : ARRAY[0..2] OF BOOL;\n\
             one, two : Count; {counters}END_VAR\n\
             METHOD bump : BOOL\nVAR_INPUT n : INT; END_VAR\n\
             IF t > n THEN t := 0; bump := TRUE; ELSE t := t + 1; END_IF;\nEND_METHOD\n\
             list[1] := x XOR list[1]; w := SHL(w, 1) OR BOOL_TO_WORD(y);\n\
             {}END_FUNCTION_BLOCK\n",
            writer.text
        )
    }
}
