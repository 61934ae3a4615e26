//! Statements and labels.

use super::parser::Parser;
use super::syntax::*;
use crate::lexer::Kind;
use crate::words;
use program::program::{Cause, Extent, Storage};
use source::Span;
use source::diagnostic::{Diagnostic, Result};
use value::Curve;

/// The name of an input where none is given.
pub(crate) const ANY: &str = "any";

impl Parser<'_> {
    /// A label or a statement.
    pub(super) fn item(&mut self) -> Result<Item> {
        let named = match self.peek() {
            Kind::Word(word) => *word == "exit" || !words::is_reserved(word),
            Kind::Quoted(_) => true,
            _ => false,
        };
        if named && *self.peek_second() == Kind::Symbol(":") {
            return self.label().map(Item::Label);
        }
        self.statement().map(Item::Statement)
    }

    fn label(&mut self) -> Result<Label> {
        let name = self.location()?;
        self.expect(":")?;
        let is_loop = self.accept_word("loop");
        let label = self.accept_word("label");
        let label = if label { Some(self.free_name("a label of the source")?) } else { None };
        let place = self.place(name.span)?;
        Ok(Label { name, is_loop, label, place })
    }

    /// The name of a location.
    fn location(&mut self) -> Result<Name> {
        let span = self.span();
        if self.accept_word("exit") {
            return Ok(Name { text: "exit".into(), absolute: true, span });
        }
        let mut name = self.name("the name of a location")?;
        name.absolute = false;
        Ok(name)
    }

    fn target(&mut self) -> Result<Target> {
        let span = self.span();
        if self.accept_word("stop") {
            return Ok(Target::Stop(self.usual_place(span)));
        }
        self.location().map(Target::Label)
    }

    fn statement(&mut self) -> Result<Statement> {
        let start = self.span();
        let (action, target) = if self.accept_word("goto") {
            (Action::Skip, self.target()?)
        } else {
            let action = self.action()?;
            let arrow = self.accept("->");
            (action, if arrow { self.target()? } else { Target::Next })
        };
        let span = self.since(start);
        let place = self.place(start)?.place;
        Ok(Statement { action, target, place, span })
    }

    fn action(&mut self) -> Result<Action> {
        let Kind::Word(word) = *self.peek() else { return self.change() };
        if !words::is_reserved(word) {
            return self.change();
        }
        let span = self.next().span;
        Ok(match word {
            "skip" => Action::Skip,
            "assume" => Action::Assume(self.expression()?),
            "check" => self.check()?,
            "store" => {
                let sort = if self.is_word("at") { None } else { Some(self.sort()?) };
                self.expect_word("at")?;
                let address = self.expression()?;
                self.expect(":=")?;
                Action::Store { sort, address, value: self.expression()? }
            }
            "free" => {
                let address = self.expression()?;
                Action::Free { address, storage: self.storage()? }
            }
            "copy" => {
                let length = self.length()?;
                self.expect_word("from")?;
                let from = self.expression()?;
                self.expect_word("to")?;
                Action::Copy { length, from, to: self.expression()? }
            }
            "fill" => {
                let length = self.length()?;
                self.expect_word("at")?;
                let to = self.expression()?;
                self.expect_word("with")?;
                Action::Fill { length, to, byte: self.expression()? }
            }
            "havoc" => {
                let length = self.length()?;
                self.expect_word("at")?;
                let address = self.expression()?;
                Action::HavocBytes { length, address, cause: self.cause()? }
            }
            "call" => self.call(Vec::new())?,
            _ => return Err(no_statement(span, word)),
        })
    }

    fn check(&mut self) -> Result<Action> {
        let start = self.span();
        let mut name = self.free_name("the name of a property")?.to_string();
        while self.accept("-") {
            name = format!("{name}-{}", self.free_name("the name of a property")?);
        }
        let property = words::property(&name).ok_or_else(|| {
            Diagnostic::error(self.since(start), format!("there is no property '{name}'"))
                .help(format!("there are {}", words::property_names()))
        })?;
        self.expect(":")?;
        Ok(Action::Check(property, self.expression()?))
    }

    /// `n bytes`
    fn length(&mut self) -> Result<ExpressionId> {
        let length = self.expression()?;
        self.expect_word("bytes")?;
        Ok(length)
    }

    /// `on heap`
    fn storage(&mut self) -> Result<Storage> {
        self.expect_word("on")?;
        let found = Storage::ALL.into_iter().find(|storage| self.is_word(storage.word()));
        let Some(storage) = found else { return self.wrong("'heap' or 'stack'") };
        self.next();
        Ok(storage)
    }

    fn cause(&mut self) -> Result<Cause> {
        let Kind::Word(word) = *self.peek() else { return Ok(Cause::Input(ANY.into())) };
        match word {
            "input" | "unknown" | "approximated" => {}
            "uninitialized" => {
                self.next();
                return Ok(Cause::Uninitialized);
            }
            "assembly" => {
                self.next();
                return Ok(Cause::Assembly);
            }
            _ => return Ok(Cause::Input(ANY.into())),
        }
        self.next();
        let name = self.free_name("the name of a function")?;
        Ok(match word {
            "input" => Cause::Input(name),
            "unknown" => Cause::Unknown(name),
            _ => Cause::Approximated(name),
        })
    }

    /// `register := any computed cosf(x) within 4`
    fn computed(&mut self, into: Name) -> Result<Action> {
        let span = self.span();
        let name = self.free_name("the name of a function of 'math.h'")?;
        let Some(curve) = Curve::called(&name) else {
            return Err(Diagnostic::error(span, format!("no results of '{name}' are computed")));
        };
        let arguments = self.arguments()?;
        if arguments.len() != curve.arity() {
            let message = format!("'{name}' takes {}, not {}", curve.arity(), arguments.len());
            return Err(Diagnostic::error(span, message));
        }
        self.expect_word("within")?;
        let error = self.number("an error in units in the last place")?;
        Ok(Action::Compute { into, curve, name, arguments, error })
    }

    /// `register := …`
    fn change(&mut self) -> Result<Action> {
        let start = self.span();
        let mut registers = Vec::new();
        if !matches!(self.peek(), Kind::Word(_) | Kind::Quoted(_) | Kind::Symbol("::")) {
            let found = self.peek().describe();
            return Err(no_statement(start, found.trim_matches('\'')));
        }
        while {
            registers.push(self.name("the name of a register")?);
            self.accept(",")
        } {}
        self.expect(":=")?;
        if self.accept_word("call") {
            return self.call(registers);
        }
        let [into] = &registers[..] else { return self.wrong("'call' after several registers") };
        let into = into.clone();
        Ok(if self.accept_word("any") {
            match self.accept_word("computed") {
                true => self.computed(into)?,
                false => Action::Havoc(into, self.cause()?),
            }
        } else if self.accept_word("load") {
            let span = self.span();
            let sort = if self.is_word("at") { None } else { Some((self.sort()?, span)) };
            self.expect_word("at")?;
            Action::Load { into, sort, address: self.expression()? }
        } else if self.accept_word("measure") {
            let extent = self.extent()?;
            self.expect_word("at")?;
            Action::Measure { into, extent, address: self.expression()? }
        } else if self.accept_word("written") {
            let size = self.number("a number of bytes")?;
            self.expect_word("bytes")?;
            self.expect_word("at")?;
            Action::Written { into, size, address: self.expression()? }
        } else if self.accept_word("allocate") {
            let size = self.length()?;
            let storage = self.storage()?;
            let written = self.accept_word("written");
            let clauses = self.clauses(&["align", "scalars", "named"])?;
            Action::Allocate { into, size, storage, written, clauses }
        } else {
            Action::Assign(into, self.expression()?)
        })
    }

    /// Which bytes are counted.
    fn extent(&mut self) -> Result<Extent> {
        let start = self.span();
        let name = self.free_name("which bytes are counted")?.to_string();
        let found = Extent::ALL.into_iter().find(|extent| extent.name() == name);
        found.ok_or_else(|| {
            let names = Extent::ALL.map(Extent::name).join("', '");
            let message = format!("'{name}' is none of '{names}'");
            Diagnostic::error(self.since(start), message)
        })
    }

    fn call(&mut self, results: Vec<Name>) -> Result<Action> {
        let callee = if self.accept("*") {
            self.expect("(")?;
            let address = self.expression()?;
            self.expect(")")?;
            Callee::Pointer(address)
        } else {
            Callee::Function(self.name("the name of a function")?)
        };
        let arguments = self.arguments()?;
        Ok(Action::Call { callee, arguments, results })
    }
}

fn no_statement(span: Span, found: &str) -> Box<Diagnostic> {
    let error =
        Diagnostic::error(span, format!("expected a statement or a label, found '{found}'"));
    if found == ";" {
        return error.help("statements need nothing between them");
    }
    error.help(
        "a statement is 'x := …', 'skip', 'goto', 'assume', 'check', 'store', 'free', 'copy', \
         'fill', 'havoc' or 'call'",
    )
}
