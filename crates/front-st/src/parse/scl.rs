//! What only Siemens SCL has: data blocks.

use super::parser::Parser;
use crate::ast::{DataBlock, TypeKind, TypeSpec};
use crate::lex::token::{Keyword, Punct};
use source::diagnostic::Result;

impl Parser<'_> {
    /// `DATA_BLOCK "name" … STRUCT … END_STRUCT; BEGIN … END_DATA_BLOCK`, or an instance of a type
    /// or function block.
    pub(crate) fn data_block(&mut self) -> Result<DataBlock> {
        let start = self.span();
        self.advance();
        let name = self.name("the name of the data block")?;
        let mut pragmas = self.pragmas();
        let mut ty = None;
        let mut sections = Vec::new();
        loop {
            pragmas.extend(self.pragmas());
            if let Some(section) = self.section() {
                sections.push(section);
            } else if self.retention_word() {
                self.advance();
            } else {
                break;
            }
        }
        if !self.at_keyword(Keyword::Begin) && !self.at_keyword(Keyword::EndDataBlock) {
            self.eat(Punct::Colon);
            ty = Some(self.type_spec()?);
            self.eat(Punct::Semi);
        }
        self.eat_keyword(Keyword::Begin);
        let initial = self.block();
        self.close(Keyword::EndDataBlock, start);
        self.eat(Punct::Semi);
        let ty = ty.unwrap_or_else(|| {
            let kind = TypeKind::Struct { overlap: false, fields: Vec::new() };
            TypeSpec { kind, span: name.span }
        });
        Ok(DataBlock { name, pragmas, ty, sections, initial })
    }

    /// `RETAIN` or `NON_RETAIN` of the whole block.
    fn retention_word(&self) -> bool {
        matches!(self.keyword(), Some(Keyword::Retain | Keyword::NonRetain))
    }
}
