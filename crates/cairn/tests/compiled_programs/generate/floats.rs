//! Floating arithmetic: sums, products, quotients, comparisons and conversions of small numbers.
//!
//! Conversions to integers are guarded, as they are undefined beyond the range; bits are looked at
//! of finite numbers alone, as those of a NaN depend on the machine.

use super::{Writer, with};

const GUARDS: &str = "static int @round(double x) { return x > -1000 && x < 1000 ? (int)x : 77; }
static int @bits(float x) {
  union { float f; unsigned u; } both;
  if (!(x > -1e9f && x < 1e9f)) return -1;
  both.f = x;
  return (int)(both.u >> 20 & 4095);
}";

/// Variables, assignments to them, and comparisons.
pub fn part(w: &mut Writer<'_>) {
    w.global("guards", GUARDS);
    let mut variables: Vec<String> = Vec::new();
    for _ in 0..w.below(2) + 2 {
        let ty = w.pick(&["float", "double", "float"]);
        let variable = w.name("f");
        let start = start(w, ty);
        w.line(&format!("{ty} {variable} = {start};"));
        variables.push(variable);
    }
    for _ in 0..w.below(3) + 1 {
        let variable = variables[w.below(variables.len())].clone();
        let value = arithmetic(w, &variables, 1);
        let operator = w.pick(&["=", "=", "+=", "-=", "*="]);
        w.act(&format!("{variable} {operator} {value};"));
    }
    if w.once_in(3) {
        repeat(w, &variables);
    }
    for _ in 0..w.below(2) + 1 {
        let observed = look(w, &variables);
        w.observe(&observed);
    }
}

fn start(w: &mut Writer<'_>, ty: &str) -> String {
    if w.once_in(3)
        && let Some(input) = w.float_input(ty)
    {
        return input;
    }
    let value = w.operand();
    let text =
        w.pick(&["$V", "$V / 4.0", "$V * 0.1f", "$V - 0.5", "($V + 1) / 3.0f", "1.0 / ($V)"]);
    with(text, &[("V", &value)])
}

fn arithmetic(w: &mut Writer<'_>, variables: &[String], depth: usize) -> String {
    if depth == 0 {
        return match w.below(4) {
            0 => w.pick(&["0.5", "2.0f", "0.1", "3", "1e3", "-0.25f", "1e-3f"]).to_owned(),
            1 => w.operand(),
            _ => variables[w.below(variables.len())].clone(),
        };
    }
    let (left, right) = (arithmetic(w, variables, depth - 1), arithmetic(w, variables, 0));
    let variable = variables[w.below(variables.len())].clone();
    match w.below(9) {
        0 => format!("(float)({left}) + {right}"),
        1 => format!("({left}) / ({variable} + 2.5)"),
        2 => format!("({left}) * ({right})"),
        3 => format!("({left} < {right} ? {variable} : {left})"),
        4 => format!("(int)@round({left}) + 0.5f"),
        5 => format!("-({left})"),
        6 => format!("({left}) - ({right})"),
        7 => format!("fabs({left}) - {variable}"),
        _ => format!("({left}) + ({right})"),
    }
}

/// Many small steps, each of which is rounded.
fn repeat(w: &mut Writer<'_>, variables: &[String]) {
    let (i, variable) = (w.name("i"), variables[w.below(variables.len())].clone());
    let (bound, step) = (w.index(4), w.pick(&["+= 0.1f", "*= 1.5", "-= 0.3", "/= 3", "+= 1e8f"]));
    w.line(&format!("for (int {i} = 0; {i} < {bound}; {i}++) {variable} {step};"));
}

fn look(w: &mut Writer<'_>, variables: &[String]) -> String {
    let x = variables[w.below(variables.len())].clone();
    let y = variables[w.below(variables.len())].clone();
    let value = w.operand();
    let text = w.pick(&[
        "@round($X)",
        "@round($X * 8)",
        "@round(floor($X)) - @round($X)",
        "($X < $Y) + 2 * ($X == $Y)",
        "($X <= $V) + 2 * ($X * $Y > $V)",
        "@bits($X)",
        "$X != $X ? 9 : $X > 0",
        "@round($X + $Y - $X)",
        "$X + $Y == $V",
        "(_Bool)$X + 2 * (_Bool)($Y - $V)",
        "(unsigned char)@round($X * $Y)",
        "(float)$X == (double)$X",
    ]);
    with(text, &[("X", &x), ("Y", &y), ("V", &value)])
}
