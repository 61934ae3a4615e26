//! Values out of Z3's models.

use super::{made, translate};
use crate::solver::Error;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::Arc;
use term::{ArrayValue, Pool, Sort, Value};
use value::{Bits, Float, Rounding};
use z3_sys::*;

/// The value of an expression of the given sort in a model.
pub fn value(
    context: Z3_context,
    model: Z3_model,
    pool: &Pool,
    sort: Sort,
    ast: Z3_ast,
) -> Result<Value, Error> {
    let reader = Reader { context, model, pool };
    reader.read(sort, ast).ok_or_else(|| Error::External {
        solver: "z3".into(),
        message: format!(
            "its model has no plain value of sort {}",
            term::print::sort_to_string(pool, sort)
        ),
    })
}

struct Reader<'a> {
    context: Z3_context,
    model: Z3_model,
    pool: &'a Pool,
}

impl Reader<'_> {
    fn evaluate(&self, ast: Z3_ast) -> Option<Z3_ast> {
        let mut result = ast;
        // SAFETY: model and expression are of this context; `result` is written on success.
        let done = unsafe { Z3_model_eval(self.context, self.model, ast, true, &mut result) };
        done.then_some(result)
    }

    /// The digits of a numeral expression.
    fn digits(&self, ast: Z3_ast) -> Option<String> {
        // SAFETY: the kind is checked before the numeral is read, and the string copied at once.
        unsafe {
            if Z3_get_ast_kind(self.context, ast) != AstKind::Numeral {
                return None;
            }
            let text = Z3_get_numeral_string(self.context, ast);
            Some(CStr::from_ptr(text).to_str().ok()?.to_owned())
        }
    }

    fn read(&self, sort: Sort, ast: Z3_ast) -> Option<Value> {
        let context = self.context;
        match sort {
            Sort::Bool => {
                // SAFETY: a Bool expression of this context.
                match unsafe { Z3_get_bool_value(context, self.evaluate(ast)?) } {
                    Z3_L_TRUE => Some(Value::Bool(true)),
                    Z3_L_FALSE => Some(Value::Bool(false)),
                    _ => None,
                }
            }
            Sort::BitVec(width) => {
                let n: BigUint = self.digits(self.evaluate(ast)?)?.parse().ok()?;
                Some(Value::Bits(Bits::from_biguint(width, n)))
            }
            Sort::Float(format) => {
                // SAFETY: a float expression of this context.
                let (nan, interchange) = unsafe {
                    (made(Z3_mk_fpa_is_nan(context, ast)), made(Z3_mk_fpa_to_ieee_bv(context, ast)))
                };
                if self.read(Sort::Bool, nan)? == Value::Bool(true) {
                    return Some(Value::Float(Float::nan(format)));
                }
                match self.read(Sort::BitVec(format.width()), interchange)? {
                    Value::Bits(bits) => Some(Value::Float(Float::from_bits(format, &bits))),
                    _ => None,
                }
            }
            Sort::RoundingMode => self.read_rounding(ast),
            Sort::Int => {
                let n: BigInt = self.digits(self.evaluate(ast)?)?.parse().ok()?;
                Some(Value::Int(n))
            }
            Sort::Real => {
                let digits = self.digits(self.evaluate(ast)?)?;
                let (numerator, denominator) = digits.split_once('/').unwrap_or((&digits, "1"));
                let numerator: BigInt = numerator.parse().ok()?;
                Some(Value::Real(BigRational::new(numerator, denominator.parse().ok()?)))
            }
            Sort::Array(_) => self.read_array(sort, self.evaluate(ast)?),
            Sort::Uninterpreted(_) => None,
        }
    }

    fn read_rounding(&self, ast: Z3_ast) -> Option<Value> {
        let found = Rounding::ALL.into_iter().find(|mode| {
            let constant = self.pool.constant(Value::Rounding(*mode));
            let mut translator = translate::Translator::default();
            let Ok(mode) = translator.term(self.context, self.pool, constant) else { return false };
            // SAFETY: both are rounding modes of this context.
            let same = unsafe { made(Z3_mk_eq(self.context, ast, mode)) };
            self.read(Sort::Bool, same) == Some(Value::Bool(true))
        });
        found.map(Value::Rounding)
    }

    /// Stores on a constant array, which is how Z3 writes most arrays.
    fn read_array(&self, sort: Sort, ast: Z3_ast) -> Option<Value> {
        let (index_sort, element_sort) = self.pool.array_parts(sort)?;
        let mut entries = BTreeMap::new();
        let mut at = ast;
        loop {
            // SAFETY: `at` is an array expression of this context; applications only are opened.
            let (kind, args) = unsafe {
                if Z3_get_ast_kind(self.context, at) != AstKind::App {
                    return None;
                }
                let app = Z3_to_app(self.context, at)?;
                let declaration = Z3_get_app_decl(self.context, app)?;
                let count = Z3_get_app_num_args(self.context, app);
                let args = (0..count).map(|i| Z3_get_app_arg(self.context, app, i));
                (Z3_get_decl_kind(self.context, declaration), args.collect::<Option<Vec<_>>>()?)
            };
            match (kind, &args[..]) {
                (DeclKind::Store, [below, index, element]) => {
                    let index = self.read(index_sort, *index)?;
                    let element = self.read(element_sort, *element)?;
                    entries.entry(index).or_insert(element);
                    at = *below;
                }
                (DeclKind::ConstArray, [default]) => {
                    let default = self.read(element_sort, *default)?;
                    return Some(Value::Array(Arc::new(ArrayValue::new(sort, default, entries))));
                }
                _ => return None,
            }
        }
    }
}
