//! What the page is made of: its style and scripts, which are bundled, and the data.

use anyhow::Result;

use super::directory::MARK;
use crate::page::{self, Page};

/// In the order in which they run; those of the page itself share one scope.
const HIGHLIGHT: &str = include_str!("../../../templates/cov/vendor/highlight.min.js");
const MODEL: &str = include_str!("../../../templates/cov/model.js");
/// Where data come from: from the page and the files next to it, or from `profrt live`.
const LOAD: &str = include_str!("../../../templates/cov/load.js");
const ASK: &str = include_str!("../../../templates/cov/live/ask.js");
const VIEW: [&str; 8] = [
    include_str!("../../../templates/cov/tree.js"),
    include_str!("../../../templates/cov/tests.js"),
    include_str!("../../../templates/cov/overview.js"),
    include_str!("../../../templates/cov/text.js"),
    include_str!("../../../templates/cov/details.js"),
    include_str!("../../../templates/cov/source.js"),
    include_str!("../../../templates/cov/view.js"),
    include_str!("../../../templates/cov/keys.js"),
];
const LIVE: &str = include_str!("../../../templates/cov/live/live.js");

/// Returns a page. `index` is JSON; without blocks data are in files of their own, from the same place.
pub(super) fn page(index: &str, blocks: &[String]) -> Result<String> {
    let script = format!("(() => {{\n\"use strict\";\n{}{MODEL}{LOAD}{}}})();\n", page::SCRIPTS, VIEW.concat());
    render(index, blocks, &script, if blocks.is_empty() { " 'self'" } else { "" })
}

/// Returns the page of `profrt live`, which asks for everything. Errors: none.
#[cfg(unix)]
pub(in crate::cov) fn live() -> Result<String> {
    let view = VIEW.concat();
    let script = format!("(async () => {{\n\"use strict\";\n{}{ASK}{MODEL}{view}{LIVE}}})();\n", page::SCRIPTS);
    render("", &[], &script, "; connect-src 'self'")
}

fn render(index: &str, blocks: &[String], script: &str, more_sources: &str) -> Result<String> {
    let page = Page {
        mark: MARK,
        title: "Coverage",
        body: include_str!("../../../templates/cov/body.html"),
        style: include_str!("../../../templates/cov/page.css"),
        script: &format!("{HIGHLIGHT}\n{script}"),
        more_sources,
        index,
        blocks,
    };
    page.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_script_early() {
        let page = page(r#"{"a":"</script><!--<script>"}"#, &["b".to_owned()]).unwrap();
        assert!(!page.contains("<!--<") && page.matches("<!--").count() == 1, "that of the mark");
        assert!(!live().unwrap().contains("<!--<"));
        let scripts: Vec<_> = page.match_indices("<script").collect();
        assert_eq!((scripts.len(), page.matches("</script>").count()), (3, 3), "the script, the index, a block");
        assert!(page.starts_with(MARK));
    }
}
