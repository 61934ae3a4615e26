//! Simulation between programs ([Fed15 ch. 4]).
