//! Wrong texts, and the message, line and column that each gets.

mod support;

use support::read;

/// Text, place, message, and the help if there is one.
const WRONG: &[(&str, &str, &str, &str)] = &[
    ("", "1:1", "it is not said where runs begin", "start NAME"),
    ("fun main() {}", "1:1", "expected a declaration, found 'fun'", "a file consists of"),
    ("function main() { x }", "1:21", "expected ':=', found '}'", ""),
    ("function main() { x := 1 }", "1:19", "there is no register 'x'", "var x: bv32"),
    ("function main() { 5 }", "1:19", "expected a statement or a label, found '5'", "goto"),
    ("function main() { skip; }", "1:23", "found ';'", "nothing between them"),
    ("function main() {", "1:18", "expected a statement or a label", ""),
    ("function main() { var skip: bv8 }", "1:23", "'skip' is a word of the language", "`skip`"),
    ("function main() { var x: bv8 x := 300 }", "1:35", "does not fit into 8 bits", ""),
    ("function main() { var x: bv8 x := -129 }", "1:35", "does not fit into 8 bits", ""),
    (
        "function main() { var x: bv8, y: bv16 x := y }",
        "1:44",
        "bv8 is needed here, this is bv16",
        "[7:0]",
    ),
    (
        "function main() { var x: bv8, y: bv16 y := x }",
        "1:44",
        "bv16 is needed here, this is bv8",
        "zext16",
    ),
    ("function main() { var x: bv8 assume x }", "1:37", "bool is needed here, this is bv8", "!= 0"),
    (
        "function main() { assume 1 == 2 }",
        "1:26",
        "the sort of this number does not follow",
        "bv32(5)",
    ),
    (
        "function main() { var x: bv9 x := load at 0 }",
        "1:30",
        "bv9 is not stored in memory",
        "whole bytes",
    ),
    ("function main() { var x: bv8 x := load bv16 at 0 }", "1:40", "the register takes bv8", ""),
    ("function main() { goto L }", "1:24", "there is no location 'L'", ""),
    ("function main() { L: L: }", "1:22", "the location 'L' is there twice", ""),
    ("function main() { exit: skip }", "1:25", "nothing leaves the exit", "L1:"),
    ("function main() { check asert: true }", "1:25", "there is no property 'asert'", "assert"),
    ("function main() { call f() }", "1:24", "there is no function 'f'", "function f()"),
    ("function f(x: bv8) function main() { call f() }", "1:38", "'f' takes 1 argument, not 0", ""),
    (
        "function f() function main() { var x: bv8 x := call f() }",
        "1:43",
        "'f' gives 0 results",
        "",
    ),
    ("function main() {} function main() {}", "1:29", "'main' is declared twice", ""),
    ("function main(x: bv8) {}", "1:10", "without parameters and with a body", ""),
    ("start g function main() {}", "1:7", "there is no function 'g'", ""),
    ("var x: bv8 var x: bool function main() {}", "1:16", "'x' is declared twice", ""),
    ("var x: bv0 function main() {}", "1:8", "there is no sort 'bv0'", "bv1 to bv65536"),
    ("var x: U function main() {}", "1:8", "there is no sort 'U'", ""),
    ("var x function main() {}", "1:5", "the register 'x' has no sort", "var x: bv32"),
    ("pointers bv4 function main() {}", "1:10", "bit-vectors of 8 to 64 bits", "pointers bv64"),
    ("object o: 4 bytes at 0 function main() {}", "1:22", "address zero belongs to nobody", ""),
    (
        "object o: 4 bytes at 1 object p: 4 bytes at 5 function main() {}",
        "1:45",
        "touches what lies below",
        "unused byte",
    ),
    (
        "pointers bv8 object o: 400 bytes function main() {}",
        "1:21",
        "there is no room",
        "below 0x40",
    ),
    (
        "object o: 4 bytes = { 0: bv32(1), 2: bv8(1) } function main() {}",
        "1:35",
        "overlaps the one before",
        "order",
    ),
    (
        "object o: 4 bytes = { 18446744073709551615: bv32(1) } function main() {}",
        "1:23",
        "sticks out",
        "",
    ),
    ("object o: 4 bytes align 3 function main() {}", "1:25", "no power of two", ""),
    ("function main() { var x: bv8 x := &x }", "1:36", "no object or function 'x'", "no address"),
    ("object o: 1 bytes function main() { var x: bv64 x := o }", "1:54", "no register 'o'", "&o"),
    ("function main() { var x: bv8 x := x[8:0] }", "1:35", "bits 8 to 0", ""),
    ("function main() { var x: bv8 x := x[x] }", "1:35", "an array is needed here", "load"),
    ("function main() { var x: double assume x <u x }", "1:40", "no operator '<u' for double", ""),
    ("function main() { var x: bv8 x := #1 }", "1:35", "'#1' is not bound here", "let #1"),
    ("function main() { var x: bv8 x := g(x) }", "1:35", "no pure function 'g'", "call"),
    ("function main() { skip @3:1 }", "1:24", "a line of which file?", "source"),
    ("function main() { \"abc }", "1:19", "not closed in its line", ""),
    ("assumption \"\\q\"", "1:13", "an unknown escape", "\\n"),
    ("function main() { x := 5bv8 }", "1:24", "a number that ends in letters", "bv32(5)"),
    ("function f() { var y: bv8 } function main() { f::y := 1 }", "1:47", "no register 'f::y'", ""),
    ("function main() { var x: bv8 x := bv8(x) }", "1:35", "bv8(…) takes a number", "zext32"),
    ("é", "1:1", "a character that has no meaning here: 'é'", ""),
];

#[test]
fn wrong_texts_get_messages_with_places() {
    for (text, place, message, help) in WRONG {
        let Err(found) = read(text) else { panic!("accepted: {text}") };
        let first = found.lines().next().unwrap_or_default();
        assert!(first.starts_with(&format!("test.ivl:{place}: error: ")), "{found}{text}");
        assert!(first.contains(message), "expected '{message}'\n{found}");
        assert!(found.contains(help), "expected the help '{help}'\n{found}");
        assert!(help.is_empty() || found.contains("= help: "), "{found}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut sources = source::SourceMap::new();
    let file = sources.add("t.ivl", &b"var x\xff"[..]).expect("small");
    let errors = ivl::read(&sources, file).err().expect("no UTF-8");
    assert!(errors[0].render(&sources).starts_with("t.ivl:1:6: error: a byte that is not UTF-8"));
}

/// All errors of a text are told, not the first alone.
#[test]
fn several_errors_are_told() {
    let errors = read("function main() {\n x := 1\n assume y\n goto L\n}").err().expect("wrong");
    for line in ["test.ivl:2:2:", "test.ivl:3:9:", "test.ivl:4:7:"] {
        assert!(errors.contains(line), "{errors}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str, n: usize| {
        let text = format!("{}true{}", open.repeat(n), close.repeat(n));
        read(&format!("function main() {{ assume {text} }}"))
    };
    assert!(deep("(", ")", 1000).is_ok());
    assert!(deep("!", "", 1000).is_ok());
    for (open, close) in [("(", ")"), ("!", ""), ("true ? true : ", ""), ("let #1 = ", " in #1")] {
        let error = deep(open, close, 100_000).err().expect("too deep");
        assert!(error.contains("nesting is deeper than 4000 levels"), "{error}");
    }
    let chain = format!("function main() {{ var x: bv8 x := x{} }}", " + x".repeat(100_000));
    assert!(read(&chain).err().expect("too high").contains("nesting is deeper"));
    let wide = format!("function main() {{ assume true{} }}", " && true".repeat(100_000));
    assert!(read(&wide).is_ok());
    let sorts = format!("var x: {}bv8 function main() {{}}", "[bv8]".repeat(100_000));
    assert!(read(&sorts).err().expect("too deep").contains("nesting is deeper"));
}
