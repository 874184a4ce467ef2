//! Runs a program and kills it at a system call, or makes that fail.

use std::collections::HashSet;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// What happens at the system call.
#[derive(Clone, Copy)]
pub enum Act<'a> {
    /// Something else happens before it.
    Do(&'a dyn Fn()),
    /// Something else happens before it and each one after it. The flag says that the call opens a file.
    #[cfg(target_arch = "x86_64")]
    Often(&'a dyn Fn(bool)),
    /// The kernel ends the program before it is done.
    Kill,
    /// It is not done, and returns an error. Only where the registers are known.
    #[cfg(target_arch = "x86_64")]
    Fail(Errno),
}

impl std::fmt::Debug for Act<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Act::Do(_) => f.write_str("something happens"),
            #[cfg(target_arch = "x86_64")]
            Act::Often(_) => f.write_str("something happens often"),
            Act::Kill => f.write_str("Kill"),
            #[cfg(target_arch = "x86_64")]
            Act::Fail(error) => write!(f, "{error}"),
        }
    }
}

/// How a program has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It had fewer system calls.
    Before(i32),
    /// After what has happened at the system call.
    After(Option<i32>),
}

/// Runs a program until system call `number`, from 0 and of all threads, and lets something happen there.
#[expect(clippy::zombie_processes, reason = "`trace` takes its exit status")]
pub fn run(program: &Command, number: usize, act: Act<'_>) -> End {
    // The shell waits until it is traced, and becomes the program.
    let mut command = Command::new("sh");
    command.args(["-c", "kill -STOP $$; exec \"$0\" \"$@\""]).arg(program.get_program()).args(program.get_args());
    command
        .current_dir(program.get_current_dir().unwrap())
        .process_group(0)
        .stderr(Stdio::null())
        .stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let leader = Pid::from_raw(child.id().cast_signed());
    waitpid(leader, Some(WaitPidFlag::WUNTRACED)).unwrap();
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL;
    let seized = ptrace::seize(leader, options);
    kill(leader, Signal::SIGCONT).unwrap();
    if let Err(error) = seized {
        kill(leader, Signal::SIGKILL).unwrap();
        child.wait().unwrap();
        panic!("programs cannot be traced here: {error}");
    }
    trace(leader, number, act)
}

fn trace(leader: Pid, number: usize, act: Act<'_>) -> End {
    let group = Pid::from_raw(-leader.as_raw());
    let (mut is_started, mut seen, mut is_done, mut failing) = (false, 0, false, None);
    let mut inside = HashSet::new();
    loop {
        let go = |pid, signal: Option<Signal>| match ptrace::syscall(pid, signal) {
            // It was killed.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => panic!("{error}"),
        };
        match waitpid(group, Some(WaitPidFlag::__WALL)).unwrap() {
            WaitStatus::PtraceSyscall(pid) => {
                let is_entry = inside.insert(pid);
                if !is_entry {
                    inside.remove(&pid);
                    if failing == Some(pid) {
                        failing = None;
                        finish(pid, act);
                    }
                } else if is_started {
                    if seen == number || seen > number && is_often(act) {
                        is_done = true;
                        begin(leader, pid, act);
                        failing = Some(pid);
                    }
                    seen += 1;
                }
                go(pid, None);
            }
            WaitStatus::PtraceEvent(pid, _, event) => {
                is_started |= event == Options::PTRACE_O_TRACEEXEC.bits().trailing_zeros().cast_signed();
                go(pid, None);
            }
            WaitStatus::Stopped(pid, signal) => go(pid, Some(signal)),
            WaitStatus::Exited(pid, code) if pid == leader => {
                return if is_done { End::After(Some(code)) } else { End::Before(code) };
            }
            WaitStatus::Signaled(pid, signal, _) if pid == leader => {
                assert!(is_done, "{signal}");
                return End::After(None);
            }
            _ => {}
        }
    }
}

fn is_often(act: Act<'_>) -> bool {
    #[cfg(target_arch = "x86_64")]
    return matches!(act, Act::Often(_));
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// At the start of the system call.
fn begin(leader: Pid, pid: Pid, act: Act<'_>) {
    match act {
        Act::Do(happen) => happen(),
        #[cfg(target_arch = "x86_64")]
        Act::Often(happen) => {
            const OPENAT: u64 = 257;
            happen(ptrace::getregs(pid).unwrap().orig_rax == OPENAT);
        }
        Act::Kill => kill(leader, Signal::SIGKILL).unwrap(),
        #[cfg(target_arch = "x86_64")]
        Act::Fail(_) => {
            let mut registers = ptrace::getregs(pid).unwrap();
            // `exit` and `exit_group` do not fail: the C library would end one thread only.
            if [60, 231].contains(&registers.orig_rax) {
                return;
            }
            // A number that no system call has.
            registers.orig_rax = u64::MAX;
            ptrace::setregs(pid, registers).unwrap();
        }
    }
    let _ = pid;
}

/// At its end.
fn finish(pid: Pid, act: Act<'_>) {
    match act {
        Act::Do(_) | Act::Kill => {}
        #[cfg(target_arch = "x86_64")]
        Act::Often(_) => {}
        #[cfg(target_arch = "x86_64")]
        Act::Fail(error) => {
            let mut registers = ptrace::getregs(pid).unwrap();
            registers.rax = (-i64::from(error as i32)).cast_unsigned();
            ptrace::setregs(pid, registers).unwrap();
        }
    }
    let _ = pid;
}
