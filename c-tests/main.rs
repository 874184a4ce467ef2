//! C and C++ programs, each linked twice and run twice: with the official archive of its compiler and with ours.
//!
//! One test a program, variant and compiler. `README.md` beside this file has the syntax of the programs.
//! Flow: `program` (parse) -> `build` (objects once, links twice) -> `observe` (run, collect) -> `compare`.

mod harness;

use libtest_mimic::{Arguments, Failed, Trial};
use std::iter;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use harness::{archive, archive::Archives, named, program, releases, tools, trial};

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    // Many programs wait more than they compute.
    args.test_threads.get_or_insert(2 * thread::available_parallelism().map_or(1, NonZero::get));
    let (compilers, missing) = tools::compilers();
    let programs = program::discover(Path::new(env!("CARGO_MANIFEST_DIR")));
    let (programs, archives) = match programs.and_then(|programs| Ok((programs, Arc::new(Archives::new()?)))) {
        Ok(found) => found,
        Err(error) => {
            eprintln!("c-tests: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let absent = |release: u32| {
        Trial::test(format!("clang-{release}"), move || Err(format!("clang-{release} is not installed").into()))
            .with_kind(format!("needs clang-{release}"))
    };
    let mut trials: Vec<Trial> = missing.into_iter().map(|release| absent(release).with_ignored_flag(true)).collect();
    for program in programs {
        let named = |variant| named::KINDS.iter().filter_map(move |kind| kind.of(variant));
        let variants: Vec<_> = program.variants.iter().flat_map(|v| iter::once(v.clone()).chain(named(v))).collect();
        for (index, variant) in variants.iter().enumerate() {
            for compiler in &compilers {
                if !releases::tried(variant, index == 0, compiler, &compilers) {
                    continue;
                }
                let name = format!("{}/{}", variant.name, compiler.name());
                let absent = variant.needs.iter().find(|(tool, _)| !tools::present(tool, compiler, &compilers));
                let kind = absent.map_or(String::new(), |(tool, _)| format!("needs {tool}"));
                let (variant, compiler) = (Arc::new(variant.clone()), Arc::clone(compiler));
                let (archives, all) = (Arc::clone(&archives), compilers.clone());
                let ignored = absent.is_some() || variant.only_ours && archive::is_official();
                let trial = Trial::test(name, move || {
                    trial::run(&variant, &compiler, &all, &archives).map_err(|e| Failed::from(format!("{e:#}")))
                });
                trials.push(trial.with_kind(kind).with_ignored_flag(ignored));
            }
        }
    }
    libtest_mimic::run(&args, trials).exit_code()
}
