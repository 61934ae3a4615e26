//! A run in the words of the program: the unknown values that it takes, in order.

use program::program::{Cause, Instruction, Program, Reading};
use program::verdict::Run;
use program::{Cfa, Place};
use term::Value;

/// A line for every unknown value of a run, in order.
pub fn inputs(program: &Program, cfa: &Cfa, run: &Run) -> Vec<String> {
    let steps = run.steps.iter().flat_map(|step| &step.inputs);
    steps.filter_map(|(input, value)| line(program, &cfa.inputs[*input], value)).collect()
}

/// None for what no instruction stands for, such as bytes of memory.
fn line(program: &Program, input: &program::cfa::Input, value: &Value) -> Option<String> {
    let (_, function, edge) = input.instruction?;
    let edge = &program.functions[function].body.as_ref()?.edges[edge];
    let variable = match &edge.instruction {
        Instruction::Havoc(variable, _) => Some(&program.variables[*variable]),
        _ => None,
    };
    let reading = variable.map_or(Reading::Unsigned, |variable| variable.reading);
    let name = variable.and_then(|variable| variable.name.as_deref());
    let what = match (&input.cause, name) {
        (Cause::Input(name) | Cause::Unknown(name) | Cause::Approximated(name), _) => {
            format!("{name}()")
        }
        (Cause::Uninitialized, Some(name)) => format!("{name} (not initialized)"),
        (Cause::Uninitialized, None) => "memory (not initialized)".to_owned(),
        (Cause::Assembly, _) => "inline assembly".to_owned(),
    };
    let Place { file, line, column } = &edge.place;
    Some(format!("{file}:{line}:{column}: {what} = {}", written(value, reading)))
}

/// A value as the source language writes it.
fn written(value: &Value, reading: Reading) -> String {
    match (value, reading) {
        (Value::Bool(value), _) => u8::from(*value).to_string(),
        (Value::Bits(bits), Reading::Signed) => bits.to_bigint().to_string(),
        (Value::Bits(bits), Reading::Address) => format!("{:#x}", bits.to_biguint()),
        (Value::Bits(bits), _) => bits.to_biguint().to_string(),
        (Value::Float(float), _) => float.to_decimal(),
        (other, _) => format!("{other:?}"),
    }
}
