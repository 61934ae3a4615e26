//! Sections of variables [IEC 61131-3 §6.5], and fields of structures.

use super::parser::Parser;
use crate::ast::{
    Accessibility, Direct, Edge, ExprKind, Retention, VariableKind, VariableSection, Variables,
};
use crate::lex::token::{Keyword, Punct, TokenKind};
use source::Span;
use source::diagnostic::Result;

/// The section that a keyword begins.
pub(crate) fn section_kind(keyword: Keyword) -> Option<VariableKind> {
    Some(match keyword {
        Keyword::Var => VariableKind::Local,
        Keyword::VarInput => VariableKind::Input,
        Keyword::VarOutput => VariableKind::Output,
        Keyword::VarInOut => VariableKind::InOut,
        Keyword::VarTemp => VariableKind::Temp,
        Keyword::VarStat => VariableKind::Stat,
        Keyword::VarInst => VariableKind::Inst,
        Keyword::VarGlobal => VariableKind::Global,
        Keyword::VarExternal => VariableKind::External,
        Keyword::VarConfig => VariableKind::Config,
        Keyword::VarAccess => VariableKind::Access,
        _ => return None,
    })
}

/// Who may use something, as a keyword says it.
pub(crate) fn accessibility(keyword: Keyword) -> Option<Accessibility> {
    Some(match keyword {
        Keyword::Public => Accessibility::Public,
        Keyword::Protected => Accessibility::Protected,
        Keyword::Private => Accessibility::Private,
        Keyword::Internal => Accessibility::Internal,
        _ => return None,
    })
}

impl Parser<'_> {
    /// `VAR … END_VAR`, if a section begins here.
    pub(crate) fn section(&mut self) -> Option<VariableSection> {
        let start = self.span();
        let kind = self.keyword().and_then(section_kind)?;
        self.advance();
        let mut section = VariableSection {
            kind,
            constant: false,
            retention: Retention::Unsaid,
            access: None,
            pragmas: Vec::new(),
            variables: Vec::new(),
            span: start,
        };
        self.qualifiers(&mut section);
        section.variables = self.variables_until(Keyword::EndVar, start, kind);
        self.eat(Punct::Semi);
        section.span = self.since(start);
        Some(section)
    }

    fn qualifiers(&mut self, section: &mut VariableSection) {
        loop {
            if let TokenKind::Pragma(index) = self.peek() {
                // One that begins a line is about the first variable.
                if self.token().first && !self.lexed.text(index).eq_ignore_ascii_case("ref") {
                    return;
                }
                section.pragmas.extend(self.pragma());
                continue;
            }
            let Some(keyword) = self.keyword() else { return };
            if self.punct_ahead(1, Punct::Colon) || self.punct_ahead(1, Punct::Comma) {
                return;
            }
            match (keyword, section.retention) {
                (Keyword::Constant, _) => section.constant = true,
                (Keyword::Retain, Retention::Persistent)
                | (Keyword::Persistent, Retention::Retain) => {
                    section.retention = Retention::RetainPersistent;
                }
                (Keyword::Retain, _) => section.retention = Retention::Retain,
                (Keyword::NonRetain, _) => section.retention = Retention::NonRetain,
                (Keyword::Persistent, _) => section.retention = Retention::Persistent,
                _ => match accessibility(keyword) {
                    Some(access) => section.access = Some(access),
                    None => return,
                },
            }
            self.advance();
        }
    }

    /// The fields of a structure, and its last word.
    pub(crate) fn fields_until(&mut self, end: Keyword, start: Span) -> Result<Vec<Variables>> {
        self.enter()?;
        let fields = self.variables_until(end, start, VariableKind::Local);
        self.leave();
        Ok(fields)
    }

    /// Declarations, and the word that ends them. Errors are reported, and reading goes on with the
    /// next declaration.
    fn variables_until(&mut self, end: Keyword, start: Span, kind: VariableKind) -> Vec<Variables> {
        let mut all = Vec::new();
        loop {
            while self.eat(Punct::Semi) {}
            if self.at_keyword(end) || self.declarations_end() || self.enough() {
                break;
            }
            let before = self.at;
            match self.variables(kind, end) {
                Ok(variables) => all.extend(variables),
                Err(error) => {
                    self.report(error);
                    self.skip_declaration(end);
                    if self.at == before {
                        self.advance();
                    }
                }
            }
        }
        self.close(end, start);
        all
    }

    fn declarations_end(&self) -> bool {
        match self.keyword() {
            Some(keyword) => {
                keyword.reserved()
                    && (keyword.spelling().starts_with("end_")
                        || section_kind(keyword).is_some()
                        || matches!(
                            keyword,
                            Keyword::Program | Keyword::Function | Keyword::FunctionBlock
                        ))
            }
            None => self.at_end(),
        }
    }

    fn skip_declaration(&mut self, end: Keyword) {
        while !self.at_keyword(end) && !self.declarations_end() {
            if self.eat(Punct::Semi) {
                return;
            }
            self.advance();
        }
    }

    /// One declaration; none if nothing but pragmas is left.
    fn variables(&mut self, kind: VariableKind, end: Keyword) -> Result<Option<Variables>> {
        let pragmas = self.pragmas();
        if self.at_keyword(end) {
            return Ok(None);
        }
        let start = self.span();
        let mut out = Variables {
            path: Vec::new(),
            names: Vec::new(),
            location: None,
            overlays: None,
            ty: None,
            edge: None,
            initial: None,
            access: None,
            pragmas,
            span: start,
        };
        self.declared_names(kind, &mut out)?;
        if kind == VariableKind::Access {
            self.expect(Punct::Colon)?;
            let place = self.postfix()?;
            out.access = Some((place, false));
        }
        let typed = self.eat(Punct::Colon);
        if typed {
            let (ty, value) = self.type_and_value()?;
            out.ty = Some(ty);
            out.initial = value;
        } else if !matches!(kind, VariableKind::Config | VariableKind::Access) {
            return Err(self.expected("':' and a type"));
        }
        self.edge(&mut out);
        let bound = matches!(self.peek(), TokenKind::Word(index, _) if self.lexed.key(index) == "ref")
            && self.punct_ahead(1, Punct::Eq);
        if bound {
            self.advance();
        }
        if bound || self.at_punct(Punct::Assign) {
            self.advance();
            out.initial = Some(self.initial()?);
        }
        if let (Some((_, writable)), Some(keyword)) = (&mut out.access, self.keyword()) {
            *writable = keyword == Keyword::ReadWrite;
            if *writable || keyword == Keyword::ReadOnly {
                self.advance();
            }
        }
        out.pragmas.extend(self.pragmas());
        out.span = self.since(start);
        self.declaration_semicolon(end)?;
        Ok(Some(out))
    }

    fn edge(&mut self, out: &mut Variables) {
        let edge = match self.keyword() {
            Some(Keyword::RisingEdge) => Edge::Rising,
            Some(Keyword::FallingEdge) => Edge::Falling,
            _ => return,
        };
        self.advance();
        out.edge = Some(edge);
    }

    fn declaration_semicolon(&mut self, end: Keyword) -> Result<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        let after = Span::new(self.last.end, self.last.end);
        // Of a structure within a structure, the last word is end enough.
        let structure = self.lexed.tokens[self.at.saturating_sub(1)].kind;
        let ended =
            matches!(structure, TokenKind::Word(_, Some(Keyword::EndStruct | Keyword::EndUnion)));
        if ended || self.at_keyword(end) {
            if !ended {
                self.warn(after, "';' is missing here", "write ';' after each declaration");
            }
            return Ok(());
        }
        let error = format!("expected ';', found {}", self.found());
        let error =
            source::Diagnostic::error(after, error).help("write ';' after each declaration");
        if self.token().first && self.name_ahead(0) {
            self.report(error);
            return Ok(());
        }
        Err(error)
    }

    /// `a, b AT %IX0.0`, `AT %IX0.0`, `instance.block.a AT %IX0.0`
    fn declared_names(&mut self, kind: VariableKind, out: &mut Variables) -> Result<()> {
        let placed =
            self.at_keyword(Keyword::At) && matches!(self.ahead(1).kind, TokenKind::Direct(_));
        if !placed {
            let mut first = self.name("the name of a variable")?;
            while kind == VariableKind::Config && self.eat(Punct::Dot) {
                out.path.push(first);
                first = self.any_name()?;
            }
            out.names.push(first);
            out.pragmas.extend(self.pragmas());
            self.location(out)?;
            while self.eat(Punct::Comma) {
                out.names.push(self.name("the name of a variable")?);
                out.pragmas.extend(self.pragmas());
                self.location(out)?;
            }
            return Ok(());
        }
        self.location(out)
    }

    fn location(&mut self, out: &mut Variables) -> Result<()> {
        if !self.at_keyword(Keyword::At) {
            return Ok(());
        }
        self.advance();
        if matches!(self.peek(), TokenKind::Direct(_)) {
            let place: Direct = self.direct()?;
            out.location = Some(place);
            return Ok(());
        }
        let other = self.postfix()?;
        match other.kind {
            ExprKind::Name(name) => out.overlays = Some(name),
            _ => {
                let message = "a variable lies at a place like %IX0.0 or over another variable";
                return Err(source::Diagnostic::error(other.span, message));
            }
        }
        Ok(())
    }
}
