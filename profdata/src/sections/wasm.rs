//! WebAssembly: mappings are in custom sections, names in a segment of the data that is named in one more custom section.

use std::collections::BTreeSet;

use wasmparser::{BinaryReaderError, KnownCustom, Linking, Name, Parser, Payload};

use super::Sections;

/// Returns the sections of a module, a component or an object. Errors: it is cut.
pub(super) fn sections(module: &[u8]) -> Result<Sections<'_>, BinaryReaderError> {
    let mut found = Sections::default();
    let (mut data, mut named) = (None, None);
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            // The first one is the program's; those behind adapt it.
            Payload::ModuleSection { unchecked_range, .. } => {
                let inner = module.get(unchecked_range).unwrap_or_default();
                return if inner.starts_with(b"\0asm\x01\0\0\0") { sections(inner) } else { Ok(found) };
            }
            Payload::DataSection(section) => data = Some(section),
            Payload::CustomSection(custom) => match custom.as_known() {
                // Modules have this one, and objects the other one.
                KnownCustom::Name(parts) => named = parts.into_iter().find_map(of_module).or(named),
                KnownCustom::Linking(parts) => {
                    named = parts.subsections().into_iter().find_map(of_object).or(named);
                }
                _ => {
                    let list = found.list(custom.name().as_bytes());
                    list.into_iter().for_each(|list| list.push(custom.data()));
                }
            },
            _ => {}
        }
    }
    found.is_stripped = named.is_none() && !found.functions.is_empty();
    let named = named.unwrap_or_default();
    let segments = (0..).zip(data.into_iter().flatten()).take_while(|(number, _)| named.last() >= Some(number));
    let wanted = segments.filter(|(number, _)| named.contains(number));
    found.names = wanted.filter_map(|(_, segment)| Some(segment.ok()?.data)).collect();
    Ok(found)
}

/// The segments that have names of functions.
const NAMES: &str = "__llvm_prf_names";

/// Returns the numbers of these segments, if this part of the section `name` has those of data.
fn of_module(part: wasmparser::Result<Name<'_>>) -> Option<BTreeSet<u32>> {
    let Name::Data(segments) = part.ok()? else { return None };
    Some(segments.into_iter().flatten().filter(|segment| segment.name == NAMES).map(|segment| segment.index).collect())
}

/// Returns the same of a part of the section `linking`, which names all segments in order.
fn of_object(part: wasmparser::Result<Linking<'_>>) -> Option<BTreeSet<u32>> {
    let Linking::SegmentInfo(segments) = part.ok()? else { return None };
    let named = (0..).zip(segments.into_iter().flatten()).filter(|(_, segment)| segment.name == NAMES);
    Some(named.map(|(at, _)| at).collect())
}
