//! Functions of the C library that compute something definite, for which there is no model; what a
//! system header declares counts as such, too, and these names where there is no header to see.
//!
//! Their results are unknown to us and not to a run of the program, so a failing run that takes such a
//! value need not exist: it is marked [`Cause::Approximated`](program::program::Cause).

use super::math::stem_in;

/// Of `math.h`, in the three precisions.
const MATH: [&str; 36] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "frexp",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "nexttoward",
    "pow",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "tgamma",
];

/// Of the other headers.
const OTHERS: [&str; 27] = [
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bsearch",
    "div",
    "ldiv",
    "memchr",
    "qsort",
    "snprintf",
    "sprintf",
    "sscanf",
    "strcasecmp",
    "strcspn",
    "strncasecmp",
    "strpbrk",
    "strsep",
    "strspn",
    "strstr",
    "strtod",
    "strtof",
    "strtok",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "vsprintf",
];

/// Whether the function has a definite meaning that we don't model.
pub(super) fn is_unmodelled(name: &str) -> bool {
    stem_in(name, &MATH).is_some() || OTHERS.contains(&name)
}
