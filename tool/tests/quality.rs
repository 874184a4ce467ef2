//! `profrt report quality`: how much of a program has a profile, stale hashes, hot functions without one, values that overflowed, exit statuses.

use needs_macros::needs;
use std::fs;
use std::process::Command;

use crate::common;
use crate::common::profiles::{quality as said, quality_report as report, *};
use crate::common::program::{build, profile_of, program_and};
use crate::common::run;
use object::{Object, ObjectSection};
use profdata::name::name_hash;
use profdata::read::indexed::Index;
use profdata::sink::Name;
use serde_json::{Value, json};

fn number(report: &Value, place: &str) -> u64 {
    report.pointer(place).and_then(Value::as_u64).unwrap_or_else(|| panic!("no {place} in {report:#}"))
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

/// A program, and the same one with other sources, against the profile of the first.
#[needs("clangs")]
fn programs_of_all_compilers() {
    for clang in common::compilers() {
        for flags in [&["-fprofile-generate"][..], &["-fprofile-instr-generate"]] {
            let dir = tempfile::tempdir().unwrap();
            let dir = dir.path();
            build(&clang, dir, "app", flags);
            build(&clang, dir, "changed", &[flags, &["-DCHANGED"]].concat());
            build(&clang, dir, "plain", &[]);
            profile_of(dir, "app");
            run(common::profrt(dir).args(["merge", "-q", "app.profraw", "-o", "app.profdata"]));
            let what = format!("clang {} {flags:?}", clang.version);

            let own = report(dir, &["app.profraw", "--object", "app"]);
            assert_eq!(own["status"], 0, "{what}: {own:#}");
            let amount = &own["functions"];
            assert_eq!(amount["with_profile"], amount["all"], "{what}: {own:#}");
            assert_eq!((&amount["stale"], &own["stale_share"]), (&0.into(), &0.0.into()));
            assert!(
                number(&own, "/functions/ran") < number(&own, "/functions/all"),
                "never() and destructors do not run"
            );
            assert_eq!(own["code"]["with_profile"], own["code"]["all"]);
            assert!(number(&own, "/code/not_instrumented") > 0, "the runtime is in the program");
            assert_eq!(own["profile"]["records_not_in_program"], 0);
            assert_eq!((&own["hot"]["unusable"], &own["notes"]), (&0.into(), &json!([])), "{own:#}");

            let changed = report(dir, &["app.profdata", "--object", "changed"]);
            assert_eq!(changed["status"], 0, "{what}");
            let amount = &changed["functions"];
            let sum = ["with_profile", "stale", "without_profile"].iter().map(|part| amount[*part].as_u64().unwrap());
            assert_eq!(sum.sum::<u64>(), number(&changed, "/functions/all"));
            assert_eq!(amount["without_profile"], 1, "added() has none: {changed:#}");
            assert!(number(&changed, "/functions/stale") >= 1);
            assert_eq!(changed["profile"]["records_not_in_program"], 1, "gone(): {what}: {changed:#}");
            assert!(names(&changed["hot"]["worst"]).contains(&"stale(int)"), "{what}: {changed:#}");
            // What clang 14 reads has no build ids.
            let has_ids = clang.version >= 18;
            assert_eq!(changed["notes"].to_string().contains("another build"), has_ids, "{what}: {changed:#}");

            // What a compiler would find is what is counted.
            let bytes = fs::read(dir.join("app.profdata")).unwrap();
            let mut index = Index::new(&bytes).unwrap();
            assert!(index.records(Name::of_hash(name_hash(b"_Z5stalei")), |_| Ok(())).unwrap());
            let stale = changed["functions"]["stale"].as_f64().unwrap();
            let with = changed["functions"]["with_profile"].as_f64().unwrap();
            assert!((changed["stale_share"].as_f64().unwrap() - stale * 100.0 / (stale + with)).abs() < 0.01);

            let plain = report(dir, &["app.profdata", "--object", "plain"]);
            assert_eq!((&plain["stale_share"], &plain["functions"]["stale"]), (&Value::Null, &0.into()));
            assert!(number(&plain, "/functions/with_profile") >= 8, "{plain:#}");
            assert!(number(&plain, "/functions/without_profile") > 0, "outside() and the start-up code have none");
            assert!(plain["notes"][0].as_str().unwrap().contains("plain is not instrumented"));

            if flags == ["-fprofile-generate"] {
                let calls = &own["calls"];
                assert_eq!((&calls["counts"], &calls["to_unknown"]), (&5000.into(), &500.into()), "{what}: {calls:#}");
                assert_eq!(calls["to_functions_with_profile"], 4500);
                // Local functions have another name for older compilers.
                run(common::profrt(dir).args([
                    "merge",
                    "-q",
                    "app.profraw",
                    "--for",
                    "clang-16",
                    "-o",
                    "old.profdata",
                ]));
                run(common::profrt(dir).args([
                    "merge",
                    "-q",
                    "app.profraw",
                    "--for",
                    "clang-19",
                    "-o",
                    "new.profdata",
                ]));
                for input in ["old.profdata", "new.profdata"] {
                    let old = report(dir, &[input, "--object", "app"]);
                    assert_eq!(old["functions"], own["functions"], "{what} {input}");
                    assert_eq!(old["profile"]["records_not_in_program"], 0);
                }
            }
        }
    }
}

#[needs("clang")]
fn thresholds_and_exit_statuses() {
    let dir = program_and(&["changed", "plain"]);
    let dir = dir.path();
    run(Command::new("strip").current_dir(dir).args(["app", "-o", "stripped"]));
    let raw = fs::read(dir.join("app.profraw")).unwrap();
    fs::write(dir.join("torn.profraw"), &raw[..raw.len() - 8]).unwrap();
    fs::write(dir.join("empty.profraw"), "").unwrap();
    fs::write(dir.join("text"), "no ELF file").unwrap();
    let changed = report(dir, &["app.profraw", "--object", "changed"]);
    let (functions, all) = (number(&changed, "/functions/with_profile"), number(&changed, "/functions/all"));
    let below = format!("{}%", functions * 100 / all);
    let above = format!("{}%", functions * 100 / all + 1);
    for (arguments, code, words) in [
        (&["app.profraw"][..], 0, ""),
        (&["app.profraw", "--object", "changed", "--fail-under-functions", &below], 0, ""),
        (
            &["app.profraw", "--object", "changed", "--fail-under-functions", &above],
            1,
            "of the functions have a profile",
        ),
        (&["app.profraw", "--object", "app", "--fail-under-code", "100%", "--fail-over-stale", "0%"], 0, ""),
        (&["app.profraw", "--object", "changed", "--fail-under-code", "99%"], 1, "of the bytes of code have a profile"),
        (&["app.profraw", "--object", "changed", "--fail-over-stale", "1%"], 1, "--fail-over-stale allows 1%"),
        (&["app.profraw", "--object", "changed", "--fail-over-stale", "90%"], 0, ""),
        (
            &["app.profraw", "--object", "changed", "--fail-over-hot-unusable", "0%"],
            1,
            "hot functions are stale or not in",
        ),
        (&["app.profraw", "--object", "app", "--fail-over-hot-unusable", "0%"], 0, ""),
        (&["app.profraw", "--object", "plain", "--fail-under-functions", "10%"], 0, ""),
        // What cannot be told is no success.
        (&["app.profraw", "--object", "plain", "--fail-over-stale", "100%"], 2, "built with the instrumentation"),
        (
            &["app.profraw", "--object", "plain", "--fail-over-hot-unusable", "100%"],
            2,
            "built with the instrumentation",
        ),
        (&["app.profraw", "--object", "stripped", "--fail-under-code", "1%"], 2, "unstripped programs"),
        (&["app.profraw", "--fail-over-stale", "5%"], 2, "--object"),
        (&["app.profraw", "--object", "absent"], 2, "absent cannot be read"),
        (&["app.profraw", "--object", "text"], 2, "it is no ELF object file"),
        (&["absent.profraw", "--object", "app"], 2, "no profile can be read from absent.profraw"),
        (&["app.profraw", "--object", "app", "--fail-over-stale", "5"], 2, "write it like 95%"),
        // Damage is damage.
        (&["torn.profraw", "--object", "app"], 1, "damaged: "),
        (&["app.profraw", "empty.profraw", "--object", "app"], 1, "damaged: empty.profraw"),
    ] {
        let (found, out, error) = said(dir, arguments);
        assert_eq!(found, code, "{arguments:?}: {error}\n{out}");
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert!(code == 2 || !out.is_empty());
    }
    let torn = report(dir, &["torn.profraw", "empty.profraw", "--object", "app"]);
    assert_eq!(torn["damage"].as_array().unwrap().len(), 2);
    // A stripped program has its records still, and so its hashes.
    let stripped = report(dir, &["app.profraw", "--object", "stripped"]);
    assert_eq!((&stripped["stale_share"], &stripped["code"]), (&0.0.into(), &Value::Null));
    assert!(stripped["notes"][0].as_str().unwrap().contains("stripped is stripped"));
    // Debug info alone has no records.
    run(Command::new("objcopy").current_dir(dir).args(["--only-keep-debug", "app", "app.debug"]));
    let (code, _, error) = said(dir, &["app.profraw", "--object", "app.debug"]);
    assert!(code == 2 && error.contains("name the program itself"), "{error}");
}

#[needs("clang")]
fn the_text_is_for_people() {
    let dir = program_and(&["changed"]);
    let dir = dir.path();
    let changed = report(dir, &["app.profraw", "--object", "changed"]);
    let (_, text, error) = said(dir, &["app.profraw", "--object", "changed", "--fail-over-stale", "1%"]);
    let functions = number(&changed, "/functions/all");
    for line in [
        "app.profraw: raw version ".to_owned(),
        format!("changed: {functions} instrumented functions (raw version "),
        format!("  functions             {functions:>16}   in the programs\n"),
        "    that ran".into(),
        "  in the profile  ".into(),
        "    without a profile                  1   8.33 %\n".into(),
        "    not in program                     1   records with < 0.01 % of its counts\n".into(),
        "hot functions whose profile cannot be used\n".into(),
        "  stale(int): stale\n".into(),
        "    unknown targets                  500   10.00 %: functions without instrumentation\n".into(),
        "note: changed is another build".into(),
    ] {
        assert!(text.contains(&line), "{line:?} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}') && error.starts_with("profrt report quality: "), "{error}");
}

/// A program fits its own profile, whatever its instrumentation is.
#[needs("clang")]
fn all_kinds_of_instrumentation() {
    let clang = common::newest();
    for flags in [
        &["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation"][..],
        &["-fprofile-generate", "-mllvm", "-pgo-function-entry-coverage"],
        &["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"],
        &["-fcs-profile-generate"],
        &["-fprofile-generate", "-shared-libgcc", "-no-pie", "-Wl,--gc-sections"],
    ] {
        let dir = tempfile::tempdir().unwrap();
        build(&clang, dir.path(), "app", flags);
        profile_of(dir.path(), "app");
        let own = report(dir.path(), &["app.profraw", "--object", "app"]);
        let amount = &own["functions"];
        assert!(number(&own, "/functions/all") > 5, "{flags:?}: {own:#}");
        assert_eq!((&amount["with_profile"], &amount["stale"]), (&amount["all"], &0.into()), "{flags:?}: {own:#}");
        assert_eq!((&own["hot"]["unusable"], &own["status"]), (&0.into(), &0.into()), "{flags:?}");
    }
}

/// Records and names that are only in the program or in its debug info.
#[needs("clangs")]
fn programs_with_correlation() {
    for clang in common::compilers().into_iter().filter(|clang| clang.version >= 19) {
        for place in ["binary", "debug-info"] {
            let dir = tempfile::tempdir().unwrap();
            let dir = dir.path();
            let correlate = format!("-profile-correlate={place}");
            let flags = ["-fprofile-generate", "-mllvm", &correlate, "-mllvm", "-disable-vp"];
            build(&clang, dir, "app", &flags);
            build(&clang, dir, "changed", &[&flags[..], &["-DCHANGED"]].concat());
            profile_of(dir, "app");
            let own = report(dir, &["app.profraw", "--object", "app"]);
            assert_eq!(own["status"], 0, "{own:#}");
            assert!(number(&own, "/functions/all") > 8 && own["functions"]["with_profile"] == own["functions"]["all"]);
            run(common::profrt(dir).args(["merge", "-q", "app.profraw", "--object", "app", "-o", "app.profdata"]));
            let changed = report(dir, &["app.profdata", "--object", "changed"]);
            assert!(number(&changed, "/functions/stale") >= 1, "{changed:#}");
            assert_eq!(changed["functions"]["without_profile"], 1);
        }
    }
}

/// Several programs are one: a program and its shared objects.
#[needs("clang")]
fn several_programs() {
    let dir = program_and(&["changed"]);
    let dir = dir.path();
    let one = report(dir, &["app.profraw", "--object", "app"]);
    let twice = report(dir, &["app.profraw", "--object", "app", "--object", "app"]);
    assert_eq!(twice["functions"], one["functions"], "a function of two programs is one");
    let both = report(dir, &["app.profraw", "--object", "app", "--object", "changed"]);
    assert_eq!(both["functions"]["with_profile"], one["functions"]["with_profile"]);
    assert_eq!(both["profile"]["records_not_in_program"], 0);
    assert_eq!(both["hot"]["unusable"], 0, "one of the programs uses them");
    assert_eq!(both["programs"].as_array().unwrap().len(), 2);
}

/// Targets of indirect calls, as far as program and profile know them.
#[needs("clang")]
fn hot_calls_of_functions_without_a_profile() {
    let dir = tempfile::tempdir().unwrap();
    let calls = |targets: &[(&str, u64)]| -> Vec<(String, u64)> {
        targets.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let (caller, cold) = (calls(&[("_ZN3lib4workEv", 900), ("outside", 700), ("main", 400)]), calls(&[("outside", 1)]));
    let text = sites(&[("main", "2000 5", &caller), ("rare", "1", &cold)]);
    fs::write(dir.path().join("a.proftext"), text).unwrap();
    let found = report(dir.path(), &["a.proftext", "--top", "1"])["calls"].clone();
    for (field, expected) in [
        ("counts", 2001),
        ("to_functions_with_profile", 400),
        ("to_functions_without_profile", 1601),
        ("to_unknown", 0),
        ("number", 2),
    ] {
        assert_eq!(found[field], expected, "{field} of {found:#}");
    }
    assert_eq!(found["targets"].as_array().unwrap().len(), 1);
    let all = report(dir.path(), &["a.proftext", "--all"])["calls"]["targets"].clone();
    let of = |place: usize| (&all[place]["counts"], &all[place]["caller"], &all[place]["reason"]);
    assert_eq!(of(0), (&900.into(), &"main".into(), &"no record".into()));
    assert_eq!(of(1), (&701.into(), &"main".into(), &"no record".into()));
    assert_eq!(all[0]["is_hot"], false, "2,000 is where hot begins");

    let clang = common::newest();
    build(&clang, dir.path(), "app", &["-fprofile-generate"]);
    let all = report(dir.path(), &["a.proftext", "--object", "app"])["calls"]["targets"].clone();
    let reasons: Vec<_> = all.as_array().unwrap().iter().map(|target| (&target["name"], &target["reason"])).collect();
    let unknown = format!("function {:#018x}", name_hash(b"_ZN3lib4workEv"));
    assert_eq!(
        reasons,
        [(&unknown.into(), &"not in the program".into()), (&"outside".into(), &"not instrumented".into())]
    );
    // A function of the program that the profile has lost.
    let text = sites(&[("main", "500 5", &calls(&[("_Z3runP4Basei", 500)]))]);
    fs::write(dir.path().join("b.proftext"), text).unwrap();
    let (_, out, _) = said(dir.path(), &["b.proftext", "--object", "app"]);
    assert!(out.contains("  100 %                   500  run(Base*, int): no record, hot; from main\n"), "{out}");
}

#[needs("clang")]
fn a_sparse_profile_is_noted() {
    let dir = program_and(&[]);
    let dir = dir.path();
    run(common::profrt(dir).args(["merge", "-q", "--sparse", "app.profraw", "-o", "app.profdata"]));
    let sparse = report(dir, &["app.profdata", "--object", "app"]);
    assert!(number(&sparse, "/functions/without_profile") > 0);
    assert!(sparse["notes"][0].as_str().unwrap().contains("sparse merge"), "{sparse:#}");
}

/// Both the hash and the number of counters must be those of the program.
#[needs("clang")]
fn records_with_another_hash_or_other_counters_are_stale() {
    let dir = program_and(&[]);
    let dir = dir.path();
    run(common::profrt(dir).args(["merge", "-q", "--text", "app.profraw", "-o", "app.proftext"]));
    let text = fs::read_to_string(dir.join("app.proftext")).unwrap();
    let at = text.find("_Z4callPFiiEi\n").unwrap();
    for (from, to) in [
        ("# Num Counters:\n1\n# Counter Values:\n", "# Num Counters:\n2\n# Counter Values:\n3\n"),
        ("# Func Hash:\n", "# Func Hash:\n77\n#"),
    ] {
        assert!(text[at..].contains(from), "{text}");
        fs::write(dir.join("other.proftext"), format!("{}{}", &text[..at], text[at..].replacen(from, to, 1))).unwrap();
        let found = report(dir, &["other.proftext", "--object", "app"]);
        assert_eq!(found["functions"]["stale"], 1, "{to}: {found:#}");
        assert_eq!(names(&found["hot"]["worst"]), ["call(int (*)(int), int)"]);
    }
    // The program has one of two hashes: the record of the other one is of no use, and most counts are there.
    let old = "\n_Z4callPFiiEi\n# Func Hash:\n77\n# Num Counters:\n1\n# Counter Values:\n1000000000\n";
    fs::write(dir.join("both.proftext"), format!("{text}{old}")).unwrap();
    let found = report(dir, &["both.proftext", "--object", "app"]);
    assert_eq!((&found["functions"]["stale"], &found["profile"]["stale_records"]), (&0.into(), &1.into()), "{found:#}");
    assert_eq!(names(&found["hot"]["worst"]), ["call(int (*)(int), int)"]);
    let (code, _, error) = said(dir, &["both.proftext", "--object", "app", "--fail-over-hot-unusable", "0%"]);
    assert!(code == 1 && error.contains("hot functions are stale"), "{error}");
}

/// A program that is cut or damaged is an error or has fewer functions; it never ends the tool.
#[needs("clang")]
fn damaged_programs() {
    let dir = program_and(&[]);
    let dir = dir.path();
    let good = fs::read(dir.join("app")).unwrap();
    for step in 0..40 {
        let place = good.len() * step / 40;
        let mut bytes = good.clone();
        if step % 2 == 0 {
            bytes.truncate(place);
        } else {
            bytes[place..].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x55);
        }
        fs::write(dir.join("damaged"), bytes).unwrap();
        let (code, _, error) = said(dir, &["app.profraw", "--object", "damaged"]);
        assert!((0..3).contains(&code), "{step}: {error}");
        assert!(code < 2 || error.contains("damaged cannot be"), "{step}: {error}");
    }
    // Names that cannot be read.
    let (elf, mut bytes) = (object::File::parse(&*good).unwrap(), good.clone());
    let at = elf.section_by_name("__llvm_prf_names").unwrap().file_range().unwrap().0 as usize;
    bytes[at + 4] ^= 0xff;
    fs::write(dir.join("damaged"), bytes).unwrap();
    let found = report(dir, &["app.profraw", "--object", "damaged"]);
    assert!(found["notes"][0].as_str().unwrap().contains("damaged is damaged, so names"), "{found:#}");
}

#[test]
fn help_has_an_example() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = said(dir.path(), &["--help"]);
    assert_eq!(code, 0);
    assert!(out.contains("profrt report quality night.profdata --object app --fail-under-functions 80%"), "{out}");
}
