//! C and C++ programs, each linked twice and run twice: with the official archive of its compiler and with ours.
//!
//! One test a program, variant and compiler. `harness/program.rs` has the syntax of the programs.
//! Flow: `program` (parse) -> `build` (objects once, links twice) -> `observe` (run, collect) -> `compare`.

mod harness;

use libtest_mimic::{Arguments, Failed, Trial};
use std::env;
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
    // What is missing there is a failure.
    let strict = env::var_os("CI").is_some();

    let absent = |release: u32| {
        Trial::test(format!("clang-{release}"), move || Err(format!("clang-{release} is not installed").into()))
            .with_kind(format!("needs clang-{release}"))
    };
    let mut trials: Vec<Trial> =
        missing.into_iter().map(|release| absent(release).with_ignored_flag(!strict)).collect();
    for (program, compiler) in
        programs.iter().flat_map(|program| compilers.iter().map(move |compiler| (program, compiler)))
    {
        let allowed = program.variants.iter().filter(|variant| variant.clang.contains(&compiler.version));
        let named = named::KINDS.iter().map(|kind| allowed.clone().filter_map(|variant| kind.of(variant)).collect());
        let kinds: Vec<Vec<_>> = iter::once(allowed.clone().cloned().collect()).chain(named).collect();
        for (index, variant) in kinds.into_iter().flat_map(|variants| variants.into_iter().enumerate()) {
            if !releases::tried(&variant, index == 0, compiler, &compilers) {
                continue;
            }
            let name = format!("{}/{}", variant.name, compiler.name());
            let absent = variant.needs.iter().find(|(tool, _)| !tools::present(tool, compiler, &compilers));
            let absent = absent.map(|(tool, _)| format!("needs {tool}"));
            let kind = absent.clone().unwrap_or_default();
            let ignored = absent.is_some() && !strict || variant.only_ours && archive::is_official();
            let (compiler, all, archives) = (Arc::clone(compiler), compilers.clone(), Arc::clone(&archives));
            let trial = Trial::test(name, move || match absent {
                Some(absent) => Err(absent.into()),
                None => trial::run(&variant, &compiler, &all, &archives).map_err(|e| Failed::from(format!("{e:#}"))),
            });
            trials.push(trial.with_kind(kind).with_ignored_flag(ignored));
        }
    }
    libtest_mimic::run(&args, trials).exit_code()
}
