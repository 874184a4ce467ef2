//! The inputs: the programs, with their coverage mappings, and the profile that they wrote.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DynamicTag};
use object::read::elf::{ElfFile, FileHeader};
use object::{Object, ReadCache};
use profdata::Profile;
use profdata::coverage::{Counts, Images, Mapping, Rules};
use profdata::sink::{Flags, Format};

use crate::text::{display, many};

/// What wrote the profiles.
pub struct Programs(Vec<Program>);

/// A program, library, object file or archive.
struct Program {
    path: PathBuf,
    /// Only what is needed is read: most of a program is code and debug info.
    file: ReadCache<File>,
}

impl Program {
    fn build_id(&self) -> Option<&[u8]> {
        object::File::parse(&self.file).ok().and_then(|file| file.build_id().ok()?)
    }
}

impl Programs {
    /// Opens programs. Errors: one cannot be read.
    pub fn open(programs: Vec<PathBuf>) -> Result<Programs> {
        let program = |path: PathBuf| {
            let file = File::open(&path).with_context(|| format!("{} cannot be read", display(&path)))?;
            Ok(Program { path, file: ReadCache::new(file) })
        };
        Ok(Programs(programs.into_iter().map(program).collect::<Result<_>>()?))
    }

    /// Returns the paths of the programs, and their build ids.
    pub fn builds(&self) -> impl Iterator<Item = (&Path, Option<&[u8]>)> {
        self.0.iter().map(|program| (program.path.as_path(), program.build_id()))
    }

    /// Returns the paths of the programs.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|program| program.path.as_path())
    }

    /// Returns when the last one was written.
    pub fn linked(&self) -> Option<SystemTime> {
        self.paths().filter_map(|path| path.metadata().ok()?.modified().ok()).max()
    }

    /// Returns the coverage mappings of all programs, by these rules, and hands notes about those that have none, or damaged ones, to `note`.
    ///
    /// Errors: one is no object file, or none has any.
    pub fn mapping(&self, rules: Rules, mut note: impl FnMut(String)) -> Result<Mapping<'_>> {
        let mut mapping = Mapping::by(rules);
        for program in &self.0 {
            let path = || display(&program.path);
            mapping.set_build(program.build_id());
            let added = mapping
                .add_file(&program.file)
                .with_context(|| format!("{} is no object file or static archive", path()))?;
            if let Some(error) = &added.error {
                let what = if added.functions == 0 { "the coverage mapping" } else { "a part of the coverage mapping" };
                note(format!("{}: {what} cannot be read: {error}", path()));
            } else if added.functions == 0 && self.0.len() == 1 {
                note(format!(
                    "{}: has no coverage mapping; was it compiled with -fcoverage-mapping, and not only linked?",
                    path()
                ));
            }
        }
        if mapping.paths() == 0 {
            bail!(
                "no program has a coverage mapping\n  \
                 remedy: compile with -fprofile-instr-generate -fcoverage-mapping, rustc with -Cinstrument-coverage"
            );
        }
        Ok(mapping)
    }
}

/// Returns the libraries that an ELF file asks for, where they are beside it, or where it says.
fn libraries<'f, Elf: FileHeader>(path: &Path, file: &ElfFile<'f, Elf, &'f ReadCache<File>>) -> Vec<PathBuf> {
    let Ok(table) = file.elf_dynamic_table() else { return Vec::new() };
    let texts = |tags: &'static [DynamicTag]| {
        let texts = table.iter().filter(|entry| tags.contains(&entry.tag)).filter_map(|entry| table.string(entry).ok());
        texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect::<Vec<_>>()
    };
    let origin = path.parent().filter(|origin| *origin != "").unwrap_or(Path::new("."));
    let directories = texts(&[DT_RUNPATH, DT_RPATH]).join(":").replace("$ORIGIN", &origin.to_string_lossy());
    let directories =
        || std::iter::once(origin).chain(directories.split(':').filter(|one| !one.is_empty()).map(Path::new));
    let found = |name: String| directories().map(|directory| directory.join(&name)).find(|library| library.is_file());
    texts(&[DT_NEEDED]).into_iter().filter_map(found).collect()
}

/// A profile, and the programs that it is looked at with.
pub struct Loaded<'p> {
    /// What was counted.
    pub profile: Profile,
    /// What tells apart functions of one name in several programs. It is a sink for the profiles that [`Self::profile`] is the sum of; without
    /// them such functions have the sum.
    pub images: Images<'p>,
    format: Format,
    programs: &'p Programs,
}

impl<'p> Loaded<'p> {
    /// Takes the sum of the profiles that programs wrote. Errors: it is of a kind that has no source, or of bitmaps that cannot be added.
    pub fn new(profile: Profile, programs: &'p Programs) -> Result<Loaded<'p>> {
        check_kind(&profile)?;
        let format = format(&profile)?;
        Ok(Loaded { profile, images: Images::default(), format, programs })
    }

    /// Returns the counts of the profiles, and a note about those of several programs that cannot be told apart.
    pub fn counts(&self) -> (Counts<'_>, Option<String>) {
        let mut counts = Counts::of(&self.profile, self.format);
        if !self.is_of_other_builds() {
            counts.tell_builds();
        }
        let unclear = self.images.give_to(&mut counts) as u64;
        let note = format!(
            "{} of several programs, with other sources, have the sum of all: link with --build-id, and give raw profiles",
            many(unclear, "function")
        );
        (counts, (unclear > 0).then_some(note))
    }

    /// Returns the build ids of the profiles, in hexadecimal.
    pub fn builds(&self) -> Vec<String> {
        self.profile.binary_ids().iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect()
    }

    /// Returns libraries with coverage mappings that the programs need, and that are not among them.
    pub fn missing_libraries(&self) -> Vec<PathBuf> {
        let mut missing = Vec::new();
        for Program { path, file } in &self.programs.0 {
            let needed = match object::File::parse(file) {
                Ok(object::File::Elf32(elf)) => libraries(path, &elf),
                Ok(object::File::Elf64(elf)) => libraries(path, &elf),
                _ => continue,
            };
            missing.extend(needed.into_iter().filter(|library| {
                let is_known = self.programs.paths().any(|known| known.file_name() == library.file_name());
                let file = File::open(library).map(ReadCache::new);
                !is_known
                    && file.is_ok_and(|file| Mapping::new().add_file(&file).is_ok_and(|added| added.functions > 0))
            }));
        }
        missing.sort();
        missing.dedup();
        missing
    }

    /// Returns how many of the build ids of the profiles no program has, if programs have any.
    pub fn missing_builds(&self) -> usize {
        let ids: HashSet<&[u8]> = self.programs.0.iter().filter_map(Program::build_id).collect();
        let is_missing = |id: &&Vec<u8>| !ids.is_empty() && !ids.contains(id.as_slice());
        self.profile.binary_ids().iter().filter(is_missing).count()
    }

    /// Returns whether the profiles have build ids, and the programs have others.
    pub fn is_of_other_builds(&self) -> bool {
        let missing = self.missing_builds();
        missing > 0 && missing == self.profile.binary_ids().len()
    }
}

/// Checks that a profile counts what coverage mappings describe. Errors: it does not.
pub fn check_kind(profile: &Profile) -> Result<()> {
    ensure!(
        !profile.flags().has(Flags::IR) || profile.is_empty(),
        "the profiles are of -fprofile-generate, which counts other places than source coverage\n  \
         remedy: compile with -fprofile-instr-generate -fcoverage-mapping, rustc with -Cinstrument-coverage"
    );
    Ok(())
}

/// Returns the format of the profiles, for the order of bits in the bitmaps of MC/DC. Errors: they have two orders.
fn format(profile: &Profile) -> Result<Format> {
    let formats = || profile.headings().iter().map(|heading| heading.format);
    let orders = || formats().filter_map(Format::has_path_bits);
    let newest = formats().max_by_key(|format| format.has_path_bits());
    let is_mixed = orders().any(|one| orders().any(|other| one != other));
    let has_bitmaps = profile.records().any(|record| !record.bitmap.is_empty());
    ensure!(
        !(is_mixed && has_bitmaps),
        "MC/DC bitmaps of LLVM 18 and of later releases have different orders of bits, so these profiles cannot be added\n  \
         remedy: run profrt cov for each compiler's profiles"
    );
    Ok(newest.unwrap_or(Format::Text))
}
