//! One side: runs the steps and collects all that can be seen afterwards, as text a facet.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::archive::is_official;
use super::merges::{self, Form, Merge};
use super::named;
use super::program::{Facet, LinkKind, Step, Variant, Who};
use super::raw;
use super::shell::{self, Output};
use super::tools::Compiler;

/// What LLVM's tools have printed, by release, what was asked about and what was decoded of it.
static ASKED: Mutex<BTreeMap<(u32, String), String>> = Mutex::new(BTreeMap::new());

#[derive(Default)]
pub struct Observed {
    exit: String,
    stdout: String,
    stderr: String,
    files: String,
    content: String,
    header: String,
    sections: String,
    merge: String,
    cov: String,
    /// How many profiles there were.
    pub profiles: usize,
    /// What went wrong when the profiles were read; a program must say that it expects this.
    pub unreadable: Vec<String>,
    /// What `llvm-profdata merge` has made of the profiles.
    pub merges: Vec<Merge>,
}

impl Observed {
    pub fn text(&self, facet: Facet) -> &str {
        match facet {
            Facet::Exit => &self.exit,
            Facet::Stdout => &self.stdout,
            Facet::Stderr => &self.stderr,
            Facet::Files => &self.files,
            Facet::Content => &self.content,
            Facet::Header => &self.header,
            Facet::Sections => &self.sections,
            Facet::Merge => &self.merge,
            Facet::Cov => &self.cov,
        }
    }
}

pub struct Side<'a> {
    pub who: Who,
    pub variant: &'a Variant,
    pub compiler: &'a Compiler,
    /// What its programs are linked with.
    pub resources: PathBuf,
    /// Holds `bin`, with the programs, and `run`, the working directory.
    pub dir: PathBuf,
}

impl Side<'_> {
    pub fn bin(&self) -> PathBuf {
        self.dir.join("bin")
    }

    pub fn observe(&self) -> Result<Observed> {
        let mut seen = Observed::default();
        std::fs::create_dir_all(self.dir.join("run"))?;
        for step in &self.variant.steps {
            // In a self-check the official archive stands on both sides.
            let side = if is_official() { Who::Official } else { self.who };
            if step.who == Who::Both || step.who == side {
                self.step(step, &mut seen)?;
            }
        }
        let mut profiles = Vec::new();
        self.files(&self.dir.join("run"), &mut seen, &mut profiles)?;
        seen.profiles = profiles.len();
        // Names that differ in a process id alone: order by what they hold.
        let mut looked = Vec::new();
        for path in &profiles {
            looked.push(self.profile(path, &mut seen)?);
        }
        looked.sort();
        for [name, header, sections, merge] in &looked {
            let _ = write!(seen.header, "{name}\n{header}");
            let _ = write!(seen.sections, "{name}\n{sections}");
            let _ = write!(seen.merge, "{name}\n{merge}");
        }
        if self.variant.maps_coverage() && !profiles.is_empty() {
            let about = format!("{}: {looked:?}", self.variant.name);
            seen.cov = self.asked(about, &mut seen, |seen| self.coverage(&profiles, seen))?;
        }
        Ok(seen)
    }

    /// What LLVM's tools print. They are not asked again about what was decoded before, except for one variant in 16, and where they read
    /// the program as well.
    fn asked(
        &self,
        about: String,
        seen: &mut Observed,
        ask: impl FnOnce(&mut Observed) -> Result<String>,
    ) -> Result<String> {
        let key = (self.compiler.version, about);
        let fresh = !self.variant.merge_flags.is_empty() || merges::is_of_the_share(self.variant, self.compiler);
        let known = ASKED.lock().unwrap().get(&key).filter(|_| !fresh).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let text = ask(seen)?;
        // What names a file is about this one.
        if seen.unreadable.is_empty() && !text.contains("{side}") {
            ASKED.lock().unwrap().insert(key, text.clone());
        }
        Ok(text)
    }

    fn step(&self, step: &Step, seen: &mut Observed) -> Result<()> {
        let (bin, run) = (self.bin(), self.dir.join("run"));
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let compiler = self.compiler;
        let source = self.variant.source.parent().context("a directory")?;
        let release = compiler.version.to_string();
        let version = compiler.raw.to_string();
        let mut env: Vec<(&str, &OsStr)> = vec![
            ("PATH", path.as_ref()),
            ("LD_LIBRARY_PATH", bin.as_ref()),
            ("BIN", bin.as_ref()),
            ("SRC", source.as_ref()),
            ("CLANG", compiler.clang.as_ref()),
            ("CLANGXX", compiler.clangxx.as_ref()),
            ("RESOURCES", self.resources.as_ref()),
            ("PROFDATA", compiler.profdata.as_ref()),
            ("COV", compiler.cov.as_ref()),
            ("RELEASE", release.as_ref()),
            ("RAW", version.as_ref()),
        ];
        env.extend(self.variant.kind.map(|kind| ("LLVM_PROFILE_FILE", kind.pattern(self.who).as_ref())));
        let fixed = self.variant.kind.is_some() && named::no_aslr();
        let out = shell::line(&step.line, fixed, &run, &env)?;
        if out.code != step.exit {
            bail!(
                "{:?}: `{}`: exit code {}, expected {}\nstdout:\n{}\nstderr:\n{}",
                self.who,
                step.line,
                out.code,
                step.exit,
                out.stdout,
                out.stderr
            );
        }
        if step.who == Who::Both {
            let _ = writeln!(seen.exit, "{}: {}", step.line, out.code);
            let _ = writeln!(seen.stdout, "$ {}\n{}", step.line, self.plain(&out.stdout));
            let _ = writeln!(seen.stderr, "$ {}\n{}", step.line, self.plain(&out.stderr));
        }
        Ok(())
    }

    /// Text without this side's directory and without numbers that look like process ids.
    fn plain(&self, text: &str) -> String {
        shell::without_numbers(&text.replace(&*self.dir.to_string_lossy(), "{side}"))
    }

    fn files(&self, dir: &Path, seen: &mut Observed, profiles: &mut Vec<PathBuf>) -> Result<()> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(dir)? {
            found.push(entry?.path());
        }
        found.sort();
        for path in found {
            let relative = path.strip_prefix(self.dir.join("run"))?.to_string_lossy();
            let name = shell::without_numbers(&relative);
            let meta = path.symlink_metadata()?;
            let _ = writeln!(seen.files, "{name} {:o}", meta.mode());
            if meta.is_dir() {
                self.files(&path, seen, profiles)?;
            } else if meta.is_file() {
                let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
                if raw::is_raw(&bytes) {
                    profiles.push(path);
                } else {
                    let _ = writeln!(seen.content, "{name}:\n{}", self.plain(&String::from_utf8_lossy(&bytes)));
                }
            }
        }
        Ok(())
    }

    /// Name, header, sections and `merge --text` of one raw profile.
    fn profile(&self, path: &Path, seen: &mut Observed) -> Result<[String; 4]> {
        let name = self.plain(&path.strip_prefix(self.dir.join("run"))?.to_string_lossy());
        let bytes = std::fs::read(path)?;
        let (header, sections) = match raw::decode(&bytes) {
            Ok(decoded) => {
                self.check_ids(&decoded.ids)?;
                (decoded.header, decoded.sections)
            }
            Err(error) => {
                seen.unreadable.push(format!("{name}: {error:#}"));
                (String::new(), format!("{error:#}"))
            }
        };
        let mut result = None;
        let mut ask = |seen: &mut Observed| {
            let mut command = self.profdata("merge");
            command.args(["--text", "--failure-mode=any"]).args(self.merge_flags()).arg(path).arg("-o").arg("-");
            let out = shell::output(&mut command)?;
            result = Some((out.code == 0).then(|| out.stdout.clone().into_bytes()));
            Ok(self.readable(&command, out, &mut seen.unreadable))
        };
        // Of values only `llvm-profdata` tells whether an address is the right one.
        let merge = if sections.contains("values of record") {
            ask(seen)?
        } else {
            self.asked(format!("{header}{sections}"), seen, ask)?
        };
        let result = result.unwrap_or_else(|| Some(merge.clone().into_bytes()));
        seen.merges.push(Merge { form: Form::Text, sparse: false, inputs: vec![(1, path.into())], result });
        Ok([name, header, sections, merge])
    }

    /// The ids of a profile are build ids of the images that were linked.
    fn check_ids(&self, ids: &[Vec<u8>]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut images = Vec::new();
        for link in self.variant.links.iter().filter(|l| l.kind != LinkKind::Archive) {
            images.push(std::fs::read(self.bin().join(&link.name))?);
        }
        for id in ids {
            // The note as the linker wrote it: lengths, type, owner, id.
            let mut note = Vec::from([4, 0, 0, 0]);
            note.extend(u32::try_from(id.len())?.to_le_bytes());
            note.extend(*b"\x03\0\0\0GNU\0");
            note.extend(id);
            let known = images.iter().any(|image| image.windows(note.len()).any(|bytes| bytes == note));
            ensure!(known, "{:?}: binary id {id:02x?} belongs to no image that was linked", self.who);
        }
        Ok(())
    }

    fn coverage(&self, profiles: &[PathBuf], seen: &mut Observed) -> Result<String> {
        let merged = self.dir.join("merged.profdata");
        let mut command = self.profdata("merge");
        command.arg("-num-threads=1").args(self.merge_flags()).args(profiles).arg("-o").arg(&merged);
        let unreadable = &mut seen.unreadable;
        let mut text = self.read(&mut command, unreadable)?;
        let inputs = profiles.iter().map(|path| (1, path.clone())).collect();
        seen.merges.push(Merge { form: Form::Indexed, sparse: false, inputs, result: std::fs::read(&merged).ok() });
        // All that `report` shows is in it too.
        let mut command = Command::new(&self.compiler.cov);
        command.arg("export").arg("-instr-profile").arg(&merged);
        for (index, image) in self.variant.covered().iter().enumerate() {
            if index > 0 {
                command.arg("-object");
            }
            command.arg(self.bin().join(image));
        }
        text += &self.read(&mut command, unreadable)?;
        Ok(text)
    }

    fn profdata(&self, verb: &str) -> Command {
        let mut command = Command::new(&self.compiler.profdata);
        command.arg(verb).current_dir(self.dir.join("run"));
        command
    }

    pub fn merge_flags(&self) -> Vec<String> {
        let bin = self.bin().to_string_lossy().into_owned();
        self.variant.merge_flags.iter().map(|flag| flag.replace("{bin}", &bin)).collect()
    }

    fn read(&self, command: &mut Command, unreadable: &mut Vec<String>) -> Result<String> {
        let out = shell::output(command)?;
        Ok(self.readable(command, out, unreadable))
    }

    /// What a command has printed, without this side's directory.
    fn readable(&self, command: &Command, out: Output, unreadable: &mut Vec<String>) -> String {
        let text = out.stderr + &out.stdout;
        let text = text.replace(&*self.dir.to_string_lossy(), "{side}");
        if out.code != 0 {
            unreadable.push(format!("{command:?}\nexit code {}\n{text}", out.code));
        }
        text
    }
}
