//! Public calls are archive members of their own.

use super::archive::Archive;
use super::official::Official;

/// Members with more than one public function. A program that defines one of them would get the member for another, and two definitions.
pub fn check(archive: &Archive, official: &[Official]) -> Vec<String> {
    let mut findings = Vec::new();
    for member in &archive.members {
        let public = |name: &str| official.iter().any(|line| line.name == name);
        let functions = member.symbols.iter().filter(|symbol| symbol.defined && symbol.kind == "func");
        let names: Vec<&str> = functions.map(|symbol| symbol.name.as_str()).filter(|name| public(name)).collect();
        if names.len() > 1 {
            findings.push(format!(
                "{} defines {}: a program that defines one of them and calls another does not link",
                member.name,
                names.join(" and ")
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::official;
    use super::super::tests::{archive, barks};
    use super::*;

    #[test]
    fn two_calls_in_one_member_are_found() {
        let official = official::parse("one func global hidden 22\ntwo func global hidden 22\n").unwrap();
        let call = |name: &str| format!(".globl {name}\n.type {name},@function\n{name}: ret\n");
        let (split, _directory) = archive(10, &[("a.o", &call("one")), ("b.o", &call("two"))]);
        assert_eq!(check(&split, &official), [""; 0]);
        let (joined, _directory) = archive(10, &[("a.o", &(call("one") + &call("two")))]);
        barks(&check(&joined, &official), &["a.o", "one and two"]);
    }
}
