//! A circuit as clauses: one predicate of the latches, over Booleans.

use crate::system::{Application, Clause, NOWHERE, Predicate, System};
use aig::{Edge, Node};
use circuit::TransitionSystem;
use term::{Pool, Sort, Term};

/// The clauses of a circuit, one query for each bad property.
pub fn of_circuit(pool: &Pool, circuit: &TransitionSystem) -> System {
    let edges = edges(pool, circuit);
    let term = |edge: Edge| {
        let plain = edges[edge.node()];
        if edge.is_inverted() { pool.not(plain) } else { plain }
    };
    let state = Predicate::new(pool, "state", circuit.latches.iter().map(|_| Sort::Bool));
    let holds = |arguments: Vec<Term>| Application { predicate: 0, arguments };
    let now: Vec<Term> = circuit.latches.iter().map(|latch| term(latch.state)).collect();
    let reset = circuit.latches.iter().map(|latch| match latch.init.value() {
        Some(value) => pool.bool(value),
        None => term(latch.state),
    });
    let next = circuit.latches.iter().map(|latch| term(latch.next));
    let constraints = pool.and(circuit.constraints.iter().map(|signal| term(signal.edge)));
    let clause = |body, constraint, head| Clause { body, constraint, head, place: NOWHERE };
    let mut clauses = vec![
        clause(Vec::new(), pool.tru(), Some(holds(reset.collect()))),
        clause(vec![holds(now.clone())], constraints, Some(holds(next.collect()))),
    ];
    for bad in &circuit.bads {
        let violated = pool.and([constraints, term(bad.edge)]);
        clauses.push(clause(vec![holds(now.clone())], violated, None));
    }
    System { predicates: vec![state], clauses }
}

/// A term for every node.
fn edges(pool: &Pool, circuit: &TransitionSystem) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::with_capacity(circuit.aig.len());
    for (number, node) in circuit.aig.nodes().iter().enumerate() {
        let of = |edge: &Edge| {
            let plain = terms[edge.node()];
            if edge.is_inverted() { pool.not(plain) } else { plain }
        };
        let term = match node {
            Node::False => pool.fls(),
            Node::Input => pool.var(&format!("i{number}"), Sort::Bool),
            Node::And(a, b) => pool.and([of(a), of(b)]),
        };
        terms.push(term);
    }
    terms
}
