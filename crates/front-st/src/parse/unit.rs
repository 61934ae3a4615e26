//! Units: programs, functions, function blocks, classes, interfaces, namespaces [IEC 61131-3 §6.6].

use super::parser::Parser;
use super::variable::accessibility;
use crate::ast::{
    Action, Block, Body, Chart, Generic, Interface, Item, ItemKind, Method, Modifiers, Namespace,
    Path, Pou, PouKind, Pragma, Property, StmtKind, TypeDeclaration, TypeSpec, VariableSection,
};
use crate::lex::token::{Keyword, Punct, TokenKind};
use source::diagnostic::Result;

/// What a unit contains.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) using: Vec<Path>,
    pub(crate) pragmas: Vec<Pragma>,
    pub(crate) sections: Vec<VariableSection>,
    pub(crate) types: Vec<TypeDeclaration>,
    pub(crate) methods: Vec<Method>,
    pub(crate) properties: Vec<Property>,
    pub(crate) actions: Vec<Action>,
    pub(crate) chart: Option<Chart>,
    pub(crate) block: Block,
}

impl Parser<'_> {
    /// The items of a file or namespace, up to the text's end or `END_NAMESPACE`.
    pub(crate) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at_end() && !self.at_keyword(Keyword::EndNamespace) && !self.enough() {
            let before = self.at;
            match self.item() {
                Ok(item) => items.extend(item),
                Err(error) => {
                    self.report(error);
                    if self.at == before {
                        self.advance();
                    }
                    self.skip_item();
                }
            }
        }
        items
    }

    /// After an error: up to a word that begins an item.
    fn skip_item(&mut self) {
        while !self.at_end() && !self.at_keyword(Keyword::EndNamespace) {
            let begins = match self.keyword() {
                Some(Keyword::Program | Keyword::Function | Keyword::FunctionBlock) => true,
                Some(Keyword::VarGlobal) => true,
                Some(Keyword::Type) => self.token().first,
                _ => self.item_starts(),
            };
            if begins {
                return;
            }
            self.advance();
        }
    }

    /// Whether a word that may also be a name begins an item here.
    fn item_starts(&self) -> bool {
        let Some(keyword) = self.keyword() else { return false };
        let named = self.name_ahead(1) && self.token().first;
        match keyword {
            Keyword::Class
            | Keyword::Interface
            | Keyword::Namespace
            | Keyword::Configuration
            | Keyword::OrganizationBlock
            | Keyword::DataBlock => named,
            Keyword::Actions => {
                self.token().first && (named || self.keyword_ahead(1) == Some(Keyword::Action))
            }
            _ => false,
        }
    }

    fn item(&mut self) -> Result<Option<Item>> {
        let pragmas = self.pragmas();
        let start = self.span();
        if self.eat(Punct::Semi) || (self.at_end() && !pragmas.is_empty()) {
            return Ok(None);
        }
        let kind = match self.keyword() {
            Some(Keyword::Program) => self.pou(PouKind::Program, &pragmas)?,
            Some(Keyword::Function) => self.pou(PouKind::Function, &pragmas)?,
            Some(Keyword::FunctionBlock) => self.pou(PouKind::FunctionBlock, &pragmas)?,
            Some(Keyword::Class) => self.pou(PouKind::Class, &pragmas)?,
            Some(Keyword::OrganizationBlock) => self.pou(PouKind::OrganizationBlock, &pragmas)?,
            Some(Keyword::Interface) => ItemKind::Interface(Box::new(self.interface()?)),
            Some(Keyword::Type) => ItemKind::Types(self.type_section()?),
            Some(Keyword::VarGlobal | Keyword::VarExternal | Keyword::VarConfig) => {
                let config = self.at_keyword(Keyword::VarConfig);
                match self.section() {
                    Some(section) if config => ItemKind::Config(section),
                    Some(section) => ItemKind::Globals(None, section),
                    None => return Err(self.expected("a section of variables")),
                }
            }
            Some(Keyword::Configuration) => {
                ItemKind::Configuration(Box::new(self.configuration()?))
            }
            Some(Keyword::Namespace) => ItemKind::Namespace(Box::new(self.namespace()?)),
            Some(Keyword::Using) => ItemKind::Using(self.using()?),
            Some(Keyword::Actions) => self.actions()?,
            Some(Keyword::Action) => {
                // `ACTION unit.name` outside of any unit.
                let action = self.outer_action(&pragmas)?;
                ItemKind::Actions(action.0, vec![action.1])
            }
            Some(Keyword::DataBlock) => ItemKind::DataBlock(Box::new(self.data_block()?)),
            _ => {
                let error = self.expected("a declaration");
                let help = "a file consists of PROGRAM, FUNCTION, FUNCTION_BLOCK, TYPE, VAR_GLOBAL, CONFIGURATION, …";
                return Err(error.help(help));
            }
        };
        Ok(Some(Item { kind, pragmas, span: self.since(start) }))
    }

    fn namespace(&mut self) -> Result<Namespace> {
        let start = self.span();
        self.advance();
        let internal = self.keyword() == Some(Keyword::Internal) && self.name_ahead(1);
        if internal {
            self.advance();
        }
        let name = self.path("the name of a namespace")?;
        self.enter()?;
        let items = self.items();
        self.leave();
        self.close(Keyword::EndNamespace, start);
        self.eat(Punct::Semi);
        Ok(Namespace { name, internal, items })
    }

    fn using(&mut self) -> Result<Vec<Path>> {
        self.advance();
        let paths = self.paths("a namespace")?;
        self.expect(Punct::Semi)?;
        Ok(paths)
    }

    pub(crate) fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        while let Some(keyword) = self.keyword().filter(|_| self.name_ahead(1)) {
            match keyword {
                Keyword::Abstract => modifiers.is_abstract = true,
                Keyword::Final => modifiers.is_final = true,
                Keyword::Override => modifiers.is_override = true,
                _ => match accessibility(keyword) {
                    Some(access) => modifiers.access = Some(access),
                    None => break,
                },
            }
            self.advance();
        }
        modifiers
    }

    /// `<T: ANY_NUM, U: ANY>`
    pub(crate) fn generics(&mut self) -> Result<Vec<Generic>> {
        let opening = self.span();
        let mut generics = Vec::new();
        if !self.eat(Punct::Lt) {
            return Ok(generics);
        }
        loop {
            let name = self.name("the name of a type parameter")?;
            self.expect(Punct::Colon)?;
            generics.push(Generic { name, bound: self.path("a type")? });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::Gt, opening)?;
        Ok(generics)
    }

    /// `: TYPE`; `VOID` is none.
    pub(crate) fn result(&mut self) -> Result<Option<TypeSpec>> {
        if !self.eat(Punct::Colon) {
            return Ok(None);
        }
        if matches!(self.peek(), TokenKind::Word(index, _) if self.lexed.key(index) == "void") {
            self.advance();
            return Ok(None);
        }
        Ok(Some(self.type_spec()?))
    }

    /// A unit's first line, up to its result.
    pub(crate) fn pou_header(&mut self, kind: PouKind) -> Result<Pou> {
        self.advance();
        let modifiers = self.modifiers();
        // Functions may be called like operators: FUNCTION MOD.
        let operator = kind == PouKind::Function
            && matches!(
                self.keyword(),
                Some(Keyword::And | Keyword::Or | Keyword::Xor | Keyword::Not | Keyword::Mod)
            );
        let name = if operator {
            self.any_name()?
        } else {
            self.name(&format!("the name of the {}", kind.keyword()))?
        };
        let generics = self.generics()?;
        let (mut extends, mut implements) = (None, Vec::new());
        loop {
            if self.eat_keyword(Keyword::Extends) {
                extends = Some(self.path("what it extends")?);
            } else if self.eat_keyword(Keyword::Implements) {
                implements.extend(self.paths("an interface")?);
            } else {
                break;
            }
        }
        let result = self.result()?;
        self.eat(Punct::Semi);
        Ok(Pou {
            kind,
            name,
            modifiers,
            generics,
            extends,
            implements,
            result,
            using: Vec::new(),
            pragmas: Vec::new(),
            sections: Vec::new(),
            types: Vec::new(),
            methods: Vec::new(),
            properties: Vec::new(),
            actions: Vec::new(),
            body: Body::Missing,
        })
    }

    fn pou(&mut self, kind: PouKind, pragmas: &[Pragma]) -> Result<ItemKind> {
        let start = self.span();
        let mut pou = self.pou_header(kind)?;
        self.last_unit = Some(pou.name.clone());
        let parts = self.parts()?;
        let end = match kind {
            PouKind::Program => Keyword::EndProgram,
            PouKind::Function => Keyword::EndFunction,
            PouKind::FunctionBlock => Keyword::EndFunctionBlock,
            PouKind::Class => Keyword::EndClass,
            PouKind::OrganizationBlock => Keyword::EndOrganizationBlock,
        };
        self.close(end, start);
        self.eat(Punct::Semi);
        let external = pragmas.iter().any(|pragma| pragma.is("external"));
        fill(&mut pou, parts, external);
        Ok(ItemKind::Pou(Box::new(pou)))
    }

    /// Whether something begins here that is part of a unit, by a word that may also be a name.
    pub(crate) fn member_starts(&self) -> bool {
        let Some(keyword) = self.keyword() else { return false };
        // `step S= x` assigns.
        let named = self.name_ahead(1) && !self.punct_ahead(2, Punct::Eq);
        match keyword {
            Keyword::Method
            | Keyword::Property
            | Keyword::PropertyGet
            | Keyword::PropertySet
            | Keyword::Action
            | Keyword::InitialStep
            | Keyword::Step
            | Keyword::Using => named,
            Keyword::Transition => {
                named
                    || (self.punct_ahead(1, Punct::LParen)
                        && self.keyword_ahead(2) == Some(Keyword::Priority))
            }
            Keyword::Type => named && self.punct_ahead(2, Punct::Colon),
            _ => self.item_starts(),
        }
    }

    /// What a unit contains, up to a word that ends it.
    pub(crate) fn parts(&mut self) -> Result<Parts> {
        let mut parts = Parts::default();
        loop {
            if self.enough() {
                return Ok(parts);
            }
            if let Some(section) = self.section() {
                parts.sections.push(section);
                continue;
            }
            if self.code_is_empty(&parts) && matches!(self.peek(), TokenKind::Pragma(_)) {
                parts.pragmas.extend(self.pragma());
                continue;
            }
            let keyword = self.keyword();
            if self.member_starts() && !self.item_starts() {
                let before = self.at;
                if let Err(error) = self.member(&mut parts) {
                    self.report(error);
                    if self.at == before {
                        self.advance();
                    }
                }
            } else if keyword == Some(Keyword::Begin) && !self.punct_ahead(1, Punct::Assign) {
                self.advance();
            } else {
                let before = self.at;
                let block = self.block();
                parts.block.extend(block);
                if self.at == before {
                    return Ok(parts);
                }
            }
        }
    }

    fn code_is_empty(&self, parts: &Parts) -> bool {
        parts.block.is_empty() && parts.chart.is_none()
    }

    fn member(&mut self, parts: &mut Parts) -> Result<()> {
        // Pragmas before a member were read as statements, or as the unit's.
        let mut pragmas = Vec::new();
        while let Some(StmtKind::Pragma(_)) = parts.block.last().map(|stmt| &stmt.kind) {
            if let Some(StmtKind::Pragma(pragma)) = parts.block.pop().map(|stmt| stmt.kind) {
                pragmas.insert(0, pragma);
            }
        }
        match self.keyword() {
            Some(Keyword::Method) => {
                if pragmas.is_empty() && self.code_is_empty(parts) {
                    let line = |p: &Pragma| p.is("attribute") || p.is("external") || p.is("test");
                    let own = parts.pragmas.iter().rposition(|p| !line(p)).map_or(0, |i| i + 1);
                    if !parts.methods.is_empty() || !parts.sections.is_empty() {
                        pragmas = parts.pragmas.split_off(own);
                    }
                }
                let method = self.method(pragmas, true)?;
                parts.methods.push(method);
            }
            Some(Keyword::Property | Keyword::PropertyGet | Keyword::PropertySet) => {
                self.property(pragmas, &mut parts.properties)?;
            }
            Some(Keyword::Action) => {
                let action = self.action(pragmas)?;
                parts.actions.push(action);
            }
            Some(Keyword::Using) => parts.using.extend(self.using()?),
            Some(Keyword::Type) => parts.types.extend(self.type_section()?),
            _ => self.chart_element(parts.chart.get_or_insert_default())?,
        }
        Ok(())
    }

    fn interface(&mut self) -> Result<Interface> {
        let start = self.span();
        self.advance();
        let modifiers = self.modifiers();
        let name = self.name("the name of the interface")?;
        let extends = if self.eat_keyword(Keyword::Extends) {
            self.paths("an interface")?
        } else {
            Vec::new()
        };
        let mut interface = Interface {
            name,
            modifiers,
            extends,
            using: Vec::new(),
            methods: Vec::new(),
            properties: Vec::new(),
        };
        loop {
            let pragmas = self.pragmas();
            match self.keyword() {
                Some(Keyword::Method) => {
                    let method = self.method(pragmas, false)?;
                    interface.methods.push(method);
                }
                Some(Keyword::Property | Keyword::PropertyGet | Keyword::PropertySet) => {
                    self.property(pragmas, &mut interface.properties)?;
                }
                Some(Keyword::Using) => interface.using.extend(self.using()?),
                _ => break,
            }
        }
        self.close(Keyword::EndInterface, start);
        self.eat(Punct::Semi);
        Ok(interface)
    }
}

/// Puts what was read into a unit. One that is external and has no code has no body.
pub(crate) fn fill(pou: &mut Pou, parts: Parts, external: bool) {
    let empty = parts.block.is_empty() && parts.chart.is_none();
    pou.using = parts.using;
    pou.pragmas = parts.pragmas;
    pou.sections = parts.sections;
    pou.types = parts.types;
    pou.methods = parts.methods;
    pou.properties = parts.properties;
    pou.actions = parts.actions;
    pou.body = if external && empty { Body::Missing } else { body(parts.block, parts.chart) };
}

/// Statements or a chart; statements beside a chart are done before it, as an action that is always
/// active would be.
pub(crate) fn body(block: Block, chart: Option<Chart>) -> Body {
    match chart {
        Some(mut chart) => {
            chart.always = block;
            Body::Chart(Box::new(chart))
        }
        None => Body::Code(block),
    }
}
