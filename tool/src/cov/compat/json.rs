//! The JSON of `llvm-cov export`, to the byte: its keys are sorted, and so are those of [`Value`]; percentages have 17 digits.

use anyhow::Result;
use profdata::coverage::{
    DecisionCoverage, Expansion, FileCoverage, Function, FunctionCoverage, Kind, Region, Segment, Summary,
};
use serde_json::{Value, json};

use super::Files;
use super::report::percent;

/// Returns the JSON.
pub(super) fn text(files: &Files<'_>) -> Result<String> {
    let (mut texts, mut totals) = (Vec::new(), Summary::default());
    files.for_each(|name, file| {
        totals.add(&file.summary);
        // Percentages are not written by `serde_json`.
        let (first, summary) = (files.file(name, &file)?.to_string(), files.summary(&file.summary));
        texts.push(format!(r#"{},"summary":{summary}}}"#, first.strip_suffix('}').unwrap_or(&first)));
        Ok(())
    })?;
    let mut functions = Vec::new();
    for function in files.mapping.listed(files.mapping.functions(), files.counts, files.release.rules()) {
        functions.push(files.function(function)?.to_string());
    }
    Ok(format!(
        r#"{{"data":[{{"files":[{}],"functions":[{}],"totals":{}}}],"type":"llvm.coverage.json.export","version":"{}"}}"#,
        texts.join(","),
        functions.join(","),
        files.summary(&totals),
        files.release.json()
    ))
}

impl Files<'_> {
    fn file(&self, name: &str, file: &FileCoverage<'_>) -> Result<Value> {
        let branches = file.branches.iter().map(|(region, counts)| of_region(region, counts));
        let mut all = json!({
            "branches": branches.collect::<Vec<_>>(),
            "expansions": self.expansions(&file.expansions)?,
            "filename": name,
            "segments": file.segments.iter().map(of_segment).collect::<Vec<_>>(),
        });
        self.add_decisions(&mut all, &file.decisions)?;
        Ok(all)
    }

    /// Returns expansions: each with all regions of its function.
    fn expansions(&self, expansions: &[Expansion<'_>]) -> Result<Vec<Value>> {
        let mut all = Vec::with_capacity(expansions.len());
        for of_one in expansions.chunk_by(|one, other| std::ptr::eq(one.function, other.function)) {
            let Some(function) = of_one.first() else { continue };
            let Some(covered) = self.covered(function.function)? else { continue };
            let (names, regions) = (self.names(&covered), of_code(&covered));
            for expansion in of_one {
                let branches = expansion.branches.iter().filter(|branch| !branch.region.kind.is_constant());
                let branches = branches.map(|branch| of_region(&branch.region, &branch.counts));
                all.push(json!({
                    "branches": branches.collect::<Vec<_>>(),
                    "filenames": names,
                    "source_region": of_region(&expansion.region, &[expansion.count, 0]),
                    "target_regions": regions,
                }));
            }
        }
        Ok(all)
    }

    fn function(&self, function: &Function<'_>) -> Result<Value> {
        let Some(covered) = self.covered(function)? else { return Ok(Value::Null) };
        let branches = covered.regions.iter().zip(&covered.counts).filter(|(region, _)| {
            matches!(region.kind, Kind::Branch(_) | Kind::Condition { .. }) && !region.kind.is_constant()
        });
        let mut all = json!({
            "branches": branches.map(|(region, counts)| of_region(region, counts)).collect::<Vec<_>>(),
            "count": covered.counts.first().map_or(0, |[count, _]| number(*count)),
            "filenames": self.names(&covered),
            "name": self.name(function),
            "regions": of_code(&covered),
        });
        self.add_decisions(&mut all, &covered.decisions)?;
        Ok(all)
    }

    /// Returns a function with its counts.
    fn covered(&self, function: &Function<'_>) -> Result<Option<FunctionCoverage>> {
        match self.mapping.function(function, self.counts, self.release.rules()) {
            Ok(covered) => Ok(covered),
            Err(error) => self.check(function, Some(&error)).map(|()| None),
        }
    }

    /// Returns the names of the files of a function.
    fn names(&self, covered: &FunctionCoverage) -> Vec<String> {
        let path = |file| self.mapping.path(covered.regions.path(file));
        (0..covered.regions.files()).map(|file| String::from_utf8_lossy(path(file)).into_owned()).collect()
    }

    /// Adds the decisions, if the release knows them.
    fn add_decisions(&self, to: &mut Value, decisions: &[DecisionCoverage]) -> Result<()> {
        if self.release.has_decisions() {
            let decisions = decisions.iter().map(|decision| self.decision(decision)).collect::<Result<Vec<_>>>()?;
            to.as_object_mut()
                .into_iter()
                .for_each(|all| _ = all.insert("mcdc_records".into(), decisions.clone().into()));
        }
        Ok(())
    }

    fn decision(&self, DecisionCoverage { region, vectors, .. }: &DecisionCoverage) -> Result<Value> {
        let mut fields: Vec<Value> = place(region).into();
        let results = |result| vectors.iter().filter(move |(_, other)| *other == result);
        if self.release.has_vectors() {
            fields.extend([true, false].map(|result| Value::from(results(result).count())));
            fields.push(region.file.into());
        }
        fields.extend([json!(0), json!(5), json!(vectors.covered()?)]);
        if self.release.has_vectors() {
            let all = [false, true].into_iter().flat_map(results).map(|(values, result)| {
                json!({"conditions": values.collect::<Vec<_>>(), "executed": true, "result": result})
            });
            fields.push(all.collect());
        }
        Ok(fields.into())
    }

    fn summary(&self, sum: &Summary) -> String {
        let parts = [
            ("branches", sum.branches, true),
            ("functions", sum.functions, false),
            ("instantiations", sum.instantiations, false),
            ("lines", sum.lines, false),
            ("mcdc", sum.mcdc, true),
            ("regions", sum.regions, true),
        ];
        let known = parts.into_iter().filter(|(name, ..)| *name != "mcdc" || self.release.has_decisions());
        let texts = known.map(|(name, part, has_missed)| {
            let missed = format!(r#""notcovered":{},"#, part.count.saturating_sub(part.covered));
            let missed = if has_missed { &missed } else { "" };
            let percent = seventeen_digits(percent(part).unwrap_or_default());
            format!(r#""{name}":{{"count":{},"covered":{},{missed}"percent":{percent}}}"#, part.count, part.covered)
        });
        format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
    }
}

/// Returns a number as C writes it with `%.17g`.
fn seventeen_digits(number: f64) -> String {
    let scientific = format!("{number:.16e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let plain = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if exponent < -4 {
        return format!("{}e-{:02}", plain(digits), -exponent);
    }
    plain(&format!("{number:.*}", 16_i32.saturating_sub(exponent).unsigned_abs() as usize))
}

/// Returns the regions of a function that are no branches and no decisions.
fn of_code(covered: &FunctionCoverage) -> Vec<Value> {
    let is_code =
        |region: &Region| !matches!(region.kind, Kind::Branch(_) | Kind::Condition { .. } | Kind::Decision { .. });
    let regions = covered.regions.iter().zip(&covered.counts).filter(|(region, _)| is_code(region));
    regions.map(|(region, counts)| of_region(region, counts)).collect()
}

fn of_region(region: &Region, [first, second]: &[u64; 2]) -> Value {
    let (kind, expanded, is_branch) = match region.kind {
        Kind::Code(_) => (0, 0, false),
        Kind::Expansion { file, .. } => (1, file, false),
        Kind::Skipped => (2, 0, false),
        Kind::Gap(_) => (3, 0, false),
        Kind::Branch(_) => (4, 0, true),
        _ => (6, 0, true),
    };
    let mut fields: Vec<Value> = place(region).into();
    fields.push(number(*first).into());
    fields.extend(is_branch.then(|| Value::from(number(*second))));
    fields.extend([region.file, expanded, kind].map(Value::from));
    fields.into()
}

fn of_segment(segment: &Segment) -> Value {
    let count = number(segment.count.unwrap_or(0));
    json!([segment.start.line, segment.start.column, count, segment.count.is_some(), segment.is_entry, segment.is_gap])
}

fn place(region: &Region) -> [Value; 4] {
    [region.start.line, region.start.column, region.end.line, region.end.column].map(Value::from)
}

/// Returns a count as LLVM's JSON has it, which knows no larger integer.
fn number(count: u64) -> u64 {
    count.min(i64::MAX as u64)
}
