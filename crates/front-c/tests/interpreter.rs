//! Random programs ([`generate`]): what gcc accepts, the front end accepts.

mod gcc;
#[path = "interpreter/generate/mod.rs"]
mod generate;

use generate::{PRELUDE, SIZES, program};

#[test]
fn generated_programs_are_accepted() {
    for model in gcc::MODELS {
        for (seed, size) in (0..).zip(SIZES.iter().cycle()).take(24) {
            let text = format!("{PRELUDE}{}", program(seed, *size, "p_"));
            gcc::program(&text, model);
        }
    }
}
