//! Objects once, links once a side.

use anyhow::{Context, Result, ensure};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use super::archive::{Archives, is_official, scratch};
use super::program::{Link, LinkKind, Object, Prepare, Variant, Who};
use super::shell;
use super::tools::Compiler;

type Cell = Arc<OnceLock<Result<PathBuf, String>>>;

/// Files that are made once: by key in this process, by name between runs.
static MADE: Mutex<BTreeMap<PathBuf, Cell>> = Mutex::new(BTreeMap::new());

/// Commands of linkers by those of drivers, with numbers for the files.
static LINKERS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

pub struct Build<'a> {
    pub variant: &'a Variant,
    pub compiler: &'a Compiler,
    pub all: &'a [Arc<Compiler>],
    pub archives: &'a Archives,
    prepared: HashMap<String, PathBuf>,
    objects: HashMap<String, PathBuf>,
}

impl<'a> Build<'a> {
    /// Compiles the objects, after the profiles that they use.
    pub fn objects(
        variant: &'a Variant,
        compiler: &'a Compiler,
        all: &'a [Arc<Compiler>],
        archives: &'a Archives,
    ) -> Result<Self> {
        let (prepared, objects) = (HashMap::new(), HashMap::new());
        let mut build = Self { variant, compiler, all, archives, prepared, objects };
        for prepare in &variant.prepare {
            let made = build.prepare(prepare)?;
            build.prepared.insert(prepare.name.clone(), made);
        }
        for object in &variant.objects {
            let made = build.object(object, None)?;
            build.objects.insert(object.name.clone(), made);
        }
        Ok(build)
    }

    /// A profile of this program, compiled whole with the flags of `prepare`, official archive, one run.
    fn prepare(&self, prepare: &Prepare) -> Result<PathBuf> {
        let object = Object { name: "prepare.o".into(), source: None, release: None, flags: Vec::new(), bare: true };
        let flags = self.expand(&prepare.flags);
        let object = self.object(&object, Some(&flags))?;
        let out = object.with_extension("profdata");
        once(&out, |out| {
            let dir = tempfile::tempdir()?;
            let exe = dir.path().join("prepare");
            shell::must(
                Command::new(self.driver(self.compiler, self.variant.is_cxx()))
                    .args(&flags)
                    .arg(&object)
                    .arg("-o")
                    .arg(&exe),
            )?;
            let raw = dir.path().join("prepare.profraw");
            shell::must(Command::new(&exe).env("LLVM_PROFILE_FILE", &raw).current_dir(dir.path()))?;
            shell::must(Command::new(&self.compiler.profdata).arg("merge").arg(&raw).arg("-o").arg(out))?;
            Ok(())
        })
    }

    fn object(&self, object: &Object, instead: Option<&[String]>) -> Result<PathBuf> {
        let source = match &object.source {
            Some(name) => self.variant.source.with_file_name(name),
            None => self.variant.source.clone(),
        };
        let text = std::fs::read_to_string(&source).with_context(|| source.display().to_string())?;
        let compiler = match object.release {
            Some(release) => self.all.iter().find(|c| c.version == release).context("release is not installed")?,
            None => self.compiler,
        };
        let mut flags = vec!["-c".to_string(), "-O1".into()];
        if let Some(instead) = instead {
            flags.extend_from_slice(instead);
        } else if !object.bare {
            flags.extend(self.expand(&self.variant.flags));
            flags.extend(self.expand(&self.variant.cflags));
        }
        flags.extend(self.expand(&object.flags));
        if flags.iter().any(|flag| flag == "--coverage") {
            // The file of counts is in the working directory, by the name of the object, unless the program has another name for it.
            let name = object.name.trim_end_matches(".o");
            let options = [format!("-coverage-data-file={name}.gcda"), "-coverage-notes-file=/dev/null".into()];
            flags.splice(0..0, options.into_iter().flat_map(|option| ["-Xclang".into(), option]));
        }
        let cxx = source.extension().is_some_and(|e| e == "cpp");

        let mut key = DefaultHasher::new();
        let installed = compiler.official.metadata().and_then(|meta| meta.modified()).ok();
        (compiler.version, installed, &source, &text, headers()?, &flags).hash(&mut key);
        let out = scratch().join("objects").join(format!("{:016x}.o", key.finish()));
        once(&out, |out| {
            let mut command = Command::new(self.driver(compiler, cxx));
            shell::must(command.args(&flags).arg(&source).arg("-o").arg(out)).map(drop)
        })
    }

    /// Links everything for one side, to which `bin` gets links: a file that this process had open to write might still be so in a child
    /// when it is run. Variants that differ only in what they run share what is linked.
    pub fn link(&self, side: Who, bin: &Path) -> Result<()> {
        let Variant { raw, kind, links, flags, lflags, .. } = self.variant;
        let mut key = DefaultHasher::new();
        (self.compiler.version, side == Who::Official, raw, kind.and_then(|kind| kind.object)).hash(&mut key);
        (self.variant.is_cxx(), self.expand(flags), self.expand(lflags)).hash(&mut key);
        for link in links {
            (format!("{:?}", link.kind), &link.name, self.expand(&link.args)).hash(&mut key);
            link.args.iter().filter_map(|name| self.objects.get(name)).for_each(|object| object.hash(&mut key));
        }
        let linked = once(&self.archives.links().join(format!("{:016x}", key.finish())), |linked| {
            let resources = self.archives.resource_dir(self.compiler, side, *raw)?;
            std::fs::create_dir(linked)?;
            for link in links {
                self.link_one(link, side, &resources, linked).with_context(|| format!("linking for {side:?}"))?;
            }
            Ok(())
        })?;
        // A variant may link another program under a common one's name.
        for name in links.iter().map(|link| &link.name).collect::<BTreeSet<_>>() {
            std::fs::hard_link(linked.join(name), bin.join(name))?;
        }
        Ok(())
    }

    fn link_one(&self, link: &Link, side: Who, resources: &Path, bin: &Path) -> Result<()> {
        let out = bin.join(&link.name);
        if link.kind == LinkKind::Archive {
            let members = link.args.iter().filter_map(|name| self.objects.get(name));
            return shell::must(Command::new("ar").arg("rcs").arg(&out).args(members)).map(drop);
        }
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let bare = link.args.iter().any(|arg| arg == "bare");
        let common = |flags: &[String]| if bare { Vec::new() } else { self.expand(flags) };
        let mut args = vec!["-resource-dir".to_owned(), text(resources)];
        args.extend(common(&self.variant.flags));
        if link.kind == LinkKind::Shared {
            args.extend(["-shared".to_owned(), format!("-Wl,-soname,{}", link.name)]);
        }
        let mut files = vec![text(&out)];
        for arg in self.expand(&link.args).into_iter().chain(common(&self.variant.lflags)).filter(|arg| arg != "bare") {
            let linked = || self.variant.links.iter().any(|l| l.name == arg).then(|| bin.join(&arg));
            if let Some(file) = self.objects.get(&arg).cloned().or_else(linked) {
                files.push(text(&file));
                args.push(text(&file));
                continue;
            }
            let arg =
                arg.replace("{resources}", &text(resources)).replace("{official}", &text(&self.compiler.official));
            args.push(arg.replace("{root}", &text(&testkit::paths::root())));
        }
        let beside = self.variant.kind.and_then(|kind| kind.object);
        if let (Some(object), LinkKind::Program, Who::Ours) = (beside, link.kind, side)
            && !is_official()
        {
            args.push(text(&self.archives.ours(self.compiler.raw)?.with_file_name(object)));
        }
        args.extend(["-o".to_owned(), text(&out)]);
        shell::must(&mut linker(self.driver(self.compiler, self.variant.is_cxx()), &args, &files, &text(resources))?)
            .map(drop)
    }

    fn driver(&self, compiler: &'a Compiler, cxx: bool) -> &'a Path {
        if cxx { &compiler.clangxx } else { &compiler.clang }
    }

    /// `{dir}`: the directory of the source; `{NAME}`: a prepared profile.
    fn expand(&self, flags: &[String]) -> Vec<String> {
        let dir = self.variant.source.parent().unwrap_or(Path::new(".")).to_string_lossy().into_owned();
        let mut out = Vec::with_capacity(flags.len());
        for flag in flags {
            let mut flag = flag.replace("{dir}", &dir);
            for (name, path) in &self.prepared {
                flag = flag.replace(&format!("{{{name}}}"), &path.to_string_lossy());
            }
            out.push(flag);
        }
        out
    }
}

/// The linker as the driver would run it. That is asked once for all links that differ in their files and their side alone: it takes as
/// long as the linker.
fn linker(driver: &Path, args: &[String], files: &[String], resources: &str) -> Result<Command> {
    let quoted = files.iter().enumerate().map(|(number, file)| (format!("\"{{{number}}}\""), format!("\"{file}\"")));
    let names: Vec<_> = quoted.chain([("{resources}".to_owned(), resources.to_owned())]).collect();
    let swap = |text: String, back: bool| {
        names.iter().fold(
            text,
            |text, (name, file)| {
                if back { text.replace(name, file) } else { text.replace(file, name) }
            },
        )
    };
    let key = swap(format!("\"{}\" \"{}\"", driver.display(), args.join("\" \"")), false);
    let mut line = LINKERS.lock().unwrap().get(&key).cloned();
    if line.is_none() {
        let shown = shell::output(Command::new(driver).args(args).arg("-###"))?.stderr;
        let commands: Vec<_> = shown.lines().filter(|line| line.starts_with(" \"")).collect();
        ensure!(commands.len() == 1 && !shown.contains('\\'), "not one plain command: {shown}");
        line = Some(swap(commands[0].trim().to_owned(), false));
        LINKERS.lock().unwrap().extend(line.clone().map(|line| (key, line)));
    }
    let line = swap(line.unwrap_or_default(), true);
    let mut words = line.trim_matches('"').split("\" \"");
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    Ok(command)
}

/// The text of all headers that sources here may include.
fn headers() -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut headers = Vec::new();
    for group in entries(Path::new(env!("CARGO_MANIFEST_DIR")))?.into_iter().filter(|path| path.is_dir()) {
        for path in
            entries(&group)?.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "h"))
        {
            let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
            headers.push((path, text));
        }
    }
    headers.sort();
    Ok(headers)
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// Makes `out` unless it is there; it appears whole, by a rename.
pub fn once(out: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let cell = Arc::clone(MADE.lock().unwrap().entry(out.to_path_buf()).or_default());
    let result = cell.get_or_init(|| {
        let work = || -> Result<PathBuf> {
            if !out.exists() {
                let dir = out.parent().context("a path with a directory")?;
                std::fs::create_dir_all(dir)?;
                let part = tempfile::Builder::new().prefix("part").tempdir_in(dir)?;
                let part = part.path().join("part.o");
                make(&part)?;
                std::fs::rename(&part, out)?;
            }
            Ok(out.to_path_buf())
        };
        work().map_err(|e| format!("{e:#}"))
    });
    result.clone().map_err(anyhow::Error::msg)
}
