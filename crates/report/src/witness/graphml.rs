//! Violation witnesses in GraphML, format 1.0: the run as a path of nodes, with an assumption on
//! each edge where a function of the environment returns.

use super::{Metadata, SegmentItem};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// The keys that the graph uses: name, what carries it, the type.
const KEYS: [(&str, &str, &str); 13] = [
    ("witness-type", "graph", "string"),
    ("sourcecodelang", "graph", "string"),
    ("producer", "graph", "string"),
    ("specification", "graph", "string"),
    ("programfile", "graph", "string"),
    ("programhash", "graph", "string"),
    ("architecture", "graph", "string"),
    ("creationtime", "graph", "string"),
    ("entry", "node", "boolean"),
    ("violation", "node", "boolean"),
    ("startline", "edge", "int"),
    ("assumption", "edge", "string"),
    ("assumption.scope", "edge", "string"),
];

/// The text of the witness.
pub fn write(metadata: &Metadata, content: &[SegmentItem]) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = writer
        .create_element("graphml")
        .with_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"));
    root.write_inner_content(|writer| {
        for (name, carrier, ty) in KEYS {
            let key = writer.create_element("key").with_attributes([
                ("id", name),
                ("attr.name", name),
                ("attr.type", ty),
                ("for", carrier),
            ]);
            key.write_empty()?;
        }
        writer
            .create_element("graph")
            .with_attribute(("edgedefault", "directed"))
            .write_inner_content(|writer| graph(writer, metadata, content))?;
        Ok(())
    })?;
    String::from_utf8(writer.into_inner()).map_err(io::Error::other)
}

type Xml = Writer<Vec<u8>>;

fn data(writer: &mut Xml, key: &str, value: &str) -> io::Result<()> {
    let element = writer.create_element("data").with_attribute(("key", key));
    element.write_text_content(BytesText::new(value))?;
    Ok(())
}

fn graph(writer: &mut Xml, metadata: &Metadata, content: &[SegmentItem]) -> io::Result<()> {
    let task = &metadata.task;
    data(writer, "witness-type", "violation_witness")?;
    data(writer, "sourcecodelang", &task.language)?;
    data(writer, "producer", &format!("{} {}", metadata.producer.name, metadata.producer.version))?;
    data(writer, "specification", &task.specification)?;
    data(writer, "programfile", task.input_files.first().map_or("", String::as_str))?;
    let hash = task.input_files.first().and_then(|file| task.input_file_hashes.get(file));
    data(writer, "programhash", hash.map_or("", String::as_str))?;
    let architecture = if task.data_model == "LP64" { "64bit" } else { "32bit" };
    data(writer, "architecture", architecture)?;
    data(writer, "creationtime", &metadata.creation_time)?;
    for number in 0..=content.len() {
        let id = format!("N{number}");
        let node = writer.create_element("node").with_attribute(("id", id.as_str()));
        node.write_inner_content(|writer| {
            if number == 0 {
                data(writer, "entry", "true")?;
            }
            if number == content.len() {
                data(writer, "violation", "true")?;
            }
            Ok(())
        })?;
    }
    for (number, item) in content.iter().enumerate() {
        let Some(waypoint) = item.segment.last().map(|item| &item.waypoint) else { continue };
        let (from, to) = (format!("N{number}"), format!("N{}", number + 1));
        let edge = writer
            .create_element("edge")
            .with_attributes([("source", from.as_str()), ("target", to.as_str())]);
        edge.write_inner_content(|writer| {
            data(writer, "startline", &waypoint.location.line.to_string())?;
            if let Some(constraint) = &waypoint.constraint {
                data(writer, "assumption", &format!("{};", constraint.value))?;
                if let Some(function) = &waypoint.location.function {
                    data(writer, "assumption.scope", function)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
