//! Witnesses: what is written is read again, whatever the texts in it; GraphML is XML; the files of an
//! outcome say what the outcome says.

mod common;

use common::{HEAD, c, decided, explaining};
use program::Property;
use quick_xml::Reader;
use quick_xml::events::Event;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use report::Subject;
use report::files::files;
use report::invariant::TRUE;
use report::witness::{
    Constraint, Entry, Invariant, InvariantItem, Location, Metadata, Producer, SegmentItem, Task,
    Text, Waypoint, WaypointItem, graphml, read, sha256, specification, write,
};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Texts that YAML or XML could take for something else.
const TRICKY: &[&str] = &[
    "",
    " ",
    "~",
    "null",
    "true",
    "no",
    "7",
    "-1",
    "0x1f",
    "1e3",
    "1.5",
    ".inf",
    "- a",
    "? a",
    "a: b",
    "a #b",
    "# a",
    "'",
    "\"",
    "\\result == 3",
    "x < 3 && y > \"4\"",
    "<a>&amp;</a>",
    "]]>",
    "{a}",
    "[a]",
    "*a",
    "&a",
    "!a",
    "|",
    ">",
    "%a",
    "@a",
    "`a`",
    "two\nlines",
    "end\n",
    "\n",
    "\ttab",
    " lead",
    "trail ",
    "ä€😀",
    "a'b\"c",
    "2026-01-01",
    "1:30",
    "---",
    "...",
    "=",
    "<<",
];

struct Content(StdRng);

impl Content {
    fn word(&mut self) -> String {
        let length = self.0.random_range(1..3);
        (0..length).map(|_| TRICKY[self.0.random_range(0..TRICKY.len())]).collect()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.0.random_bool(0.5).then(|| make(self))
    }

    fn many<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.0.random_range(0..4)).map(|_| make(self)).collect()
    }

    fn location(&mut self) -> Location {
        Location {
            file_name: self.word(),
            line: self.0.random(),
            column: self.maybe(|content| content.0.random()),
            function: self.maybe(Self::word),
        }
    }

    fn text(&mut self) -> Text {
        match self.0.random_range(0..4) {
            0 => Text::Truth(self.0.random()),
            1 => Text::Number(self.0.random()),
            _ => Text::Words(self.word()),
        }
    }

    fn waypoint(&mut self) -> WaypointItem {
        let (kind, action, location) = (self.word(), self.word(), self.location());
        let constraint = self.maybe(|content| {
            let value = content.text();
            Constraint { value, format: content.maybe(Self::word) }
        });
        WaypointItem { waypoint: Waypoint { kind, action, location, constraint } }
    }

    fn invariant(&mut self) -> InvariantItem {
        let (kind, location) = (self.word(), self.location());
        InvariantItem {
            invariant: Invariant { kind, location, value: self.word(), format: self.word() },
        }
    }

    fn metadata(&mut self) -> Metadata {
        let hashes = self.many(|content| (content.word(), content.word()));
        Metadata {
            format_version: self.word(),
            uuid: self.word(),
            creation_time: self.word(),
            producer: Producer { name: self.word(), version: self.word() },
            task: Task {
                input_files: self.many(Self::word),
                input_file_hashes: hashes.into_iter().collect(),
                specification: self.word(),
                data_model: self.word(),
                language: self.word(),
            },
        }
    }

    fn segments(&mut self) -> Vec<SegmentItem> {
        self.many(|content| SegmentItem { segment: content.many(Self::waypoint) })
    }

    fn entry(&mut self) -> Entry {
        let metadata = self.metadata();
        match self.0.random() {
            true => Entry::InvariantSet { metadata, content: self.many(Self::invariant) },
            false => Entry::ViolationSequence { metadata, content: self.segments() },
        }
    }
}

#[test]
fn what_is_written_is_read() {
    for seed in 0..500 {
        let mut content = Content(StdRng::seed_from_u64(seed));
        let entries = content.many(Content::entry);
        let text = write(&entries);
        let back = read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(back, entries, "seed {seed}\n{text}");
    }
}

const FOREIGN: &str = "
- entry_type: invariant_set
  metadata:
    format_version: '2.0'
    uuid: 91023a0f-9f45-4385-88c4-1152ade45537
    creation_time: '2021-05-05T15:18:43+02:00'
    producer: {name: Other, version: 1.0.0}
    task:
      input_files: [a.c]
      specification: G ! call(reach_error())
      data_model: ILP32
      language: C
  content:
  - invariant:
      type: loop_invariant
      location: {file_name: a.c, line: 3, column: 1, function: main}
      value: true
      format: c_expression
  - invariant:
      type: location_invariant
      location: {file_name: a.c, line: 4}
      value: 1
      format: c_expression
- entry_type: something_else
  metadata: {whatever: [1, 2]}
  more: 7
";

#[test]
fn what_other_tools_write_is_read() {
    let entries = read(FOREIGN).expect("it is of the format");
    let [Entry::InvariantSet { metadata, content }, Entry::Other] = &entries[..] else {
        panic!("{entries:?}")
    };
    assert!(metadata.task.input_file_hashes.is_empty());
    let values: Vec<&str> = content.iter().map(|item| item.invariant.value.as_str()).collect();
    assert_eq!(values, ["true", "1"]);
    assert_eq!(content[1].invariant.location.column, None);
}

#[test]
fn what_is_no_witness_is_refused() {
    let cut = FOREIGN.replace("      line: 4", "");
    for text in ["a: b", "- 7", "- entry_type: invariant_set", "[", "\"\\x", &cut[..cut.len() / 2]]
    {
        let read = read(text);
        assert!(read.is_err(), "{text} is {read:?}");
    }
    assert!(read(&FOREIGN.replace("line: 3", "line: three")).is_err());
    assert!(read(&FOREIGN.replace("line: 3", "line: -3")).is_err());
}

#[test]
fn sums_are_sha256() {
    // The examples of FIPS 180-4.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256(b""), empty);
    assert_eq!(sha256(b"abc"), abc);
}

#[test]
fn identifiers_follow_from_the_content() {
    let mut content = Content(StdRng::seed_from_u64(1));
    let task = content.metadata().task;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let made = |task: &Task, time, content: &str| Metadata::new(task.clone(), time, &content);
    let one = made(&task, time, "a");
    assert_eq!(one, made(&task, time, "a"));
    assert_eq!(one.creation_time, "2023-11-14T22:13:20Z");
    let other_task = Task { language: "other".to_owned(), ..task.clone() };
    let later = time + Duration::from_secs(1);
    for other in [made(&task, time, "b"), made(&task, later, "a"), made(&other_task, time, "a")] {
        assert_ne!(one.uuid, other.uuid);
    }
    let parts: Vec<&str> = one.uuid.split('-').collect();
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert!(one.uuid.chars().all(|c| c == '-' || c.is_ascii_hexdigit()));
    assert!(parts[2].starts_with('8') && parts[3].starts_with(['8', '9', 'a', 'b']));
}

#[test]
fn every_property_has_a_specification() {
    for property in Property::ALL {
        let text = specification(&[property]);
        // All but one say that something never happens.
        let formula = if property == Property::Termination { "F end" } else { "G " };
        let begin = format!("CHECK( init(main()), LTL({formula}");
        assert!(text.starts_with(&begin) && text.ends_with(") )"), "{text}");
        assert_eq!(text.lines().count(), 1);
    }
    // Both are one of SV-COMP's.
    assert_eq!(specification(&[Property::Bounds, Property::Pointer]).lines().count(), 1);
    assert_eq!(specification(&[Property::Reach, Property::Overflow]).lines().count(), 2);
    assert_eq!(specification(&[]), "");
}

/// The texts of `data` elements by key, and how many nodes and edges there are.
fn parsed(text: &str) -> (Vec<(String, String)>, usize, usize) {
    let mut reader = Reader::from_str(text);
    let (mut data, mut nodes, mut edges, mut depth) = (Vec::new(), 0, 0, 0);
    let mut open: Option<(String, String)> = None;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}: {text}")) {
            Event::Start(start) => {
                depth += 1;
                match start.name().as_ref() {
                    b"node" => nodes += 1,
                    b"edge" => edges += 1,
                    b"data" => {
                        let key = start.try_get_attribute("key").expect("XML").expect("a key");
                        let key = key.unescape_value().expect("XML").into_owned();
                        open = Some((key, String::new()));
                    }
                    _ => {}
                }
            }
            Event::Empty(empty) if empty.name().as_ref() == b"node" => nodes += 1,
            Event::Empty(empty) if empty.name().as_ref() == b"edge" => edges += 1,
            Event::End(_) => {
                depth -= 1;
                data.extend(open.take());
            }
            Event::Text(part) => {
                if let Some((_, text)) = &mut open {
                    text.push_str(&part.decode().expect("UTF-8"));
                }
            }
            Event::GeneralRef(reference) => {
                let name = reference.decode().expect("UTF-8");
                let (_, text) = open.as_mut().expect("references are in texts");
                match reference.resolve_char_ref().expect("XML") {
                    Some(character) => text.push(character),
                    None => text.push_str(match &*name {
                        "lt" => "<",
                        "gt" => ">",
                        "amp" => "&",
                        "quot" => "\"",
                        "apos" => "'",
                        other => panic!("&{other}; is not defined"),
                    }),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{text}");
    (data, nodes, edges)
}

#[test]
fn graphml_is_xml_whatever_is_in_it() {
    for seed in 0..200 {
        let mut content = Content(StdRng::seed_from_u64(seed));
        let (metadata, segments) = (content.metadata(), content.segments());
        let text = graphml::write(&metadata, &segments).expect("it is written to memory");
        let (data, nodes, edges) = parsed(&text);
        let followed = segments.iter().filter(|item| !item.segment.is_empty()).count();
        assert_eq!((nodes, edges), (segments.len() + 1, followed), "seed {seed}\n{text}");
        let of = |key: &str| -> Vec<&str> {
            let of_key = data.iter().filter(|(name, _)| name == key);
            of_key.map(|(_, value)| value.as_str()).collect()
        };
        assert_eq!(
            of("specification"),
            [metadata.task.specification.as_str()],
            "seed {seed}\n{text}"
        );
        assert_eq!(of("entry"), ["true"]);
        assert_eq!(of("violation"), ["true"]);
        let last = segments.iter().filter_map(|item| Some(&item.segment.last()?.waypoint));
        let said =
            last.filter_map(|waypoint| Some(format!("{};", waypoint.constraint.as_ref()?.value)));
        assert_eq!(of("assumption"), said.collect::<Vec<_>>(), "seed {seed}\n{text}");
    }
}

const SAFE: &str = "int main(void) {
    unsigned i = 0, n = __VERIFIER_nondet_uint();
    while (i < n) {
        i++;
    }
    if (i != n) reach_error();
    return 0;
}
";

const UNSAFE: &str = "int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (a == 41 && b == a + 1) {
        reach_error();
    }
    return 0;
}
";

#[test]
fn a_proof_leaves_a_correctness_witness() {
    let task = c(SAFE, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let path = Path::new("w.yml");
    let subject = Subject::new(&task, &outcome);
    let made = files(&subject, Some(path), Some(Path::new("h.c"))).expect("no defect");
    let [(name, text)] = &made.files[..] else { panic!("{} files", made.files.len()) };
    assert_eq!(name, path);
    let entries = read(&String::from_utf8_lossy(text)).expect("our own format");
    let [Entry::InvariantSet { metadata, content }] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(metadata.task.input_files, ["case.c"]);
    let sum = sha256(format!("{HEAD}{SAFE}").as_bytes());
    assert_eq!(metadata.task.input_file_hashes["case.c"], sum);
    assert_eq!(metadata.task.data_model, "ILP32");
    assert_eq!(metadata.task.specification, specification(&[Property::Reach]));
    let loop_line = HEAD.lines().count() as u32 + 3;
    assert!(!content.is_empty());
    for item in content {
        let invariant = &item.invariant;
        assert_eq!(
            (invariant.kind.as_str(), invariant.format.as_str()),
            ("loop_invariant", "c_expression")
        );
        assert_eq!((invariant.location.line, invariant.location.column), (loop_line, Some(5)));
        assert_ne!(invariant.value, TRUE);
    }
    // The document says the same, and nothing is lifted again for it.
    let lifted = subject.loop_invariants(0);
    assert!(std::ptr::eq(lifted, subject.loop_invariants(0)));
    let said: Vec<&str> = lifted.iter().map(|invariant| invariant.expression.as_str()).collect();
    assert_eq!(said, content.iter().map(|item| item.invariant.value.as_str()).collect::<Vec<_>>());
}

#[test]
fn a_run_leaves_a_witness_and_a_harness() {
    let task = c(UNSAFE, &[Property::Reach]);
    let outcome = decided(&task, explaining());
    let made =
        files(&Subject::new(&task, &outcome), Some(Path::new("w.yml")), Some(Path::new("h.c")));
    let made = made.expect("no defect");
    let of = |name: &str| {
        let file = made.files.iter().find(|(path, _)| path == Path::new(name));
        String::from_utf8_lossy(&file.unwrap_or_else(|| panic!("no {name}")).1).into_owned()
    };
    let harness = of("h.c");
    assert!(harness.contains("41") && harness.contains("42"), "{harness}");
    let entries = read(&of("w.yml")).expect("our own format");
    let [Entry::ViolationSequence { content, .. }] = &entries[..] else { panic!("{entries:?}") };
    let said: Vec<(String, u32, Option<String>)> = content
        .iter()
        .map(|item| {
            let waypoint = &item.segment.last().expect("one waypoint").waypoint;
            assert_eq!(waypoint.action, "follow");
            let value = waypoint.constraint.as_ref().map(|constraint| constraint.value.to_string());
            (waypoint.kind.clone(), waypoint.location.line, value)
        })
        .collect();
    let line = |number: u32| HEAD.lines().count() as u32 + number;
    let returns = |at: u32, value: &str| {
        ("function_return".to_owned(), line(at), Some(format!("\\result == {value}")))
    };
    assert_eq!(said, [returns(2, "41"), returns(3, "42"), ("target".to_owned(), line(5), None)]);

    let made = files(&Subject::new(&task, &outcome), Some(Path::new("w.graphml")), None)
        .expect("no defect");
    let [(_, text)] = &made.files[..] else { panic!("{} files", made.files.len()) };
    let (data, nodes, edges) = parsed(&String::from_utf8_lossy(text));
    assert_eq!((nodes, edges), (4, 3));
    let assumptions = data.iter().filter(|(key, _)| key == "assumption").map(|(_, value)| value);
    assert_eq!(assumptions.collect::<Vec<_>>(), ["\\result == 41;", "\\result == 42;"]);
}
