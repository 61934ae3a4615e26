//! Commands.

use super::budget::Budget;
use super::error::{Fault, ParseError, Places, Result, excerpt, fault};
use super::lexer::{Lexer, Token, is_reserved};
use super::logic::{Logic, Theory};
use super::macros::{Macro, Macros};
use super::scope::Scope;
use super::script::{Command, Declared, Located, Written};
use super::sorts::{SortName, Sorts};
use super::theory::{Arg, Operator, operators};
use crate::pool::{Func, Pool, Symbol, Term};
use crate::sort::Sort;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// How many assertion levels there may be at once.
const MAX_LEVELS: usize = 10_000;

/// What a name stands for in terms.
#[derive(Clone)]
pub(super) enum Binding {
    /// An operator without indices.
    Operator(Theory, &'static Operator),
    /// A constant, a bound variable, a `let` variable, a defined constant, a named term.
    Term(Term),
    /// A declared function.
    Function(Func),
    /// A defined function.
    Macro(Rc<Macro>),
}

/// Reads a script command by command.
///
/// An iterator: it ends after the last command, after `(exit)`, or after the first error.
pub struct Parser<'p, 't> {
    pub(super) pool: &'p Pool,
    pub(super) lexer: Lexer<'t>,
    pub(super) budget: Budget<'p>,
    pub(super) names: Scope<Binding>,
    pub(super) sorts: Sorts,
    pub(super) macros: Macros,
    /// Operators with indices.
    pub(super) indexed: FxHashMap<&'static str, &'static Operator>,
    pub(super) logic: Logic,
    /// The enclosing quantifiers and definitions with parameters.
    pub(super) binders: usize,
    /// The `:named` terms of the current command.
    pub(super) named: Vec<(Symbol, Term)>,
    /// The name of the term read last, if it was named as a whole.
    pub(super) outer_name: Option<Symbol>,
    ahead: Option<(Token<'t>, usize)>,
    places: Places<'t>,
    /// `:global-declarations`
    global: bool,
    /// Whether `declare-rel`, `declare-var`, `rule` and `query` are commands.
    rules: bool,
    ready: VecDeque<Located>,
    ended: bool,
}

impl<'p, 't> Parser<'p, 't> {
    /// A parser at the start of a script.
    pub fn new(pool: &'p Pool, text: &'t [u8]) -> Self {
        reserve_declared_names(pool, text);
        let (indexed, plain): (Vec<_>, Vec<_>) = operators().partition(|(_, o)| o.indices > 0);
        let operator = |(theory, operator): (Theory, &'static Operator)| {
            (pool.symbol(operator.name), Binding::Operator(theory, operator))
        };
        Parser {
            pool,
            lexer: Lexer::new(text),
            budget: Budget::new(pool, text),
            names: Scope::new(plain.into_iter().map(operator)),
            sorts: Sorts::new(pool),
            macros: Macros::default(),
            indexed: indexed.into_iter().map(|(_, o)| (o.name, o)).collect(),
            logic: Logic::ALL,
            binders: 0,
            named: Vec::new(),
            outer_name: None,
            ahead: None,
            places: Places::new(text),
            global: false,
            rules: false,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// The same parser, which also reads the commands by which Z3's fixed-point engines are given
    /// Horn clauses: `declare-rel`, `declare-var`, `rule` and `query`.
    pub fn with_rules(mut self) -> Self {
        self.rules = true;
        self
    }

    // ---- tokens

    /// The next token and its offset.
    pub(super) fn token(&mut self) -> Result<(Token<'t>, usize)> {
        match self.ahead.take() {
            Some(token) => Ok(token),
            None => self.lexer.token(),
        }
    }

    /// Puts a token back.
    pub(super) fn put_back(&mut self, token: Token<'t>, at: usize) {
        debug_assert!(self.ahead.is_none(), "one token of look-ahead");
        self.ahead = Some((token, at));
    }

    pub(super) fn expect_open(&mut self, what: &str) -> Result<usize> {
        match self.token()? {
            (Token::Open, at) => Ok(at),
            (token, at) => fault(
                at,
                format!("expected `(` before {what}, found {}", token.describe()),
                "check the parentheses",
            ),
        }
    }

    pub(super) fn expect_close(&mut self, what: &str) -> Result<()> {
        match self.token()? {
            (Token::Close, _) => Ok(()),
            (token, at) => fault(
                at,
                format!("expected `)` after {what}, found {}", token.describe()),
                "check the parentheses",
            ),
        }
    }

    /// The symbol that a token is.
    pub(super) fn symbol_of(&self, token: &Token, at: usize) -> Result<Symbol> {
        match token {
            Token::Plain(name) if is_reserved(name) => fault(
                at,
                format!("`{name}` is a reserved word"),
                format!("choose another name, or write it as |{name}|"),
            ),
            Token::Plain(name) | Token::Quoted(name) => Ok(self.pool.symbol(name)),
            _ => fault(
                at,
                format!("expected a symbol, found {}", token.describe()),
                "write a name; unusual characters need bars: |x y|",
            ),
        }
    }

    fn keyword(&mut self) -> Result<&'t str> {
        match self.token()? {
            (Token::Keyword(name), _) => Ok(name),
            (token, at) => fault(
                at,
                format!("expected a keyword, found {}", token.describe()),
                "write a keyword such as `:status`",
            ),
        }
    }

    fn numeral(&mut self) -> Result<(u32, usize)> {
        match self.token()? {
            (Token::Numeral(digits), at) => match digits.parse() {
                Ok(n) => Ok((n, at)),
                Err(_) => {
                    fault(at, format!("{} is too large", excerpt(digits)), "write a smaller number")
                }
            },
            (token, at) => {
                fault(at, format!("expected a numeral, found {}", token.describe()), "write one")
            }
        }
    }

    /// Skips one s-expression, whatever it is.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut depth = 0usize;
        loop {
            match self.token()? {
                (Token::Open, _) => depth += 1,
                (Token::Close, at) if depth == 0 => {
                    return fault(at, "expected a value, found `)`", "check the parentheses");
                }
                (Token::Close, _) => depth -= 1,
                (Token::End, at) => return self.unclosed(at),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn unclosed<T>(&self, at: usize) -> Result<T> {
        fault(at, "the file ends inside a command", "close the open parentheses")
    }

    /// Skips to the `)` of the command.
    pub(super) fn skip_command(&mut self) -> Result<()> {
        loop {
            match self.token()? {
                (Token::Close, _) => return Ok(()),
                (token, at) => {
                    self.put_back(token, at);
                    self.skip()?;
                }
            }
        }
    }

    // ---- commands

    /// The next command; `None` at the end of the text.
    fn command(&mut self) -> Result<Option<(usize, Command)>> {
        let at = match self.token()? {
            (Token::End, _) => return Ok(None),
            (Token::Open, at) => at,
            (token, at) => {
                return fault(
                    at,
                    format!("expected a command, found {}", token.describe()),
                    "commands are written in parentheses: (check-sat)",
                );
            }
        };
        let (token, name_at) = self.token()?;
        let Token::Plain(name) = token else {
            return fault(
                name_at,
                format!("expected the name of a command, found {}", token.describe()),
                "commands are written (name …)",
            );
        };
        let command = self.named_command(name, name_at)?;
        Ok(Some((at, command)))
    }

    /// A command after its name, to and including its `)`.
    fn named_command(&mut self, name: &str, at: usize) -> Result<Command> {
        let command = match name {
            "set-logic" => self.set_logic()?,
            "set-info" => {
                let (keyword, value) = self.attribute()?;
                return Ok(Command::SetInfo { keyword, value });
            }
            "set-option" => return self.set_option(),
            "declare-sort" => self.declare_sort()?,
            "define-sort" => self.define_sort()?,
            "declare-const" => self.declare(false)?,
            "declare-fun" => self.declare(true)?,
            "define-const" => self.define(false)?,
            "define-fun" => self.define(true)?,
            "assert" => self.assert()?,
            "push" => self.push()?,
            "pop" => self.pop()?,
            "check-sat" => Command::CheckSat,
            "check-sat-assuming" => Command::CheckSatAssuming(self.written_terms(true)?),
            "get-value" => Command::GetValue(self.written_terms(false)?),
            "get-model" => Command::GetModel,
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-assertions" => Command::GetAssertions,
            "get-assignment" => Command::GetAssignment,
            "get-proof" => Command::GetProof,
            "get-info" => Command::GetInfo(self.keyword()?.into()),
            "get-option" => Command::GetOption(self.keyword()?.into()),
            "echo" => self.echo()?,
            "reset" => self.reset(),
            "reset-assertions" => self.reset_assertions(),
            "exit" => Command::Exit,
            "declare-rel" if self.rules => self.declare_relation()?,
            "declare-var" if self.rules => self.declare_variable()?,
            "rule" if self.rules => self.rule()?,
            "query" if self.rules => return self.query(),
            _ => return self.unknown_command(name, at),
        };
        self.expect_close(&format!("the arguments of `{name}`"))?;
        Ok(command)
    }

    /// Commands that may be skipped are; others change what later commands mean.
    fn unknown_command(&mut self, name: &str, at: usize) -> Result<Command> {
        let help = match name {
            "define-fun-rec" | "define-funs-rec" => {
                "recursive definitions are not supported; state the function by declare-fun and assert"
            }
            _ if name.starts_with("declare-datatype") || name.starts_with("declare-codatatype") => {
                "datatypes are not supported"
            }
            "rule" | "query" | "constraint" => {
                "write Horn clauses in the standard form: (assert (forall … (=> … …)))"
            }
            "assert-soft" => "",
            _ if ["declare-", "define-", "assert-"].iter().any(|p| name.starts_with(p)) => {
                "this command is unknown, and the script would mean something else without it"
            }
            _ => "",
        };
        if !help.is_empty() {
            return fault(at, format!("the command `{}`", excerpt(name)), help);
        }
        self.skip_command()?;
        Ok(Command::Unsupported { name: name.into() })
    }

    fn set_logic(&mut self) -> Result<Command> {
        let (token, at) = self.token()?;
        self.symbol_of(&token, at)?;
        let (Token::Plain(name) | Token::Quoted(name)) = token else {
            unreachable!("a symbol is plain or quoted");
        };
        self.logic = Logic::named(name);
        Ok(Command::SetLogic(name.into()))
    }

    /// A keyword and the text up to the `)` of the command.
    fn attribute(&mut self) -> Result<(String, String)> {
        let keyword = self.keyword()?;
        let from = self.lexer.offset();
        self.skip_command()?;
        let value = self.lexer.slice(from, self.lexer.offset() - 1);
        Ok((keyword.into(), value.trim().into()))
    }

    fn set_option(&mut self) -> Result<Command> {
        let (keyword, value) = self.attribute()?;
        if keyword == ":global-declarations" {
            self.global = value == "true";
        }
        Ok(Command::SetOption { keyword, value })
    }

    fn declare_sort(&mut self) -> Result<Command> {
        let name = self.new_sort_name()?;
        let arity = match self.token()? {
            // Solvers take a missing arity for 0.
            (Token::Close, at) => {
                self.put_back(Token::Close, at);
                0
            }
            (token, at) => {
                self.put_back(token, at);
                self.numeral()?.0
            }
        };
        let meaning = match arity {
            0 => SortName::Plain(Sort::Uninterpreted(name)),
            _ => SortName::Family(arity),
        };
        self.sorts.names.declare(name, meaning, self.global);
        Ok(Command::DeclareSort { name, arity })
    }

    fn define_sort(&mut self) -> Result<Command> {
        let name = self.new_sort_name()?;
        let meaning = self.sort_definition()?;
        self.sorts.names.declare(name, meaning, self.global);
        Ok(Command::DefineSort { name })
    }

    fn new_sort_name(&mut self) -> Result<Symbol> {
        let (token, at) = self.token()?;
        let name = self.symbol_of(&token, at)?;
        let text = self.pool.name(name);
        if self.sorts.names.get(name).is_some() || self.sorts.is_member(name) {
            let message = format!("the sort name `{}` is taken", excerpt(text));
            return fault(at, message, "choose another name");
        }
        Ok(name)
    }

    /// A name for a declaration or definition.
    pub(super) fn new_name(&mut self) -> Result<Symbol> {
        let (token, at) = self.token()?;
        let name = self.symbol_of(&token, at)?;
        let shown = excerpt(self.pool.name(name));
        match self.names.get(name) {
            None => Ok(name),
            Some(Binding::Operator(theory, _)) if !self.logic.has(*theory) => Ok(name),
            Some(Binding::Operator(..)) => fault(
                at,
                format!("`{shown}` is an operator of a theory"),
                "choose another name, or a logic without that theory",
            ),
            Some(_) => fault(
                at,
                format!("`{shown}` is declared already"),
                "choose another name; a name is free again after the pop of its level",
            ),
        }
    }

    /// Makes a `:named` name known.
    pub(super) fn declare_named(&mut self, name: Symbol, binding: Binding) {
        self.names.declare(name, binding, self.global);
    }

    /// `(sort …)`
    pub(super) fn sorts_in_parentheses(&mut self) -> Result<Vec<Sort>> {
        let mut params = Vec::new();
        self.expect_open("the sorts of the parameters")?;
        loop {
            match self.token()? {
                (Token::Close, _) => return Ok(params),
                (token, at) => self.put_back(token, at),
            }
            params.push(self.sort()?);
        }
    }

    /// `declare-const` and, with parameters, `declare-fun`.
    fn declare(&mut self, with_params: bool) -> Result<Command> {
        let name = self.new_name()?;
        let params = if with_params { self.sorts_in_parentheses()? } else { Vec::new() };
        let result = self.sort()?;
        Ok(self.declared(name, &params, result))
    }

    /// A new constant or function.
    pub(super) fn declared(&mut self, name: Symbol, params: &[Sort], result: Sort) -> Command {
        let text = self.pool.name(name);
        let declared = if params.is_empty() {
            Declared::Constant(self.pool.var(text, result))
        } else {
            Declared::Function(self.pool.function(text, params, result))
        };
        let binding = match declared {
            Declared::Constant(term) => Binding::Term(term),
            Declared::Function(func) => Binding::Function(func),
        };
        self.names.declare(name, binding, self.global);
        Command::Declare { name, declared }
    }

    /// `define-const` and, with parameters, `define-fun`.
    fn define(&mut self, with_params: bool) -> Result<Command> {
        let name = self.new_name()?;
        let mark = self.names.mark();
        let params = if with_params { self.sorted_vars("parameters")? } else { Vec::new() };
        let result = self.sort()?;
        if !params.is_empty() {
            self.macros.begin(&params);
            self.binders += 1;
        }
        let body = self.term()?;
        let body = self.converted(body, result, "the body of the definition")?;
        self.names.leave(mark);
        let binding = if params.is_empty() {
            Binding::Term(body)
        } else {
            self.binders -= 1;
            Binding::Macro(Rc::new(self.macros.end(name, params.clone(), result, body)))
        };
        self.names.declare(name, binding, self.global);
        Ok(Command::Define { name, params, result, body })
    }

    fn assert(&mut self) -> Result<Command> {
        let arg = self.term()?;
        let name = self.outer_name;
        self.expect_bool(arg, "an assertion")?;
        Ok(Command::Assert { term: arg.term, name })
    }

    pub(super) fn expect_bool(&self, arg: Arg, what: &str) -> Result<()> {
        match self.pool.sort(arg.term) {
            Sort::Bool => Ok(()),
            sort => {
                let found = crate::print::sort_to_string(self.pool, sort);
                let message = format!("{what} must be Bool, but is {found}");
                fault(arg.at, message, "compare it with a value, for example (= x 0)")
            }
        }
    }

    /// The number after `push` or `pop`, 1 if there is none.
    fn level_count(&mut self) -> Result<(usize, usize)> {
        let (token, at) = self.token()?;
        self.put_back(token.clone(), at);
        if token == Token::Close {
            return Ok((1, at));
        }
        let (n, at) = self.numeral()?;
        Ok((n as usize, at))
    }

    fn push(&mut self) -> Result<Command> {
        let (n, at) = self.level_count()?;
        if n > MAX_LEVELS - self.names.levels() {
            let message = format!("more than {MAX_LEVELS} assertion levels");
            return fault(at, message, "push fewer levels");
        }
        self.names.push(n);
        self.sorts.names.push(n);
        Ok(Command::Push(n as u32))
    }

    fn pop(&mut self) -> Result<Command> {
        let (n, at) = self.level_count()?;
        let levels = self.names.levels();
        if n > levels {
            let message = format!("pop of {n} level(s) where there are {levels}");
            return fault(at, message, "pop only what was pushed");
        }
        self.names.pop(n);
        self.sorts.names.pop(n);
        Ok(Command::Pop(n as u32))
    }

    /// `(term …)` with the text of each; all Bool, if they are to be assumed.
    fn written_terms(&mut self, assumed: bool) -> Result<Vec<Written>> {
        self.expect_open("a list of terms")?;
        let mut terms = Vec::new();
        loop {
            let (token, from) = self.token()?;
            if token == Token::Close {
                return Ok(terms);
            }
            self.put_back(token, from);
            let arg = self.term()?;
            if assumed {
                self.expect_bool(arg, "an assumption")?;
            }
            terms.push(Written {
                term: arg.term,
                text: self.lexer.slice(from, self.lexer.offset()),
            });
        }
    }

    fn echo(&mut self) -> Result<Command> {
        match self.token()? {
            (Token::Text(text), _) => Ok(Command::Echo(text.into_owned())),
            (token, at) => fault(
                at,
                format!("expected a string, found {}", token.describe()),
                "write a string in quotes",
            ),
        }
    }

    fn reset(&mut self) -> Command {
        let pool = self.pool;
        let plain = operators().filter(|(_, o)| o.indices == 0);
        self.names = Scope::new(plain.map(|(t, o)| (pool.symbol(o.name), Binding::Operator(t, o))));
        self.sorts = Sorts::new(pool);
        self.logic = Logic::ALL;
        self.global = false;
        Command::Reset
    }

    fn reset_assertions(&mut self) -> Command {
        self.names.reset();
        self.sorts.names.reset();
        Command::ResetAssertions
    }

    /// A fault with its place counted.
    pub(super) fn error(&mut self, fault: Fault) -> ParseError {
        let place = self.places.of(fault.at);
        ParseError { place, message: fault.message, help: fault.help }
    }
}

impl Iterator for Parser<'_, '_> {
    type Item = std::result::Result<Located, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(located) = self.ready.pop_front() {
            return Some(Ok(located));
        }
        if self.ended {
            return None;
        }
        match self.command() {
            Ok(Some((at, command))) => {
                self.ended = command == Command::Exit;
                let place = self.places.of(at);
                let named = self.named.drain(..).map(|(name, term)| Command::Named { name, term });
                let located = |command| Located { place, command };
                self.ready.extend(named.chain([command]).map(located));
                self.ready.pop_front().map(Ok)
            }
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(fault) => {
                self.ended = true;
                Some(Err(self.error(*fault)))
            }
        }
    }
}

/// Makes the names of all constants and functions of a script known to the pool, so that no
/// variable is bound under one of them: what is bound and what is free never share a name.
fn reserve_declared_names(pool: &Pool, text: &[u8]) {
    let mut lexer = Lexer::new(text);
    let mut after_open = false;
    while let Ok((token, _)) = lexer.token() {
        let declares = match token {
            Token::End => return,
            Token::Plain(word) => {
                after_open && (word.starts_with("declare-") || word.starts_with("define-"))
            }
            _ => false,
        };
        after_open = token == Token::Open;
        if declares && let Ok((Token::Plain(name) | Token::Quoted(name), _)) = lexer.clone().token()
        {
            pool.symbol(name);
        }
    }
}
