//! The cone solver against the solver test kit.

mod kit;

use sat::ConeSolver;

#[test]
fn kit() {
    kit::check_solver(ConeSolver::new);
}
