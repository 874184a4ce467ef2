//! The inputs: profiles, added up, and the programs that wrote them.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use object::ReadCache;
use profdata::Profile;
use profdata::correlate::Correlation;
use profdata::coverage::{Counts, Images, Mapping, Rules};
use profdata::merge::Report;
use profdata::sink::{Flags, Format};
use walkdir::WalkDir;

use super::parallel;
use crate::inputs::{self, display};
use crate::text::many;

/// What was read.
pub(super) struct Loaded<'p> {
    pub(super) profile: Profile,
    damage: Vec<String>,
    format: Format,
    programs: &'p Programs,
    images: Images<'p>,
}

/// What wrote the profiles.
pub(super) struct Programs(Vec<Program>);

/// A program, library, object file or archive.
struct Program {
    path: PathBuf,
    /// Only what is needed is read: most of a program is code and debug info.
    file: ReadCache<File>,
}

impl<'p> Loaded<'p> {
    /// Reads the profiles of programs. Errors: nothing can be read of them, or they are of kinds that have no source.
    pub(super) fn read(profiles: &[PathBuf], programs: &'p Programs) -> Result<Loaded<'p>> {
        Loaded::of(inputs::counts(profiles, programs.binaries())?, programs)
    }

    /// Reads the profiles of programs, and the mappings of these by some rules. Errors: those of both.
    pub(super) fn with_mapping(
        profiles: &[PathBuf],
        programs: &'p Programs,
        rules: Rules,
        threads: usize,
    ) -> Result<(Loaded<'p>, Mapping<'p>)> {
        let binaries = programs.binaries();
        let read = || inputs::counts(profiles, binaries.clone());
        // With the index, which is made when it is asked for.
        let indexed = || programs.mapping(rules).inspect(|mapping| _ = mapping.functions().next());
        let (read, mapping) = parallel::both(threads, read, indexed);
        let (mut loaded, mapping) = (Loaded::of(read?, programs)?, mapping?);
        if rules == Rules::Own {
            loaded.tell_apart(profiles, &mapping);
        }
        Ok((loaded, mapping))
    }

    /// Reads the profiles again if programs have other functions of one name.
    pub(super) fn tell_apart(&mut self, profiles: &[PathBuf], mapping: &Mapping<'p>) {
        self.images = Images::of(mapping);
        if !self.images.is_empty() {
            inputs::each(profiles, self.programs.binaries().as_deref(), &mut self.images);
        }
    }

    fn of((profile, report): (Profile, Report), programs: &'p Programs) -> Result<Loaded<'p>> {
        check_kind(&profile)?;
        let format = format(&profile)?;
        Ok(Loaded { profile, damage: inputs::damage(&report), format, programs, images: Images::default() })
    }

    /// Returns the counts of the profiles, and a note about those of several programs that cannot be told apart.
    pub(super) fn counts(&self) -> (Counts<'_>, Option<String>) {
        let mut counts = Counts::of(&self.profile, self.format);
        let unclear = self.images.give_to(&mut counts) as u64;
        let note = format!(
            "{} of several programs, with other sources, have the sum of all: link with --build-id, and give raw profiles",
            many(unclear, "function")
        );
        (counts, (unclear > 0).then_some(note))
    }

    /// Returns what of the profiles is lost.
    pub(super) fn damage(&self) -> &[String] {
        &self.damage
    }
}

/// Checks that a profile counts what coverage mappings describe. Errors: it does not.
pub(super) fn check_kind(profile: &Profile) -> Result<()> {
    ensure!(
        !profile.flags().has(Flags::IR) || profile.is_empty(),
        "the profiles are of -fprofile-generate, which counts other places than source coverage\n  \
         remedy: compile with -fprofile-instr-generate -fcoverage-mapping, rustc with -Cinstrument-coverage"
    );
    Ok(())
}

impl Programs {
    /// Reads programs, and those in directories. Errors: one cannot be read.
    pub(super) fn read(programs: &[PathBuf]) -> Result<Programs> {
        let program = |path: PathBuf| {
            let file = File::open(&path).with_context(|| format!("{} cannot be read", display(&path)))?;
            Ok(Program { path, file: ReadCache::new(file) })
        };
        Ok(Programs(expand(programs)?.into_iter().map(program).collect::<Result<_>>()?))
    }

    /// Returns what profiles lack and the programs have.
    pub(super) fn binaries(&self) -> Option<Arc<dyn Correlation>> {
        Some(inputs::when_needed(self.0.iter().map(|program| program.path.clone()).collect()))
    }

    /// Returns the coverage mappings of all programs, by these rules. Errors: one is no object file, or none has any.
    pub(super) fn mapping(&self, rules: Rules) -> Result<Mapping<'_>> {
        let mut mapping = Mapping::by(rules);
        for Program { path, file } in &self.0 {
            let build = object::File::parse(file).ok().and_then(|file| object::Object::build_id(&file).ok()?);
            mapping.set_build(build);
            let added = mapping
                .add_file(file)
                .with_context(|| format!("{} is no object file or static archive", display(path)))?;
            if let Some(error) = &added.error {
                let what = if added.functions == 0 { "the coverage mapping" } else { "a part of the coverage mapping" };
                warn_line!("{}: {what} cannot be read: {error}", display(path));
            } else if added.functions == 0 && self.0.len() == 1 {
                warn_line!(
                    "{}: has no coverage mapping; was it compiled with -fcoverage-mapping, and not only linked?",
                    display(path)
                );
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

/// Puts the programs and shared objects below a directory in its place, in the order of their paths. Errors: there are none, or it cannot be read.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut expanded = Vec::new();
    for path in paths {
        if !path.is_dir() {
            expanded.push(path.clone());
            continue;
        }
        let before = expanded.len();
        for entry in WalkDir::new(path).sort_by_file_name() {
            let entry = entry.with_context(|| format!("{} cannot be read", display(path)))?;
            if entry.file_type().is_file() && inputs::is_linked(entry.path()) {
                expanded.push(entry.into_path());
            }
        }
        ensure!(expanded.len() > before, "{} has no programs and no shared objects", display(path));
    }
    Ok(expanded)
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

impl Loaded<'_> {
    /// Returns the build ids of the profiles, in hexadecimal.
    pub(super) fn builds(&self) -> Vec<String> {
        self.profile.binary_ids().iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect()
    }

    /// Returns whether the profiles have build ids, and the programs have others.
    pub(super) fn is_of_other_builds(&self) -> bool {
        let ids = self.programs.0.iter().filter_map(|program| {
            let file = object::File::parse(&program.file).ok()?;
            object::Object::build_id(&file).ok()?.map(<[u8]>::to_vec)
        });
        let (known, mut ids) = (self.profile.binary_ids(), ids.peekable());
        !known.is_empty() && ids.peek().is_some() && !ids.any(|id| known.iter().any(|known| *known == *id))
    }
}
