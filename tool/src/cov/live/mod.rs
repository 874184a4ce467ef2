//! `profrt live`: what a running program executes, by its continuous files.
//!
//! One thread has all counts ([`model`]), reads them at each tick, and answers messages: of the page ([`server`]), of `profrt live mark` ([`control`])
//! and of the keyboard ([`tui`]). Files are found by [`watch`] and read by [`counters`], which adds them to the sums of [`functions`].

mod control;
mod counters;
mod functions;
mod json;
pub mod mark;
mod marks;
mod model;
mod page;
mod program;
mod server;
mod tui;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use profdata::coverage::Rules;
use profrt_coverage::exclude::Exclude;
use ratatui::crossterm::event::KeyCode;

use super::load;
use super::sources::PathOptions;
use crate::report::style::{Styled, WARNING};
use crate::text::seconds;
use control::Control;
use marks::Mark;
use model::Live;
use page::Question;
use program::Program;
use tui::Tui;
use watch::Watched;

/// What to watch, and how to show it.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Options {
    #[command(subcommand)]
    task: Option<Task>,
    /// Continuous files (`%c` in LLVM_PROFILE_FILE) and directories of them; new ones are seen when they appear. Without any the working directory
    #[arg(value_name = "FILE", conflicts_with = "command")]
    files: Vec<PathBuf>,
    /// The programs and libraries that write the files, or directories of them; the program after `--` is one of them
    #[arg(long, alias = "elf", value_name = "FILE", num_args = 1, required_unless_present = "command")]
    object: Vec<PathBuf>,
    /// Print a JSON object at each tick; a program's own output then goes to standard error. Ends when the program ends
    #[arg(long)]
    json: bool,
    /// Show it in the terminal instead of a page, without the program's own output
    #[arg(long, conflicts_with = "json")]
    tui: bool,
    /// Save what ran between a mark and the next as DIR/NAME.profdata
    #[arg(long, value_name = "DIR")]
    marks: Option<PathBuf>,
    /// Seconds between updates
    #[arg(long, value_name = "SECONDS", default_value = "0.25", value_parser = seconds)]
    interval: Duration,
    #[command(flatten)]
    paths: PathOptions,
    /// A program to start, with its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

#[derive(clap::Subcommand, Debug)]
enum Task {
    /// Set a mark in a running `profrt live`: what runs from now on is saved under its name
    Mark(mark::Options),
}

const EXAMPLES: &str = "\
Example: a page of what a server does now; what each test runs, for `profrt cov who`

    profrt live -- ./server --port 8080
    profrt live --marks marks --json -- ./run-tests      # which calls `profrt live mark NAME` before each test

Exit status: 0 stopped, or the program ended; 1 the program failed, or a mark could not be saved; 2 there is nothing to show.";

/// The shortest time between two ticks.
const SHORTEST: Duration = Duration::from_millis(20);

/// What the thread that has the counts is asked for.
enum Message {
    /// Set a mark, or only end the last one. The answer is empty, or why the last one could not be saved.
    Mark(Option<String>, Reply),
    /// The page asks. The answer is JSON.
    Ask(Question, Reply),
    /// A key for the view in the terminal.
    Key(KeyCode),
    /// The program has ended; whether it failed.
    Ended(bool),
    Stop,
}

/// Takes an answer.
type Reply = Box<dyn FnOnce(String) + Send>;

/// Watches until the program ends or a signal comes, and returns the exit status. Errors: there is nothing to show.
pub fn run(options: &Options) -> Result<u8> {
    if let Some(Task::Mark(options)) = &options.task {
        return mark::run(options);
    }
    let elf = program::and_its_file(&options.object, &options.command);
    let (programs, paths) = (load::programs(&elf)?, options.paths.paths());
    let mut mapping = load::mapping(&programs, Rules::Own)?;
    mapping.set_sources(&paths);
    let (sources, outside) = paths.files(&mapping)?;
    outside.into_iter().for_each(|note| complainln!("{} {note}", Styled(WARNING, "note:")));
    let exclude = Exclude::new(None)?;
    if let Some(marks) = &options.marks {
        std::fs::create_dir_all(marks).with_context(|| format!("{} cannot be made", crate::inputs::display(marks)))?;
    }
    let (sender, messages) = channel();
    stop_at_signals(&sender)?;
    let private = tempfile::Builder::new().prefix("profrt-live-").tempdir().context("no temporary directory")?;
    let control = Control::listen(private.path(), sender.clone())?;
    let files = match (options.command.is_empty(), options.files.is_empty()) {
        (false, _) => vec![private.path().to_owned()],
        (true, true) => vec![PathBuf::from(".")],
        (true, false) => options.files.clone(),
    };
    let mut live = Live::new(&mapping, &sources, &exclude, Watched::new(files), Mark::new(options.marks.clone()))?;
    let mut front = Front::new(options, &control, sender.clone())?;
    let mut program = Program::start(options, private.path(), &control, sender)?;
    let is_failed = watch_until_end(&mut live, &mut front, &mut program, &messages, options)?;
    live.tick();
    if let Err(error) = live.set_mark(None) {
        front.failures.push(format!("{error:#}"));
    }
    let Front { view, failures, .. } = front;
    // Gives the terminal back.
    drop(view);
    failures.iter().for_each(|line| warn_line!("profrt live: {line}"));
    Ok(u8::from(is_failed || !failures.is_empty()))
}

fn stop_at_signals(sender: &Sender<Message>) -> Result<()> {
    let sender = sender.clone();
    // A second signal ends a program that does not.
    let mut is_second = false;
    ctrlc::set_handler(move || {
        if is_second {
            std::process::exit(130);
        }
        is_second = true;
        let _ = sender.send(Message::Stop);
    })
    .context("signals cannot be handled")
}

/// How it is shown.
struct Front {
    view: View,
    /// Questions that the next tick answers.
    waiting: Vec<(Question, Reply)>,
    /// Marks that could not be saved.
    failures: Vec<String>,
}

enum View {
    Json,
    Page,
    Terminal(Tui),
}

impl Front {
    fn new(options: &Options, control: &Control, sender: Sender<Message>) -> Result<Front> {
        let view = if options.json {
            json::start(control)?;
            View::Json
        } else if options.tui {
            View::Terminal(Tui::start(control.path(), sender)?)
        } else {
            let address = server::start(sender)?;
            warn_line!("{address}\nPROFRT_LIVE={}", control.path());
            View::Page
        };
        Ok(Front { view, waiting: Vec::new(), failures: Vec::new() })
    }

    /// Shows a tick.
    fn show(&mut self, live: &mut Live<'_>) -> Result<()> {
        match &mut self.view {
            View::Json => json::tick(live)?,
            View::Page => {}
            View::Terminal(tui) => tui.draw(live)?,
        }
        for (question, reply) in std::mem::take(&mut self.waiting) {
            reply(question.answer(live)?);
        }
        Ok(())
    }
}

/// Ticks and answers. Returns whether the program failed. Errors: nothing can be shown any more.
fn watch_until_end(
    live: &mut Live<'_>,
    front: &mut Front,
    program: &mut Program,
    messages: &Receiver<Message>,
    options: &Options,
) -> Result<bool> {
    let interval = options.interval.max(SHORTEST);
    let (mut next, mut is_stopped, mut is_failed) = (Instant::now() + interval, false, false);
    loop {
        match messages.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(Message::Mark(name, reply)) => {
                // What ran before the mark is of the tick before it.
                live.tick();
                front.show(live)?;
                let done = live.set_mark(name).map_err(|error| format!("{error:#}"));
                front.failures.extend(done.as_ref().err().cloned());
                reply(done.err().unwrap_or_default());
            }
            Ok(Message::Ask(question, reply)) if question.waits(live) => front.waiting.push((question, reply)),
            Ok(Message::Ask(question, reply)) => reply(question.answer(live)?),
            Ok(Message::Key(key)) => {
                if let View::Terminal(tui) = &mut front.view {
                    tui.key(key, live)?;
                }
            }
            Ok(Message::Ended(failed)) => {
                program.has_ended();
                is_failed = failed && !is_stopped;
                live.end();
                front.show(live)?;
                if is_stopped || matches!(front.view, View::Json) {
                    return Ok(is_failed);
                }
            }
            Ok(Message::Stop) if program.stop() => is_stopped = true,
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(is_failed),
            Err(RecvTimeoutError::Timeout) => {
                live.tick();
                front.show(live)?;
                // A machine that sleeps has nothing to catch up with.
                next = Instant::now().max(next + interval);
            }
        }
    }
}
