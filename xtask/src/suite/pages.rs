//! The pages of `profrt cov --html` and `profrt report` in Chromium: programs, their reports and pages, and the tests of `tests/pages`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use testkit::dist::{self, compile};
use testkit::run::Ran;
use testkit::toolchain::browser::Scripts;
use testkit::toolchain::{self, Clang, Packages};
use testkit::{paths, run};

/// Names of files that would be something else in a page that took them for markup, or in an address.
const HOSTILE: [&str; 5] =
    ["</script><script>hacked=1</script>.c", "<img src=x onerror=hacked=1>/a.c", "\"'&amp;.c", "100%25#a.c", "a.c:7"];

/// The words that programs of tests are called with, and names of the tests.
const TESTS: [(&str, &str); 3] =
    [("1", "first"), ("2", "</script><img src=x onerror=hacked=1>\u{202e}"), ("7", "a/b.c:7?test=100%25#\"'&amp; 7")];

/// Profiles of one more page, each of a test.
const MANY: usize = 10_000;

/// Lines of a file that is not drawn at once.
const LONG: usize = 6000;

/// Makes the pages, and tests them.
pub fn tests(packages: Packages) -> Result<Ran> {
    let scripts = Scripts::prepare(packages)?;
    let pages = Pages::prepare()?;
    pages.shapes()?;
    pages.hostile()?;
    pages.gone()?;
    pages.stale()?;
    pages.long()?;
    pages.rust()?;
    pages.live()?;
    pages.who()?;
    pages.profiles()?;
    let mut node = pages.node(&scripts, &["--test", "page.test.js", "live.test.js", "who.test.js", "report.test.js"]);
    run::tests(node.env("VENDOR", paths::root().join("tool/templates/cov/vendor")))
}

/// Where programs, reports and pages are made.
pub struct Pages {
    clang: Clang,
    pub directory: PathBuf,
    tool: PathBuf,
}

impl Pages {
    /// Builds the tool, and makes an empty directory.
    pub fn prepare() -> Result<Pages> {
        run::run(compile::cargo().args(["build", "--quiet", "--package", "profrt-tool", "--bins"]))?;
        let directory = paths::target().join("pages/made");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        Ok(Pages { clang: toolchain::newest()?, directory, tool: paths::target().join("debug/profrt") })
    }

    /// Templates, decisions and what else a page shows; and the same compared with another run.
    pub fn shapes(&self) -> Result<()> {
        let from = paths::root().join("tests/pages/shapes");
        for name in ["shapes.cpp", "lib/clamp.h"] {
            self.write(&format!("shapes.src/{name}"), &fs::read_to_string(from.join(name))?)?;
        }
        self.build("shapes", &["shapes.src/shapes.cpp"], &["--driver-mode=g++", "-std=c++17", "-fcoverage-mcdc"])?;
        self.run("shapes", "before", &["more"])?;
        self.run("shapes", "shapes", &[])?;
        self.cov("shapes", &["before.profraw", "--json", "before.json"])?;
        self.report("shapes", "shapes", &[])?;
        self.report("shapes", "baseline", &["--baseline", "before.json"])
    }

    /// Names and sources that would run something in a page that took them for markup.
    fn hostile(&self) -> Result<()> {
        let mut paths = Vec::new();
        for (number, name) in HOSTILE.iter().enumerate() {
            let text = format!(
                "// </script><script>hacked=1</script> <!-- <script> \u{202e}\u{2028}\n\
                 /* <img src=x onerror=hacked=1> `${{hacked=1}}` */\n\
                 int f{number}(int x) __asm__(\"</script><img src=x onerror=hacked=1>{number}\");\n\
                 int f{number}(int x) {{ const char *s = \"<svg onload=hacked=1>\"; return x ? *s : 0; }}\n"
            );
            let path = format!("hostile.src/{name}");
            self.write(&path, &text)?;
            paths.push(path);
        }
        let calls: String = (0..HOSTILE.len()).map(|number| format!("f{number}({number}) + ")).collect();
        let declared: String = (0..HOSTILE.len())
            .map(|number| format!("int f{number}(int) __asm__(\"</script><img src=x onerror=hacked=1>{number}\");\n"))
            .collect();
        self.write("hostile.src/main.c", &format!("{declared}int main(void) {{ return ({calls}0) == 1; }}\n"))?;
        paths.push("hostile.src/main.c".to_owned());
        let sources: Vec<&str> = paths.iter().map(String::as_str).collect();
        self.build("hostile", &sources, &["-x", "c"])?;
        self.run("hostile", "hostile", &[])?;
        self.report("hostile", "hostile", &[])
    }

    /// A source that is gone.
    fn gone(&self) -> Result<()> {
        self.write(
            "gone.src/a.c",
            "int main(int argc, char **argv) {\n  if (argc > 1)\n    return 1;\n  return 0;\n}\n",
        )?;
        self.build("gone", &["gone.src/a.c"], &[])?;
        fs::remove_file(self.directory.join("gone.src/a.c"))?;
        self.run("gone", "gone", &[])?;
        self.report("gone", "gone", &[])
    }

    /// A profile of another build.
    fn stale(&self) -> Result<()> {
        self.write("stale.src/a.c", "int main(void) { return 0; }\n")?;
        self.build("stale", &["stale.src/a.c"], &[])?;
        self.run("stale", "stale", &[])?;
        self.write(
            "stale.src/a.c",
            "int main(int x, char **a) {\n  while (x > 5)\n    x--;\n  return 0;\n}\nint f(void) { return 0; }\n",
        )?;
        self.build("stale", &["stale.src/a.c"], &[])?;
        self.report("stale", "stale", &[])
    }

    /// A source of many lines.
    fn long(&self) -> Result<()> {
        let body: String = (0..LONG).map(|number| format!("  x += {number}; /* line {number} */\n")).collect();
        self.write("long.src/long.c", &format!("int main(int x, char **a) {{\n{body}  return x == 7;\n}}\n"))?;
        self.build("long", &["long.src/long.c"], &[])?;
        self.run("long", "long", &[])?;
        self.report("long", "long", &[])
    }

    /// A generic function of Rust.
    fn rust(&self) -> Result<()> {
        self.write("rust.src/generic.rs", &fs::read_to_string(paths::root().join("tests/pages/generic.rs"))?)?;
        let mut rustc = Command::new("rustc");
        compile::without_outer_cargo(&mut rustc);
        rustc.current_dir(&self.directory).args(["-Cinstrument-coverage", "rust.src/generic.rs", "-o", "rust.app"]);
        run::quiet(&mut rustc)?;
        self.run("rust", "rust", &[])?;
        self.report("rust", "rust", &["--only", "*generic.rs"])
    }

    /// Returns the command that runs a script with these pages and programs.
    pub fn node(&self, scripts: &Scripts, arguments: &[&str]) -> Command {
        let mut node = scripts.node(arguments);
        node.env("PAGES", &self.directory).env("PROFRT", &self.tool);
        node
    }

    /// A server for `profrt live`, and its shared object.
    pub fn live(&self) -> Result<()> {
        let archive = dist::build(self.clang.raw)?.library;
        let pages = archive.with_file_name("profrt-continuous.o");
        for name in ["server.c", "handlers.c", "plugin.c"] {
            let text = fs::read_to_string(paths::root().join("tool/tests/data/live").join(name))?;
            self.write(&format!("live.src/{name}"), &text)?;
        }
        // What takes requests is not counted.
        run::quiet(self.clang().args(["-c", "live.src/server.c", "-o", "live.server.o"]))?;
        let flags = ["-fprofile-instr-generate", "-fcoverage-mapping"];
        let sources = ["live.src/handlers.c", "live.server.o"];
        run::quiet(self.clang().args(flags).args(sources).args([&archive, &pages]).args(["-o", "live.app"]))?;
        let mut plugin = self.clang();
        plugin.args(flags).args(["-shared", "-fPIC", "live.src/plugin.c", "-o", "plugin.so"]);
        run::quiet(plugin.args([&archive, &pages]))
    }

    fn clang(&self) -> Command {
        let mut clang = Command::new(&self.clang.clang);
        clang.current_dir(&self.directory);
        clang
    }

    /// Profiles for optimization: of two versions of a program, with names that would run something, and of many functions.
    fn profiles(&self) -> Result<()> {
        for name in ["main.c", "lib/list.h", "lib/list.c"] {
            let text = fs::read_to_string(paths::root().join("tests/pages/pgo").join(name))?;
            self.write(&format!("pgo.src/{name}"), &text)?;
        }
        let sources = ["pgo.src/main.c", "pgo.src/lib/list.c"];
        self.optimize("pgo", &sources, &[])?;
        self.optimize("pgo-new", &sources, &["-DCHANGED"])?;
        self.run("pgo", "pgo", &[])?;
        self.run("pgo-new", "pgo-new", &["less"])?;
        self.profile("pgo", &["pgo.profraw", "--elf", "pgo.app"])?;
        self.profile("pair", &["pgo.profraw", "pgo-new.profraw", "--elf", "pgo-new.app"])?;
        self.profile("stale-pgo", &["pgo.profraw", "--elf", "pgo-new.app"])?;
        let names: Vec<String> = HOSTILE.iter().map(|name| format!("hostile.src/{name}")).collect();
        let mut sources: Vec<&str> = names.iter().map(String::as_str).collect();
        sources.push("hostile.src/main.c");
        self.optimize("hostile-pgo", &sources, &["-x", "c"])?;
        self.run("hostile-pgo", "hostile-pgo", &[])?;
        self.profile("hostile-pgo", &["hostile-pgo.profraw", "--elf", "hostile-pgo.app"])?;
        let functions = (1..=MANY).map(|number| format!("f{number}\n7\n2\n{number}\n{}\n", u64::MAX - 3 - MANY as u64));
        self.write("large.proftext", &format!(":ir\n{}", functions.collect::<String>()))?;
        self.profile("large", &["large.proftext"])
    }

    /// Builds a program whose profile is for optimization.
    fn optimize(&self, name: &str, sources: &[&str], flags: &[&str]) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        clang.current_dir(&self.directory).args(["-fprofile-generate", "-O1", "-g", "-w"]);
        run::quiet(clang.args(flags).args(sources).args(["-o", &format!("{name}.app")]))
    }

    /// Writes the page of profiles, and what `profrt show` says of the last one.
    fn profile(&self, name: &str, arguments: &[&str]) -> Result<()> {
        self.tool(&[&["report"], arguments, &["--html", &format!("{name}.report.html")]].concat())?;
        let last = arguments.iter().rfind(|argument| argument.contains(".prof")).copied().unwrap_or_default();
        let mut show = Command::new(&self.tool);
        show.current_dir(&self.directory).args(["show", last, "--all", "--targets", "--memory", "--json"]);
        self.write(&format!("{name}.show.json"), &run::stdout(&mut show)?)
    }

    /// Pages that know which tests ran which lines: of three tests, and of many.
    fn who(&self) -> Result<()> {
        for name in ["who.c", "parts/pick.h"] {
            let text = fs::read_to_string(paths::root().join("tests/pages/who").join(name))?;
            self.write(&format!("who.src/{name}"), &text)?;
        }
        self.build("who", &["who.src/who.c"], &[])?;
        let mut contexts = Vec::new();
        for (word, test) in TESTS {
            self.run("who", &format!("who.tests/{word}"), &[word])?;
            contexts.push(format!("{:?}: {}", format!("{word}.profraw"), serde_json::to_string(test)?));
        }
        self.write("who.contexts", &format!("{{{}}}", contexts.join(", ")))?;
        self.tests("who", &["--contexts", "who.contexts"])?;
        fs::create_dir(self.directory.join("many.tests"))?;
        for number in 0..MANY {
            let word = if number == MANY - 1 { 7 } else { 1 + number % 2 };
            let from = self.directory.join(format!("who.tests/{word}.profraw"));
            fs::copy(from, self.directory.join(format!("many.tests/Test{number:04}x.profraw")))?;
        }
        self.tests("many", &[])
    }

    /// Writes which tests ran which lines of the program of [`Self::who`], and the report with it.
    fn tests(&self, name: &str, arguments: &[&str]) -> Result<()> {
        let (profiles, tests) = (format!("{name}.tests"), format!("{name}.who"));
        self.tool(&[&["who", &profiles, "--elf", "who.app", "--output", &tests], arguments].concat())?;
        let [json, page, file] = [".json", "", ".html"].map(|kind| format!("{name}{kind}"));
        self.cov("who", &["who.tests", "--json", &json, "--html", &page, "--who", &tests])?;
        self.cov("who", &["who.tests", "--html", &file, "--who", &tests])
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.directory.join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    fn build(&self, name: &str, sources: &[&str], flags: &[&str]) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        clang.current_dir(&self.directory).args(["-fprofile-instr-generate", "-fcoverage-mapping", "-w"]);
        run::quiet(clang.args(flags).args(sources).args(["-o", &format!("{name}.app")]))
    }

    fn run(&self, name: &str, profile: &str, arguments: &[&str]) -> Result<()> {
        let mut program = Command::new(self.directory.join(format!("{name}.app")));
        program.args(arguments).current_dir(&self.directory);
        run::quiet(program.env("LLVM_PROFILE_FILE", format!("{profile}.profraw")))?;
        let profile = self.directory.join(format!("{profile}.profraw"));
        ensure!(profile.is_file(), "{} was not written", profile.display());
        Ok(())
    }

    /// Writes the report, and the page in both forms.
    fn report(&self, name: &str, page: &str, arguments: &[&str]) -> Result<()> {
        let [json, file] = ["json", "html"].map(|kind| format!("{page}.{kind}"));
        let profile = format!("{name}.profraw");
        self.cov(name, &[&[profile.as_str(), "--json", &json, "--html", page], arguments].concat())?;
        self.cov(name, &[&[profile.as_str(), "--html", &file], arguments].concat())
    }

    fn cov(&self, name: &str, arguments: &[&str]) -> Result<()> {
        self.tool(&[&["cov"], arguments, &["--elf", &format!("{name}.app")]].concat())
    }

    fn tool(&self, arguments: &[&str]) -> Result<()> {
        run::quiet(Command::new(&self.tool).current_dir(&self.directory).args(arguments))
    }
}
