//! What a profile can be converted to.

use std::str::FromStr;

use profdata::release::Target;

/// A form of profiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Indexed, for a compiler.
    Indexed(Target),
    /// Text.
    Text,
    /// A partial result of `profrt merge`.
    Partial,
    /// Raw, with this version.
    Raw(u64),
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Form, String> {
        let raw = |number: &str| number.parse().ok().filter(|number| (7..=11).contains(number)).map(Form::Raw);
        let form = match text {
            "text" => Some(Form::Text),
            "partial" => Some(Form::Partial),
            _ => match text.strip_prefix("raw-") {
                Some(number) => raw(number),
                None => Target::of_name(text).ok().map(Form::Indexed),
            },
        };
        form.ok_or_else(|| {
            "write indexed-7 to indexed-14, clang-13 to clang-23, rustc-1.60 to rustc-1.95, text, partial, or raw-7 to raw-11".into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_users() {
        let form = |text: &str| text.parse::<Form>().ok();
        assert_eq!(form("raw-10"), Some(Form::Raw(10)));
        assert_eq!(form("text"), Some(Form::Text));
        assert_eq!(form("partial"), Some(Form::Partial));
        assert_eq!(form("indexed-9"), Target::of_indexed(9).map(Form::Indexed));
        assert_eq!(form("clang-22"), Target::of_name("llvm-22").ok().map(Form::Indexed));
        for wrong in ["raw-6", "raw-12", "raw-", "raw", "indexed-6", "json", ""] {
            assert_eq!(form(wrong), None, "{wrong}");
        }
    }
}
