//! Files and what is asked of them to a program.

use crate::ast::Expr;
use crate::dialect::Dialect;
use crate::library;
use crate::lower::{self, Lowered, Options, Pattern, Requirement};
use crate::parse;
use program::Property;
use source::{Diagnostic, SourceMap};
use std::collections::BTreeSet;

/// How files are read, and what is asked of them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The dialect; none to notice it.
    pub dialect: Option<Dialect>,
    /// The least and the greatest duration of a cycle, in nanoseconds.
    pub cycle: (u64, u64),
    /// After how many cycles runs end; none for never.
    pub cycles: Option<u64>,
    /// Variables that take any value in each cycle, besides inputs.
    pub inputs: Vec<String>,
    /// What has to hold, besides claims in the code.
    pub stated: Vec<Stated>,
    /// The file that they are from, if it was found beside the program and nobody named it.
    pub beside: Option<String>,
    /// Whether runs are to be given and seen.
    pub observed: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        let Options { cycle, cycles, inputs, observed, .. } = Options::default();
        let (stated, beside) = (Vec::new(), None);
        Settings { dialect: None, cycle, cycles, inputs, stated, beside, observed }
    }
}

/// A requirement as it is typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The name of a pattern, in small letters, without `pattern-`.
    pub pattern: String,
    /// Its expressions, in order.
    pub expressions: Vec<String>,
}

impl Stated {
    /// An expression that holds at the end of each cycle.
    pub fn assertion(expression: &str) -> Stated {
        Stated { pattern: "invariant".into(), expressions: vec![expression.into()] }
    }

    /// An expression that holds at the end of some cycle.
    pub fn reachable(expression: &str) -> Stated {
        Stated { pattern: "reachability".into(), expressions: vec![expression.into()] }
    }

    /// Whether a run that fails shows that it holds.
    pub fn is_reachability(&self) -> bool {
        self.pattern == "reachability"
    }
}

/// The patterns that are known, with the number of their expressions.
pub const PATTERNS: [(&str, usize); 7] = [
    ("invariant", 1),
    ("implication", 2),
    ("forbidden", 1),
    ("statechange-duringcycle", 2),
    ("statechange-betweencycles", 3),
    ("response", 3),
    ("reachability", 1),
];

/// A text to read.
pub struct Text {
    /// The name that messages give it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What was read.
pub struct Compiled {
    /// The texts, those of requirements and of the library among them.
    pub sources: SourceMap,
    /// The program, or what is wrong.
    pub lowered: Result<Lowered, Vec<Diagnostic>>,
}

/// Reads, types and lowers files. The entry is the unit that runs; none for what the files say.
pub fn compile(
    texts: Vec<Text>,
    entry: Option<&str>,
    properties: &BTreeSet<Property>,
    settings: &Settings,
) -> Compiled {
    source::stack::with_deep_stack(|| {
        let mut sources = SourceMap::new();
        let lowered = compile_into(&mut sources, texts, entry, properties, settings);
        Compiled { sources, lowered }
    })
}

fn compile_into(
    sources: &mut SourceMap,
    texts: Vec<Text>,
    entry: Option<&str>,
    properties: &BTreeSet<Property>,
    settings: &Settings,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut files = Vec::new();
    for text in texts {
        files.push(added(sources, &text.name, text.bytes)?);
    }
    let unit = parse::parse(sources, &files, settings.dialect)?;
    let library = library::read(sources)?;
    let mut requirements = Vec::new();
    // The verdict on what is to be reached is the opposite of that on what has to hold.
    let asserted = |property: &Property| matches!(property, Property::Reach | Property::Assert);
    let others = settings.stated.len() > 1 || !properties.iter().all(asserted);
    if others && settings.stated.iter().any(Stated::is_reachability) {
        let message = "what is to be reached is asked about alone, without other requirements or \
                       properties";
        return Err(vec![*Diagnostic::error(source::Span::default(), message)]);
    }
    for stated in &settings.stated {
        requirements.push(requirement(sources, unit.dialect, stated)?);
    }
    let options = Options {
        entry: entry.map(str::to_owned),
        cycle: settings.cycle,
        cycles: settings.cycles,
        inputs: settings.inputs.clone(),
        requirements,
        properties: properties.clone(),
        observed: settings.observed,
    };
    lower::lower(&unit, &library, sources, &options)
}

fn added(
    sources: &mut SourceMap,
    name: &str,
    bytes: Vec<u8>,
) -> Result<source::FileId, Vec<Diagnostic>> {
    sources
        .add(name, bytes)
        .map_err(|error| vec![*Diagnostic::error(source::Span::default(), error.to_string())])
}

/// A requirement with its expressions read.
fn requirement(
    sources: &mut SourceMap,
    dialect: Dialect,
    stated: &Stated,
) -> Result<Requirement, Vec<Diagnostic>> {
    let mut expressions = Vec::new();
    for text in &stated.expressions {
        let file = added(sources, "requirement", text.as_bytes().to_vec())?;
        let expression = parse::expression(sources, file, dialect)?;
        careful(&expression)?;
        expressions.push(expression);
    }
    let given = expressions.len();
    let mut next = expressions.into_iter();
    let wrong = || {
        let known: Vec<String> =
            PATTERNS.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let message = format!(
            "there is no pattern '{}' of {given} expressions; there are {}",
            stated.pattern,
            known.join(", ")
        );
        vec![*Diagnostic::error(source::Span::default(), message)]
    };
    if !PATTERNS.contains(&(stated.pattern.as_str(), given)) {
        return Err(wrong());
    }
    let mut take = || next.next().ok_or_else(wrong);
    let pattern = match stated.pattern.as_str() {
        "invariant" => Pattern::Invariant(take()?),
        "implication" => Pattern::Implication(take()?, take()?),
        "forbidden" => Pattern::Forbidden(take()?),
        "statechange-duringcycle" => Pattern::DuringCycle(take()?, take()?),
        "statechange-betweencycles" => Pattern::BetweenCycles(take()?, take()?, take()?),
        "response" => {
            let (trigger, response, cycles) = (take()?, take()?, take()?);
            Pattern::Response(trigger, response, count(&cycles)?)
        }
        _ => Pattern::Reachable(take()?),
    };
    Ok(Requirement { text: stated.expressions.join("; "), pattern })
}

/// A number of cycles.
fn count(expr: &Expr) -> Result<u32, Vec<Diagnostic>> {
    use crate::ast::{ExprKind, Literal, LiteralKind};
    let number = match &expr.kind {
        ExprKind::Literal(Literal {
            kind: LiteralKind::Int { negative: false, value, .. },
            ..
        }) => u32::try_from(*value).ok().filter(|&number| number > 0),
        _ => None,
    };
    number.ok_or_else(|| {
        vec![*Diagnostic::error(expr.span, "expected a number of cycles, at least 1")]
    })
}

/// `NOT x >= 9` means `(NOT x) >= 9`, which nobody means.
fn careful(expr: &Expr) -> Result<(), Vec<Diagnostic>> {
    use crate::ast::{BinaryOp, ExprKind, UnaryOp};
    if let ExprKind::Binary(op, left, right) = &expr.kind {
        let compares = matches!(
            op,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Ne | BinaryOp::Eq
        );
        let negated = matches!(&left.kind, ExprKind::Unary(UnaryOp::Not, operand)
            if matches!(operand.kind, ExprKind::Name(_) | ExprKind::Member(..)));
        let number = matches!(&right.kind, ExprKind::Literal(literal)
            if matches!(literal.kind, crate::ast::LiteralKind::Int { .. }));
        if compares && negated && number && left.span.end <= right.span.start {
            let message = "NOT binds tighter than the comparison after it";
            return Err(vec![
                *Diagnostic::error(expr.span, message)
                    .help("write NOT (a >= b), or (NOT a) in parentheses of its own"),
            ]);
        }
        careful(left)?;
        return careful(right);
    }
    if let ExprKind::Unary(_, operand) = &expr.kind {
        return careful(operand);
    }
    Ok(())
}
