//! Statements as text.

use super::Printer;
use crate::ast::{CaseLabel, Stmt, StmtKind};
use std::fmt::Write;

impl Printer {
    pub(super) fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty => self.line(";"),
            StmtKind::Assign(target, op, value) => {
                self.begin();
                self.expr(target);
                let _ = write!(self.out, " {} ", op.spelling());
                self.expr(value);
                self.push(";\n");
            }
            StmtKind::Expr(expr) => {
                self.begin();
                self.expr(expr);
                self.push(";\n");
            }
            StmtKind::Exit => self.line("EXIT;"),
            StmtKind::Continue => self.line("CONTINUE;"),
            StmtKind::Return => self.line("RETURN;"),
            StmtKind::Label(name) => {
                self.begin();
                self.name(name);
                self.push(":\n");
            }
            StmtKind::Jump(name) => {
                self.begin();
                self.push("JMP ");
                self.name(name);
                self.push(";\n");
            }
            StmtKind::Region(title, body) => {
                self.line(format!("REGION {title}").trim_end());
                self.inner(|p| p.block(body));
                self.line("END_REGION");
            }
            StmtKind::Claim(claim, said) => {
                self.begin();
                let _ = write!(self.out, "__{}(", claim.word());
                self.expr(said);
                self.push(");\n");
            }
            StmtKind::Pragma(pragma) => self.line(&format!("{{{}}}", pragma.text)),
            StmtKind::Unknown(what) => self.line(&format!("{{unknown {what}}}")),
            _ => self.compound(stmt),
        }
    }

    /// Statements that contain others.
    fn compound(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(branches, otherwise) => {
                for (index, (condition, body)) in branches.iter().enumerate() {
                    self.begin();
                    self.push(if index == 0 { "IF " } else { "ELSIF " });
                    self.expr(condition);
                    self.push(" THEN\n");
                    self.inner(|p| p.block(body));
                }
                self.otherwise(otherwise.as_deref());
                self.line("END_IF;");
            }
            StmtKind::Case(selector, arms, otherwise) => {
                self.begin();
                self.push("CASE ");
                self.expr(selector);
                self.push(" OF\n");
                for arm in arms {
                    self.begin();
                    self.list(&arm.labels, |p, label| match label {
                        CaseLabel::Value(value) => p.expr(value),
                        CaseLabel::Range(low, high) => {
                            p.expr(low);
                            p.push("..");
                            p.expr(high);
                        }
                    });
                    self.push(":\n");
                    self.inner(|p| p.block(&arm.body));
                }
                self.otherwise(otherwise.as_deref());
                self.line("END_CASE;");
            }
            StmtKind::For { variable, from, to, by, body } => {
                self.begin();
                self.push("FOR ");
                self.expr(variable);
                for (word, value) in
                    [(" := ", Some(from)), (" TO ", Some(to)), (" BY ", by.as_ref())]
                {
                    if let Some(value) = value {
                        self.push(word);
                        self.expr(value);
                    }
                }
                self.push(" DO\n");
                self.inner(|p| p.block(body));
                self.line("END_FOR;");
            }
            StmtKind::While(condition, body) => {
                self.begin();
                self.push("WHILE ");
                self.expr(condition);
                self.push(" DO\n");
                self.inner(|p| p.block(body));
                self.line("END_WHILE;");
            }
            StmtKind::Repeat(body, condition) => {
                self.line("REPEAT");
                self.inner(|p| p.block(body));
                self.begin();
                self.push("UNTIL ");
                self.expr(condition);
                self.push("\n");
                self.line("END_REPEAT;");
            }
            _ => {}
        }
    }

    fn otherwise(&mut self, otherwise: Option<&[Stmt]>) {
        if let Some(body) = otherwise {
            self.line("ELSE");
            self.inner(|p| p.block(body));
        }
    }
}
