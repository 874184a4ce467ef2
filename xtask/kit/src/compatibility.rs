//! The keys of docs/COMPATIBILITY.md, by which the programs in `c-tests/` name a difference from LLVM's runtime.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// The document, from the root of the project.
pub const FILE: &str = "docs/COMPATIBILITY.md";

/// The tables that have keys.
const TABLES: [&str; 2] = ["Departs", "Messages"];

/// Cells of a row: key, LLVM's runtime, profrt, shown by.
const CELLS: usize = 4;

/// Reads the keys of the document below `root`.
pub fn read(root: &Path) -> Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(root.join(FILE)).with_context(|| format!("cannot read {FILE}"))?;
    keys(&text).with_context(|| FILE.to_owned())
}

/// Returns the keys of all rows. An error for a row that Markdown would show wrongly, for a key that stands twice, and for a table
/// that is missing.
fn keys(text: &str) -> Result<BTreeSet<String>> {
    let mut keys = BTreeSet::new();
    for table in TABLES {
        let (_, section) =
            text.split_once(&format!("\n## {table}\n")).with_context(|| format!("no section {table}"))?;
        let section = section.split("\n## ").next().unwrap_or_default();
        // The first two lines of a table are its heading and the line below it.
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).skip(2).collect();
        ensure!(!rows.is_empty(), "the section {table} has no table");
        for row in rows {
            let inner = row.strip_prefix('|').and_then(|row| row.strip_suffix('|')).unwrap_or(row);
            let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
            let key = cells[0].strip_prefix("**").and_then(|cell| cell.strip_suffix("**"));
            let Some(key) = key else { bail!("a row has no **key**: {row}") };
            ensure!(cells.len() == CELLS, "**{key}** has {} cells instead of {CELLS}", cells.len());
            ensure!(keys.insert(key.to_owned()), "**{key}** stands twice");
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "| key | LLVM | profrt | shown by |\n| --- | --- | --- | --- |\n";

    fn document(departs: &str, messages: &str) -> String {
        format!(
            "# C\n\n## Departs\n\n{HEAD}{departs}\n### notes\n\n**no key**\n\n## Messages\n\n{HEAD}{messages}\n## Same\n\n{HEAD}"
        )
    }

    #[test]
    fn keys_are_the_bold_first_cells() {
        let text = document(
            "| **%c** | | maps, **never** copies | `a/b` |\n| **name** | x | | |\n",
            "| **dump** | warns | does not | |\n",
        );
        assert_eq!(keys(&text).unwrap(), BTreeSet::from(["%c", "dump", "name"].map(str::to_owned)));
    }

    #[test]
    fn rows_that_are_wrong_are_errors() {
        let good = "| **a** | | | |\n";
        let error = |departs: &str| keys(&document(departs, "| **z** | | | |\n")).unwrap_err().to_string();
        assert_eq!(error("| b | | | |\n"), "a row has no **key**: | b | | | |");
        assert_eq!(error("| **b** | | |\n"), "**b** has 3 cells instead of 4");
        assert_eq!(error(&format!("{good}{good}")), "**a** stands twice");
        assert_eq!(error("| **z** | | | |\n"), "**z** stands twice");
        assert_eq!(error(""), "the section Departs has no table");
        assert_eq!(keys(&format!("\n## Departs\n{HEAD}{good}")).unwrap_err().to_string(), "no section Messages");
    }

    #[test]
    fn the_document_has_keys() {
        assert!(read(&crate::paths::root()).unwrap().contains("whole or absent"));
    }
}
