//! Contracts are read, typed and lowered; damaged ones too, without a panic.

use front_c::ast::Spelling;
use front_c::compile::{Compiled, Input, Options, compile};
use front_c::contract::Contract;
use front_c::lower::{self, lower};
use front_c::stack::with_deep_stack;
use front_c::types::DataModel;
use program::Property;

/// Contracts in both spellings, each construct somewhere.
const TEXTS: [&str; 4] = [
    r#"
    struct buffer { char *bytes; unsigned long length, capacity; };
    int append(struct buffer *to, const char *from, unsigned long n)
    __CPROVER_requires(__CPROVER_is_fresh(to, sizeof(*to)))
    __CPROVER_requires(to->capacity <= 5 && to->length <= to->capacity)
    __CPROVER_requires(__CPROVER_is_fresh(to->bytes, to->capacity) && __CPROVER_r_ok(from, n))
    __CPROVER_assigns(to->length; n > 0: __CPROVER_object_whole(to->bytes), *to->bytes)
    __CPROVER_ensures(__CPROVER_return_value == 0 ==> to->length == __CPROVER_old(to->length) + n)
    __CPROVER_ensures(__CPROVER_forall { unsigned long i; i < n ==> from[i] == 0 } <==> n == 0)
    {
        unsigned long i = 0;
        while (i < n)
        __CPROVER_assigns(i, __CPROVER_object_upto(to->bytes, to->capacity))
        __CPROVER_loop_invariant(i <= n && __CPROVER_loop_entry(i) == 0)
        __CPROVER_decreases(n - i)
        { to->bytes[to->length + i] = from[i]; i++; }
        do { i--; } while (i > 0) __CPROVER_loop_invariant(i <= n);
        __CPROVER_precondition(__CPROVER_exists { int k; 0 <= k && k < 3 && k == 2 }, "some");
        return 0;
    }
    int main(void) { struct buffer b; char c; return append(&b, &c, 1); }
    "#,
    r#"
    /*@ requires \valid(a) && \valid_read(b + (0 .. n-1)) && \separated(a, b);
      @ assigns *a, b[0 .. n-1];
      @ ensures *a == \old(*a) + 1 && \result == n;
      @ ensures \forall integer i, j; 0 <= i < n && 0 <= j < i ==> b[i] >= b[j];
      @*/
    int f(int *a, int *b, int n)
    {
        /*@ loop invariant 0 <= i <= n; loop assigns i, *a; loop variant n - i; */
        for (int i = 0; i < n; i++) { *a += 1; }
        //@ assert named: \exists integer k; 0 <= k < 3 && k == n;
        return n;
    }
    /*@ behavior low: assumes x < 0; requires x > -5; ensures \result == \null;
        behavior high: assumes x >= 0; ensures \result != \null || \false;
        complete behaviors low, high; disjoint behaviors; */
    char *g(int x);
    int main(void) { int a, b[2]; return f(&a, b, 2); }
    "#,
    r#"
    int odd(int x) __CPROVER_requires(x = 3);
    int past(int x) __CPROVER_requires(__CPROVER_old(x)) { return x; }
    /*@ ensures \sum(1, 2, 3) == 4; */
    int sum(void) { return 0; }
    /*@ assigns x; */ int global(void);
    /*@null@*/ char *splint(/*@out@*/ char *p);
    /*@ ghost int g; */
    int main(void) { return 0; }
    "#,
    r#"
    int wide(int x) __CPROVER_ensures(__CPROVER_return_value != x) { return x; }
    /*@ ensures \result * \result * \result * \result * \result > 0; */
    int power(int x) { return x; }
    int main(void) { __CPROVER_bool b = 1; __CPROVER_size_t n = sizeof(b); return wide(n); }
    "#,
];

fn compiled(text: &str) -> Compiled {
    let input = Input::Text { name: "test.c".into(), text: text.as_bytes().to_vec() };
    compile(&[input], &Options::new(DataModel::Lp64)).expect("a small text can be read")
}

fn contract<'c>(compiled: &'c Compiled, name: &str) -> &'c Contract {
    let typed = compiled.program.as_ref().expect("it is a program");
    let function = typed.function(name).expect("it is there");
    typed.functions[function].contract.as_ref().expect("it has a contract")
}

/// Lowers a program from every function, with and without contracts.
fn lower_all(compiled: &Compiled) {
    let Some(typed) = &compiled.program else { return };
    typed.check_invariants().unwrap_or_else(|broken| panic!("{broken}"));
    for (_, function) in typed.functions.iter().filter(|(_, f)| f.body.is_some()) {
        for contracts in [false, true] {
            let entry = typed.symbols.name(function.name).to_owned();
            let properties = Property::ALL.to_vec();
            let options = lower::Options { entry, contracts, properties, ..Default::default() };
            if let Ok(lowered) = lower(typed, &compiled.sources, &options) {
                program::wellformed::check(&lowered.program).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }
}

#[test]
fn clauses_are_read() {
    let c = compiled(TEXTS[0]);
    let append = contract(&c, "append");
    assert!(append.problem.is_none(), "{:?}", append.problem);
    assert_eq!(append.spelling, Spelling::Cbmc);
    assert_eq!((append.requires.len(), append.ensures.len()), (3, 2));
    let targets = append.assigns.as_ref().expect("it says what it writes");
    assert_eq!(targets.iter().filter(|target| target.condition.is_some()).count(), 2);
    assert_eq!(targets.len(), 3);
    assert_eq!((append.olds.len(), append.params.len()), (1, 3));
}

#[test]
fn annotations_are_read() {
    let c = compiled(TEXTS[1]);
    let f = contract(&c, "f");
    assert!(f.problem.is_none(), "{:?}", f.problem);
    assert_eq!(f.spelling, Spelling::Acsl);
    assert_eq!((f.requires.len(), f.ensures.len()), (1, 2));
    assert_eq!(f.assigns.as_ref().map(Vec::len), Some(2));
    // Of two behaviors: what each requires and ensures, that one applies, and not both.
    let g = contract(&c, "g");
    assert!(g.problem.is_none(), "{:?}", g.problem);
    assert_eq!((g.requires.len(), g.ensures.len()), (1, 4));
    assert!(g.assigns.is_none());
}

#[test]
fn what_is_wrong_with_a_contract_is_kept_with_it() {
    let c = compiled(TEXTS[2]);
    let problem = |name: &str| {
        let problem = contract(&c, name).problem.as_ref();
        problem.map_or("", |problem| problem.message.as_str()).to_owned()
    };
    assert_eq!(problem("odd"), "what a contract says must not change anything");
    assert_eq!(problem("past"), "that state before has no meaning here");
    assert_eq!(problem("sum"), "'\\sum' of ACSL is not supported");
    assert_eq!(problem("global"), "'x' is not declared");
    let typed = c.program.as_ref().expect("it is a program");
    let splint = typed.function("splint").expect("it is there");
    assert!(typed.functions[splint].contract.is_none());
    let remarks = c.diagnostics.iter().map(|d| d.message.as_str());
    assert!(remarks.into_iter().any(|m| m == "annotation 'ghost' is not used here"));
    let wide = compiled(TEXTS[3]);
    let power = contract(&wide, "power").problem.as_ref().expect("too many bits");
    assert_eq!(power.message, "integers here may need more than 127 bits");
}

#[test]
fn intact_contracts_are_lowered() {
    with_deep_stack(|| TEXTS.iter().for_each(|text| lower_all(&compiled(text))));
}

/// Where a text is cut or a byte of it changes, something is wrong, and nothing panics.
#[test]
fn damaged_contracts_are_no_surprise() {
    with_deep_stack(|| {
        for text in TEXTS {
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                lower_all(&compiled(&text[..at]));
                if at % 3 == 0 {
                    let other = ["(", ")", "\\", "@", "..", "==>", "{", ";", "*/"][at / 3 % 9];
                    lower_all(&compiled(&format!("{}{other}{}", &text[..at], &text[at + 1..])));
                }
            }
        }
    });
}
