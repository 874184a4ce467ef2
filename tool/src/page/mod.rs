//! Pages for a browser: one text with style, scripts and data, which asks for nothing from elsewhere. Style and scripts are taken by their
//! hashes only; names and sources are data ([`quoted`], [`block`]), which the scripts show as texts. What pages share is in
//! `tool/templates/page`.

mod block;

use anyhow::Result;
use askama::Template;
use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

pub(crate) use block::block;

/// What pages have in common of their scripts: elements and blocks. They come first.
pub(crate) const SCRIPTS: &str =
    concat!(include_str!("../../templates/page/dom.js"), include_str!("../../templates/page/block.js"));

/// The same of their style.
const STYLE: &str = include_str!("../../templates/page/page.css");

/// A page.
pub(crate) struct Page<'p> {
    /// Its first line.
    pub(crate) mark: &'p str,
    pub(crate) title: &'p str,
    /// The elements that scripts fill.
    pub(crate) body: &'p str,
    pub(crate) style: &'p str,
    pub(crate) script: &'p str,
    /// What else the security policy lets scripts come from, behind a space.
    pub(crate) more_sources: &'p str,
    /// What scripts know first, as JSON.
    pub(crate) index: &'p str,
    pub(crate) blocks: &'p [String],
}

#[derive(Template)]
#[template(path = "page/page.html")]
struct Shell<'p> {
    mark: &'p str,
    title: &'p str,
    body: &'p str,
    style: String,
    style_hash: String,
    script: String,
    script_hash: String,
    more_sources: &'p str,
    index: String,
    blocks: &'p [String],
    version: &'static str,
}

impl Page<'_> {
    /// Returns the text of the page. Errors: none.
    pub(crate) fn text(&self) -> Result<String> {
        let Page { mark, title, body, more_sources, blocks, .. } = *self;
        let (style, script) = ([STYLE, self.style].concat(), escaped(self.script));
        let (style_hash, script_hash) = (hash(&style), hash(&script));
        let index = quoted(self.index);
        let version = env!("CARGO_PKG_VERSION");
        let shell =
            Shell { mark, title, body, style, style_hash, script, script_hash, more_sources, index, blocks, version };
        Ok(shell.render()?)
    }
}

/// Returns a script as it may stand in a page. `<!--` and `<script` in a script would change where it ends; in texts and regular expressions,
/// the only places that have them, they are the same when escaped.
fn escaped(script: &str) -> String {
    script.replace("<!--", "\\x3C!--").replace("<script", "\\x3Cscript").replace("</script", "\\x3C/script")
}

/// Returns JSON as it may stand in a script: what would end that, or begin a comment there, is escaped, and what ends lines in old browsers.
pub(crate) fn quoted(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
}
