//! The README stands in a registry, too, where no other file is. Its examples are tests of the documentation.

const README: &str = include_str!("../README.md");

#[test]
fn links_do_not_leave_the_page_for_files() {
    let inline = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let definitions = README.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split_once("]: "));
    let targets: Vec<&str> = inline.chain(definitions.map(|(_, target)| target)).collect();
    assert!(targets.len() > 4);
    for target in targets {
        assert!(target.starts_with("https://") || target.starts_with('#'), "{target}");
        let Some(item) = target.strip_prefix("https://docs.rs/profdata/latest/profdata/") else { continue };
        // In the documentation each module is a directory, and each structure a page in it.
        let (module, page) = item.rsplit_once('/').unwrap();
        let file = format!("{}/src/{module}.rs", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{target}: {file}: {error}"));
        let name = page.strip_prefix("struct.").and_then(|page| page.strip_suffix(".html"));
        assert!(name.is_none_or(|name| source.contains(&format!("pub struct {name} {{"))), "{target}");
    }
}
