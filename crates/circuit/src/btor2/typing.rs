//! The sorts of operators.

use super::error::Problem;
use super::op::{Binary, Op, Unary};
use super::{MAX_WIDTH, Sort};

/// The sort of an operator's value, or the operand that does not fit.
///
/// Requires: as many operands as the operator takes.
pub(super) fn sort_of(op: &Op, args: &[Sort], declared: Sort) -> Result<Sort, Problem> {
    match op {
        Op::Input | Op::State => Ok(declared),
        Op::Const(_) | Op::Zero | Op::One | Op::Ones => match declared {
            Sort::BitVec(_) => Ok(declared),
            Sort::Array { .. } => {
                Err(Problem::DeclaredSort { declared, computed: "bit vector".to_owned() })
            }
        },
        Op::Unary(op) => {
            let width = bits(args, 1)?;
            Ok(match op {
                Unary::Not | Unary::Inc | Unary::Dec | Unary::Neg => Sort::BitVec(width),
                Unary::RedAnd | Unary::RedOr | Unary::RedXor => Sort::BOOL,
            })
        }
        Op::SignExtend(by) | Op::ZeroExtend(by) => widened(bits(args, 1)?, *by),
        Op::Slice { high, low } => {
            let width = bits(args, 1)?;
            if low > high || *high >= width {
                let (high, low) = (u64::from(*high), u64::from(*low));
                return Err(Problem::Slice { high, low, width });
            }
            Ok(Sort::BitVec(high - low + 1))
        }
        Op::Binary(op) => binary(*op, args),
        Op::Ite => {
            expect(args, 1, Sort::BOOL)?;
            expect(args, 3, args[1])?;
            Ok(args[1])
        }
        Op::Read => {
            let (index, element) = array(args)?;
            expect(args, 2, Sort::BitVec(index))?;
            Ok(Sort::BitVec(element))
        }
        Op::Write => {
            let (index, element) = array(args)?;
            expect(args, 2, Sort::BitVec(index))?;
            expect(args, 3, Sort::BitVec(element))?;
            Ok(args[0])
        }
    }
}

fn binary(op: Binary, args: &[Sort]) -> Result<Sort, Problem> {
    use Binary::*;
    match op {
        Iff | Implies => {
            expect(args, 1, Sort::BOOL)?;
            expect(args, 2, Sort::BOOL)?;
            Ok(Sort::BOOL)
        }
        Eq | Neq => {
            expect(args, 2, args[0])?;
            Ok(Sort::BOOL)
        }
        Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo | Uaddo | Sdivo | Smulo
        | Umulo | Ssubo | Usubo => {
            same_width(args)?;
            Ok(Sort::BOOL)
        }
        And | Nand | Nor | Or | Xnor | Xor | Rol | Ror | Sll | Sra | Srl | Add | Mul | Sdiv
        | Udiv | Smod | Srem | Urem | Sub => Ok(Sort::BitVec(same_width(args)?)),
        Concat => widened(bits(args, 1)?, bits(args, 2)?),
    }
}

/// The width of operand `number` (from 1), which must be a bit vector.
fn bits(args: &[Sort], number: usize) -> Result<u32, Problem> {
    let found = args[number - 1];
    let wrong = || Problem::OperandSort { number, expected: "a bit vector".to_owned(), found };
    found.width().ok_or_else(wrong)
}

fn same_width(args: &[Sort]) -> Result<u32, Problem> {
    let width = bits(args, 1)?;
    expect(args, 2, Sort::BitVec(width))?;
    Ok(width)
}

fn array(args: &[Sort]) -> Result<(u32, u32), Problem> {
    match args[0] {
        Sort::Array { index, element } => Ok((index, element)),
        found => Err(Problem::OperandSort { number: 1, expected: "an array".to_owned(), found }),
    }
}

fn expect(args: &[Sort], number: usize, expected: Sort) -> Result<(), Problem> {
    let found = args[number - 1];
    if found == expected {
        return Ok(());
    }
    Err(Problem::OperandSort { number, expected: expected.to_string(), found })
}

fn widened(width: u32, by: u32) -> Result<Sort, Problem> {
    let sum = u64::from(width) + u64::from(by);
    if sum > u64::from(MAX_WIDTH) {
        return Err(Problem::Width(sum));
    }
    Ok(Sort::BitVec(sum as u32))
}
