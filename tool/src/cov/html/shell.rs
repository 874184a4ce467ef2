//! The shell of a page: its style and scripts, which are bundled, and the data.

use anyhow::Result;
use askama::Template;
use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

use super::directory::MARK;

const STYLE: &str = include_str!("../../../templates/cov/page.css");

/// In the order in which they run; those of the page itself share one scope.
const HIGHLIGHT: &str = include_str!("../../../templates/cov/vendor/highlight.min.js");
const DOM: &str = include_str!("../../../templates/cov/dom.js");
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

/// The page. Style and scripts are taken by their hashes only.
#[derive(Template)]
#[template(path = "cov/page.html")]
struct Page<'p> {
    mark: &'static str,
    style: &'static str,
    style_hash: String,
    script: &'p str,
    script_hash: String,
    /// Data are in files of their own, from the same place.
    has_files: bool,
    /// Data come from `profrt live`, from the same place.
    is_live: bool,
    index: String,
    blocks: &'p [String],
    version: &'static str,
}

/// Returns a page. `index` is JSON; without blocks data are in files of their own.
pub(super) fn page(index: &str, blocks: &[String]) -> Result<String> {
    let script = script(&format!("(() => {{\n\"use strict\";\n{DOM}{MODEL}{LOAD}{}}})();\n", VIEW.concat()));
    render(index, blocks, &script, false)
}

/// Returns the page of `profrt live`, which asks for everything. Errors: none.
#[cfg(unix)]
pub(in crate::cov) fn live() -> Result<String> {
    let script = format!("(async () => {{\n\"use strict\";\n{DOM}{ASK}{MODEL}{}{LIVE}}})();\n", VIEW.concat());
    render("", &[], &self::script(&script), true)
}

fn render(index: &str, blocks: &[String], script: &str, is_live: bool) -> Result<String> {
    let page = Page {
        mark: MARK,
        style: STYLE,
        style_hash: hash(STYLE),
        script,
        script_hash: hash(script),
        has_files: blocks.is_empty() && !is_live,
        is_live,
        index: quoted(index),
        blocks,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(page.render()?)
}

/// Returns the bundled script and ours as one. `<!--` and `<script` in a script would change where it ends; in texts and regular expressions, the only places
/// that have them, they are the same when escaped.
fn script(own: &str) -> String {
    let script = format!("{HIGHLIGHT}\n{own}");
    script.replace("<!--", "\\x3C!--").replace("<script", "\\x3Cscript").replace("</script", "\\x3C/script")
}

/// Returns JSON as it may stand in a script: what would end that, or begin a comment there, is escaped, and what ends lines in old browsers.
pub(super) fn quoted(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_script_early() {
        let page = page(r#"{"a":"</script><!--<script>"}"#, &["b".to_owned()]).unwrap();
        assert!(!page.contains("<!--<") && !live().unwrap().contains("<!--<"));
        let scripts: Vec<_> = page.match_indices("<script").collect();
        assert_eq!((scripts.len(), page.matches("</script>").count()), (3, 3), "the script, the index, a block");
        assert!(page.starts_with(MARK));
    }
}
