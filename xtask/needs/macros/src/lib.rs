//! `#[needs("clang", "genhtml")]` in the place of `#[test]`: a test that is ignored, with the name of what is missing, where it cannot run.

#![forbid(unsafe_code)]

use proc_macro::{TokenStream, TokenTree};

/// Marks a test, and names what it needs from the table of the crate `needs`.
///
/// The answer is that of the moment of compilation; the build script asks again when programs come or go. A test whose need has vanished
/// since then fails in its body.
#[proc_macro_attribute]
pub fn needs(names: TokenStream, test: TokenStream) -> TokenStream {
    let mut attributes = String::from("#[test]");
    for token in names {
        let TokenTree::Literal(name) = token else { continue };
        let name = name.to_string().trim_matches('"').to_owned();
        let Some(need) = needs::find(&name) else {
            return format!("compile_error!(\"xtask/needs has no need {name}\");").parse().unwrap_or_default();
        };
        if !need.is_met() {
            attributes += &format!("#[ignore = \"needs {name}\"]");
            break;
        }
    }
    let mut marked: TokenStream = attributes.parse().unwrap_or_default();
    marked.extend(test);
    marked
}
