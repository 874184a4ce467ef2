//! `profrt cov run`: runs a command, and reports what it ran of the programs that are here.
//!
//! Everything is kept in [`DIRECTORY`], for a later `profrt cov`: the profiles, what cargo builds, which programs there are, and the page. For
//! cargo the crates of the workspace are compiled with coverage, in a target directory of their own; what other build systems make has to be.

mod each;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;
use profdata::read::raw::RawFile;
use profrt_coverage::files::FileReport;
use profrt_coverage::lines::{not_run, ranges};
use profrt_coverage::load::Programs;

use walkdir::WalkDir;

use super::who::{OF_RUN, make, name::Names};
use super::{Inputs, Reporting, load};
use crate::inputs::display;
use crate::report::style::{Styled, WARNING};
use crate::report::{Page, exit};

/// Below the working directory.
pub(super) const DIRECTORY: &str = ".profrt";

/// So many files are shown with lines that did not run, and so many runs of lines of each.
const WORST: usize = 3;
const RUNS: usize = 12;

/// What compiles the crates of a workspace, as cargo starts it.
const WRAPPER: &[u8] = b"#!/bin/sh\nexec \"$@\" -Cinstrument-coverage\n";

/// A command, and what to report of it.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// Where the programs and their objects are. Those that cargo builds are found
    #[arg(long, alias = "build", value_name = "DIR", default_value = ".", num_args = 1)]
    object: Vec<PathBuf>,
    /// Run each test of the command alone, and show in the HTML report which tests cover a line: of ctest, cargo test, nextest, pytest, and programs of GoogleTest
    #[arg(long, conflicts_with = "who")]
    each_test: bool,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    reporting: Reporting,
    /// The command, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Example: the tests of a CMake project, compiled with -fprofile-instr-generate -fcoverage-mapping, and of a Rust workspace

    profrt cov run --open -- ctest --test-dir build
    profrt cov run --rust --fail-under lines=80 -- cargo test
    profrt cov run --each-test -- ctest --test-dir build      # which tests ran each line

Exit status: that of the command if it fails, else that of profrt cov.";

/// Runs the command, and reports. Returns the exit status: that of the command if it fails. Errors: it cannot be started, or there is no result.
pub(super) fn run(options: &Options) -> Result<u8> {
    let (directory, mut status) = (std::path::absolute(DIRECTORY)?, 0);
    let reported = report(&directory, &options.reporting, options.open, || ran(options, &directory, &mut status));
    if status == 0 {
        return reported;
    }
    exit("cov", reported);
    Ok(status)
}

/// Runs the command. Returns the programs, and sets the exit status. Errors: it cannot be started, or no program has written a profile.
fn ran(options: &Options, directory: &Path, status: &mut u8) -> Result<Vec<PathBuf>> {
    let profiles = directory.join("profiles");
    match fs::remove_dir_all(&profiles) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).with_context(|| display(&profiles)),
        _ => fs::create_dir_all(&profiles).with_context(|| display(&profiles)),
    }?;
    // Git does not see it.
    fs::write(directory.join(".gitignore"), "*\n")?;
    let names;
    (*status, names) = match options.each_test {
        true => start_each(&options.command, directory, &profiles)?,
        false => (start(&options.command, directory, &profiles)?, Names::default()),
    };
    let failed = format!("the command failed (exit status {status})");
    if fs::read_dir(&profiles)?.next().is_none() {
        ensure!(*status == 0, "{failed} before any program has written a profile");
        bail!(
            "no program has written a profile\n  remedy: compile and link by clang with -fprofile-instr-generate -fcoverage-mapping, for example \
             cmake -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=\"-fprofile-instr-generate -fcoverage-mapping\"; of Rust run cargo itself"
        );
    }
    if *status != 0 {
        complainln!("{} {failed}: what it did not run counts as not run", Styled(WARNING, "note:"));
    }
    let builds = builds(&profiles)?;
    let objects = objects(&options.object, directory, &builds)?;
    let list: Vec<_> = objects.iter().map(|path| path.to_string_lossy()).collect();
    fs::write(directory.join("objects"), list.join("\n"))?;
    match options.each_test {
        true => _ = make::run(&[profiles], &objects, &options.reporting.paths.paths(), &names, Path::new(OF_RUN))?,
        false => _ = fs::remove_file(OF_RUN),
    }
    Ok(objects)
}

/// Reports the last run. Returns the exit status. Errors: there was none here, or there is no result.
pub(super) fn again(reporting: &Reporting) -> Result<u8> {
    let directory = std::path::absolute(DIRECTORY)?;
    let list = fs::read_to_string(directory.join("objects")).ok().context(
        "no program is named, and no `profrt cov run -- COMMAND` was here\n  remedy: --object names the programs that wrote the profiles",
    )?;
    report(&directory, reporting, false, || Ok(list.lines().map(PathBuf::from).collect()))
}

/// Runs each test of a command. Returns the largest exit status, and the name of each directory of profiles. Errors: it has no tests.
fn start_each(command: &[OsString], directory: &Path, profiles: &Path) -> Result<(u8, Names)> {
    let nothing = directory.join("list").join("%p-%m.profraw");
    let (mut status, mut names) = (0, Names::default());
    let all = each::of(command, |child| prepare(child, directory, &nothing))?;
    for (number, (name, command)) in all.into_iter().enumerate() {
        // A name can be none of a file.
        let of_test = profiles.join(number.to_string());
        status = start(&command, directory, &of_test)?.max(status);
        names.given.push((Pattern::new(&format!("{}/*", Pattern::escape(&of_test.to_string_lossy())))?, name));
    }
    let _ = fs::remove_dir_all(directory.join("list"));
    Ok((status, names))
}

/// Runs the command, whose programs write their profiles to a directory. Returns the exit status. Errors: it cannot be started.
fn start(command: &[OsString], directory: &Path, profiles: &Path) -> Result<u8> {
    let (program, arguments) = command.split_first().context("no command")?;
    let mut child = Command::new(program);
    // The number of the process too: LLVM's runtime gives the same `%m` to programs of the same size.
    prepare(child.args(arguments), directory, &profiles.join("%p-%m.profraw"))?;
    let status = child.status().with_context(|| format!("{} cannot be started", display(program.as_ref())))?;
    Ok(status.code().map_or(1, |code| code as u8))
}

/// Says where profiles go, lets cargo compile for them, and pytest run one test.
fn prepare(child: &mut Command, directory: &Path, profiles: &Path) -> Result<()> {
    child.env("LLVM_PROFILE_FILE", profiles);
    if Path::new(child.get_program()).file_name() == Some("cargo".as_ref()) {
        let wrapper = directory.join("rustc");
        fs::write(&wrapper, WRAPPER)?;
        #[cfg(unix)]
        fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        child.env("RUSTC_WORKSPACE_WRAPPER", wrapper).env("CARGO_TARGET_DIR", directory.join("cargo"));
    } else if child.get_args().any(|argument| argument == each::OF_PLUGIN) {
        fs::write(directory.join("profrt_test.py"), each::PLUGIN)?;
        let others = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let modules = std::iter::once(directory.to_owned()).chain(std::env::split_paths(&others));
        child.env("PYTHONPATH", std::env::join_paths(modules)?);
    }
    Ok(())
}

/// Returns the build ids of raw profiles.
fn builds(profiles: &Path) -> Result<BTreeSet<Vec<u8>>> {
    let mut builds = BTreeSet::new();
    for entry in WalkDir::new(profiles) {
        let entry = entry?;
        let bytes = if entry.file_type().is_file() { fs::read(entry.path())? } else { continue };
        // What is damaged is said later.
        builds.extend(RawFile::parse(&bytes, 0).into_iter().flat_map(|file| file.binary_ids().0).map(<[u8]>::to_vec));
    }
    Ok(builds)
}

/// Returns the programs and what was compiled below the directories, and what ran of that which cargo has built here: it keeps old programs.
/// Errors: there are none.
fn objects(directories: &[PathBuf], directory: &Path, builds: &BTreeSet<Vec<u8>>) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for path in directories {
        paths.extend(load::below(&std::path::absolute(path)?)?);
    }
    let cargo = directory.join("cargo");
    if cargo.exists() {
        paths.extend(load::below(&cargo)?);
    }
    let programs = Programs::open(paths)?;
    let has_run = |id: Option<&[u8]>| id.is_some_and(|id| builds.contains(id));
    let wanted = programs.builds().filter(|(path, id)| !path.starts_with(&cargo) || has_run(*id));
    let paths: Vec<PathBuf> = wanted.map(|(path, _)| path.to_owned()).collect();
    ensure!(!paths.is_empty(), "there is no program; --object DIR says where they are");
    Ok(paths)
}

/// Reports what the programs ran, and opens the page. Returns the exit status. Errors: there is no result.
fn report(
    directory: &Path,
    reporting: &Reporting,
    open: bool,
    objects: impl FnOnce() -> Result<Vec<PathBuf>>,
) -> Result<u8> {
    let (profiles, page) = ([directory.join("profiles")], directory.join("coverage"));
    let page = reporting.html.as_ref().unwrap_or(&page);
    let inputs = Inputs { profiles: &profiles, compat: None, of_run: Some([page, Path::new(OF_RUN)]) };
    let status = super::report(&inputs, reporting, objects)?;
    let page = if page.is_dir() { page.join("index.html") } else { page.to_owned() };
    complainln!("page: {}", display(&page));
    if open {
        let open = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        Command::new(open).arg(page).status().with_context(|| format!("{open} cannot be started"))?;
    }
    Ok(status)
}

/// Shows the lines that did not run of the files that have most of them.
pub(super) fn show_worst(files: &[FileReport]) {
    let missing = |file: &&FileReport| file.totals.lines.count - file.totals.lines.covered;
    let mut worst: Vec<&FileReport> = files.iter().filter(|file| missing(file) > 0).collect();
    worst.sort_by_key(|file| std::cmp::Reverse(missing(file)));
    let mut shown = Page::default();
    for file in worst.into_iter().take(WORST) {
        let mut runs = not_run(&file.lines);
        let more = if runs.len() > RUNS { ", …" } else { "" };
        runs.truncate(RUNS);
        shown.line(format_args!("uncovered: {}:{}{more}", file.path, ranges(runs)));
    }
    complain!("{}", shown.text());
}
