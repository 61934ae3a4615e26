//! The commands by which Z3's fixed-point engines are given Horn clauses.
//!
//! `declare-rel` declares a relation, `declare-var` a variable over which every rule is quantified,
//! `rule` states a clause, and `query` asks whether a relation, or an instance of a formula, can be
//! derived. Only a parser that was asked for them knows them ([`Parser::with_rules`]).

use super::error::Result;
use super::lexer::Token;
use super::parser::{Binding, Parser};
use super::script::{Command, Declared};
use crate::sort::Sort;

impl Parser<'_, '_> {
    /// `(declare-rel name (sort …))`: a function with a Bool result.
    pub(super) fn declare_relation(&mut self) -> Result<Command> {
        let name = self.new_name()?;
        let params = self.sorts_in_parentheses()?;
        Ok(self.declared(name, &params, Sort::Bool))
    }

    /// `(declare-var name sort)`: a variable over which every rule is quantified.
    pub(super) fn declare_variable(&mut self) -> Result<Command> {
        let name = self.new_name()?;
        let sort = self.sort()?;
        let Command::Declare { declared: Declared::Constant(term), .. } =
            self.declared(name, &[], sort)
        else {
            unreachable!("without parameters it is a constant");
        };
        Ok(Command::Variable(term))
    }

    /// `(rule formula)`, perhaps with a name, which says nothing.
    pub(super) fn rule(&mut self) -> Result<Command> {
        let arg = self.term()?;
        self.expect_bool(arg, "a rule")?;
        match self.token()? {
            (Token::Plain(_) | Token::Quoted(_), _) => {}
            (token, at) => self.put_back(token, at),
        }
        Ok(Command::Rule(arg.term))
    }

    /// `(query formula)` or `(query relation)`, perhaps with attributes, to and including its `)`.
    pub(super) fn query(&mut self) -> Result<Command> {
        let (token, at) = self.token()?;
        let relation = match &token {
            Token::Plain(name) | Token::Quoted(name) => {
                match self.names.get(self.pool.symbol(name)) {
                    Some(Binding::Function(func)) => Some(*func),
                    _ => None,
                }
            }
            _ => None,
        };
        let term = match relation {
            Some(func) => {
                let params = self.pool.declaration(func).params.clone();
                let any = params.iter().map(|sort| self.pool.fresh_var("any", *sort));
                self.pool.apply(func, &any.collect::<Vec<_>>())
            }
            None => {
                self.put_back(token, at);
                let arg = self.term()?;
                self.expect_bool(arg, "a query")?;
                arg.term
            }
        };
        self.skip_command()?;
        Ok(Command::Query(term))
    }
}
