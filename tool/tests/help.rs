//! `--help` of each command has an example, and the examples are command lines that work.

use clap::{Command, CommandFactory, Parser};
use profrt_tool::command_line::Arguments;

/// The commands of examples, words of each.
fn examples(help: &str) -> Vec<Vec<String>> {
    let joined = help.replace("\\\n", " ");
    let lines = joined.lines().filter_map(|line| line.strip_prefix("    ")).map(str::trim);
    lines.map(|line| line.split_whitespace().map(|word| word.replace(['\'', '"'], "")).collect()).collect()
}

fn help(command: &Command) -> String {
    command.get_after_help().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn each_command_has_an_example_that_parses() {
    let arguments = Arguments::command();
    assert!(help(&arguments).starts_with("Example"));
    let mut parsed = 0;
    let in_groups = arguments
        .get_subcommands()
        .flat_map(|group| group.get_subcommands().map(move |command| (group.get_name(), command)));
    let of_all = arguments.get_subcommands().map(|command| ("", command));
    for (group, command) in of_all.chain(in_groups) {
        let (name, help) = (command.get_name(), help(command));
        assert!(help.starts_with("Example"), "{name} --help has no example");
        assert!(help.contains("Exit status: "), "{name} --help does not say what its exit status means");
        let own: Vec<_> = examples(&help)
            .into_iter()
            .filter(|words| {
                words[0] == "profrt" && words.get(1 + usize::from(!group.is_empty())).is_some_and(|word| word == name)
            })
            .collect();
        assert!(!own.is_empty(), "{name}: {help}");
        for words in own {
            let result = Arguments::try_parse_from(&words);
            assert!(result.is_ok(), "{}: {}", words.join(" "), result.unwrap_err());
            parsed += 1;
        }
    }
    assert!(parsed >= 10, "{parsed}");
}

/// Man pages and completions are made of the grammar, which has a text for everything.
#[test]
fn everything_on_the_command_line_has_a_text() {
    for command in Arguments::command().get_subcommands() {
        assert!(command.get_about().is_some(), "{}", command.get_name());
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
        }
    }
}
