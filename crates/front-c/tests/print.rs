//! The typed tree as people see it.

mod gcc;

use front_c::print;
use front_c::types::DataModel;

fn text(source: &str) -> String {
    let compiled = gcc::ours(source, DataModel::Lp64);
    print::text(compiled.program.as_ref().expect("a program"), &compiled.sources)
}

#[test]
fn nodes_have_types_and_places() {
    let tree = text(
        "struct s { int a[2]; char c; } g = { { 1, 2 }, 'x' };\n\
         int f(struct s *p, int n) {\n\
           for (int i = 0; i < n; i++) if (p->a[i]) return p->c; else n -= 1.5;\n\
           return sizeof(g) ? f(&g, ({ n; })) : 0;\n}\n",
    );
    for line in [
        "static g : struct s",
        "at byte 8",
        "function f : int (struct s *, int)",
        "parameter: parameter p : struct s *",
        "declare automatic i : int",
        "member c at byte 8 : char",
        "convert IntToInt : int",
        "assign Sub",
        "call f : int",
        "statement expression : int",
        "return  (3:",
    ] {
        assert!(tree.contains(line), "{line} is missing:\n{tree}");
    }
    assert!(tree.lines().any(|line| line.starts_with("  ") && line.contains("block")));
}

#[test]
fn long_spines_are_printed() {
    let depth = 50_000;
    let tree = text(&format!("int f(int a) {{ return {}a; }}", "a + ".repeat(depth)));
    assert!(tree.lines().count() > depth);
    assert!(tree.len() < depth * 400, "{}", tree.len());
}

#[test]
fn graphs_are_quoted() {
    let compiled = gcc::ours("char *s = \"a\\\"b\";", DataModel::Lp64);
    let graph = print::dot(compiled.program.as_ref().expect("a program"), &compiled.sources);
    assert!(graph.starts_with("digraph") && graph.ends_with("}\n"));
    assert!(graph.contains("n0 ->"), "{graph}");
}
