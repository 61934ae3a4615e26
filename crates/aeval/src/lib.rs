//! Validity of S(x) ⇒ ∃y. T(x, y), with a Skolem relation ([Fed15 ch. 3]).
