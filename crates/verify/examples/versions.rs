//! Decides versions of a program one after the other, each from scratch and from what is known of the
//! one before: `cargo run --release --example versions -- SECONDS LP64 V1.c V2.c …`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verify::{
    DataModel, Input, Knowledge, Language as _, Limits, Listener, Note, Question, Reading,
    Settings, languages,
};

struct Notes;
impl Listener for Notes {
    fn note(&mut self, note: &Note<'_>) {
        if matches!(note, Note::Recalled { .. } | Note::Checked { .. } | Note::Minimized { .. }) {
            println!("    {note}");
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("SECONDS DATA-MODEL FILES");
    let seconds: u64 = next()?.parse()?;
    let data_model = DataModel::named(&next()?).ok_or("a data model")?;
    let mut known: Arc<[Knowledge]> = Arc::new([]);
    for file in arguments {
        let reading = Reading {
            data_model,
            properties: [program::Property::Reach].into(),
            world: verify::task::World::SV_COMP,
            ..Reading::default()
        };
        let begun = Instant::now();
        let task = languages::C.read(&[Input::File(PathBuf::from(&file))], &reading)?;
        let read = begun.elapsed().as_secs_f64();
        let ask = |known: Arc<[Knowledge]>| {
            let mut question = Question::new(&task);
            question.settings = Settings { known, learn: true, ..Settings::default() };
            question.limits =
                Limits { time: Some(Duration::from_secs(seconds)), ..Limits::default() };
            verify::decide_with(&question, &verify::Board::default(), &mut Notes)
        };
        let scratch = ask(Arc::new([]))?;
        let recalled = ask(known.clone())?;
        let who = |o: &verify::Outcome| {
            format!("{:?}", o.answers[0].engine.as_ref().map(|e| e.to_string()))
        };
        println!(
            "{file}: read {read:.2}; scratch {} {:.2} {}; known {} {:.2} {}",
            scratch.verdict(),
            scratch.seconds,
            who(&scratch),
            recalled.verdict(),
            recalled.seconds,
            who(&recalled),
        );
        let learned = if recalled.learned.is_empty() { scratch.learned } else { recalled.learned };
        if !learned.is_empty() {
            known = learned.into();
        }
    }
    Ok(())
}
