//! Answers of solvers to `get-value`.

use super::error::{ParseError, Result, fault};
use super::lexer::Token;
use super::parser::{Binding, Parser};
use super::script::Declared;
use crate::pool::{Pool, Term};

/// The pairs of an answer `((term value) …)` to `get-value`.
///
/// `symbols` are the names the answer may use; [`Printer::declared`] has those of a printed
/// script. A value is a constant of the pool, or a term of constants (an array is stores on a
/// constant array).
///
/// [`Printer::declared`]: crate::print::Printer::declared
pub fn parse_values<'n>(
    pool: &Pool,
    text: &[u8],
    symbols: impl IntoIterator<Item = (&'n str, Declared)>,
) -> std::result::Result<Vec<(Term, Term)>, ParseError> {
    let mut parser = Parser::new(pool, text);
    for (name, declared) in symbols {
        let binding = match declared {
            Declared::Constant(term) => Binding::Term(term),
            Declared::Function(func) => Binding::Function(func),
        };
        parser.names.declare(pool.symbol(name), binding, true);
    }
    parser.pairs().map_err(|fault| parser.error(*fault))
}

impl Parser<'_, '_> {
    fn pairs(&mut self) -> Result<Vec<(Term, Term)>> {
        self.expect_open("the values")?;
        let mut pairs = Vec::new();
        loop {
            match self.token()? {
                (Token::Close, _) => break,
                (Token::Open, _) => {}
                (token, at) => {
                    return fault(
                        at,
                        format!("expected `(term value)`, found {}", token.describe()),
                        "an answer to get-value is written ((term value) …)",
                    );
                }
            }
            let (term, value) = (self.term()?, self.term()?);
            let value = self.converted(value, self.pool.sort(term.term), "the value")?;
            self.expect_close("the value")?;
            pairs.push((term.term, value));
        }
        match self.token()? {
            (Token::End, _) => Ok(pairs),
            (token, at) => fault(
                at,
                format!("expected the end of the answer, found {}", token.describe()),
                "an answer to get-value is one list",
            ),
        }
    }
}
