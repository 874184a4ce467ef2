"""The package on one machine: reads, merges, tables, errors."""

import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ROOT, command, merged, text, totals
from hypothesis import given, settings
from hypothesis import strategies as st

import profrt

RAW = ROOT / "fuzz/profiles/clang-22-ir.profraw"


def test_read_gives_functions_with_counters_in_place():
    profile = profrt.read(b":ir\nmain\n7\n2\n5\n1\n1\n0\n1\n1\nfoo:3\n")
    (main,) = profile.functions()
    assert (main.name, main.hash, main.counters.tolist()) == ("main", 7, [5, 1])
    assert main.value_sites == {"indirect-call": [[(main.value_sites["indirect-call"][0][0][0], 3)]]}
    assert (profile.kind, profile.version, len(profile), profile.counts) == ("IR", None, 1, 6)
    address = [main.counters.__array_interface__["data"][0] for _ in range(2)]
    assert address[0] == address[1] and main.counters.dtype == np.uint64
    with pytest.raises(ValueError):
        main.counters[0] = 1
    counters = main.counters
    del main, profile
    assert counters.tolist() == [5, 1]


def test_a_path_and_its_bytes_are_the_same():
    profiles = [profrt.read(RAW), profrt.read(str(RAW)), profrt.read(RAW.read_bytes())]
    assert len({repr(profile) for profile in profiles}) == 1
    assert profiles[0].version == 10


def test_merge_is_that_of_the_command(fleet, tmp_path):
    for options, arguments in [([], {}), (["--for", "clang-22"], {"for_": "clang-22"}), (["--weight", "web-*=3"], {"weights": {"web-*": 3}})]:
        expected, report = merged(tmp_path, fleet, options=options)
        for threads in (1, 2):
            profile, ours = profrt.merge(fleet, threads=threads, **arguments)
            profile.write(tmp_path / "ours.profdata")
            assert (tmp_path / "ours.profdata").read_bytes() == expected
            assert totals({"totals": ours.totals}) == totals(report)
            assert [one["name"] for one in ours.inputs] == [one["name"] for one in report["inputs"]]
            assert ours.ignored == report["ignored"] and ours.findings == report["findings"]


def test_bytes_merge_as_files_do(fleet, tmp_path):
    files = sorted(fleet.iterdir())
    expected, _ = merged(tmp_path, *files)
    profile, _ = profrt.merge([file.read_bytes() for file in files])
    profile.write(tmp_path / "ours.profdata")
    assert (tmp_path / "ours.profdata").read_bytes() == expected


def test_a_profile_is_written_for_another_compiler(fleet, tmp_path):
    whole = fleet / "whole.profraw"
    for compiler in ("clang-16", "clang-22"):
        expected, _ = merged(tmp_path, whole, options=["--for", compiler])
        profrt.read(whole).write(tmp_path / "ours.profdata", for_=compiler)
        assert (tmp_path / "ours.profdata").read_bytes() == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 2**32))
def test_any_grouping_order_and_split_gives_the_same_bytes(tmp_path_factory, number, parts, seed):
    chosen = random.Random(seed)
    directory = tmp_path_factory.mktemp("groups")
    inputs = [text(seed + index, 12) for index in range(number)]
    profile, report = profrt.merge(inputs)
    profile.write(directory / "whole")
    chosen.shuffle(inputs)
    groups = [profrt.Partial() for _ in range(chosen.randrange(1, 5))]
    for content in inputs:
        chosen.choice(groups).add(content)
    joined = []
    for part in range(parts):
        one = profrt.Partial()
        for group in groups:
            one.add(np.frombuffer(group.to_bytes(part, parts), np.uint8))
        joined.append(one.to_bytes())
    split, ours = profrt.Partial.join(joined).finish()
    split.write(directory / "split")
    assert (directory / "whole").read_bytes() == (directory / "split").read_bytes()
    assert totals({"totals": ours.totals}) == totals({"totals": report.totals})
    tree = pickle.loads(pickle.dumps(groups[0]))
    for group in groups[1:]:
        tree.merge(group)
    tree.finish()[0].write(directory / "tree")
    assert (directory / "whole").read_bytes() == (directory / "tree").read_bytes()


def test_the_command_reads_partial_results(fleet, tmp_path):
    partial = profrt.Partial()
    partial.add(fleet)
    (tmp_path / "part.profpart").write_bytes(partial.to_bytes())
    assert merged(tmp_path, tmp_path / "part.profpart")[0] == merged(tmp_path, fleet)[0]


def test_errors_have_fields():
    with pytest.raises(profrt.ProfileError) as caught:
        profrt.read(RAW.read_bytes()[:300])
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.kind, error.input) == ("BadHeader", "bytes")
    assert error.field and error.expected and error.cause and error.remedy and "cause" in str(error)
    with pytest.raises(profrt.ProfileError) as caught:
        profrt.merge([b":ir\nmain\n7\n1\n5\n", b":fe\nmain\n7\n1\n5\n"])
    assert caught.value.kind == "Incompatible"
    with pytest.raises(profrt.ProfileError, match="no such compiler"):
        profrt.merge([text(1)], for_="gcc-3")
    with pytest.raises(FileNotFoundError) as caught:
        profrt.read("/no/such/file")
    assert caught.value.filename == "/no/such/file"


def test_damaged_partial_results_are_refused():
    partial = profrt.Partial()
    partial.add(text(3))
    content = bytearray(partial.to_bytes())
    content[40] ^= 1
    with pytest.raises(profrt.ProfileError):
        profrt.Partial.from_bytes(bytes(content))


def test_check_looks_into_archives(fleet):
    verdicts = profrt.check(fleet)
    states = {one["name"].rsplit("/")[-1]: one["state"] for one in verdicts}
    assert states["whole.profraw"] == "ok"
    assert {states[f"{name}.profraw"] for name in ("cut", "variant", "hostile")} == {"damaged"}
    assert sum("old.tar.gz:" in one["name"] for one in verdicts) == 3
    assert profrt.check(RAW.read_bytes())[0]["state"] == "ok"


def test_coverage_is_that_of_the_command(builds):
    directory, files = builds
    coverage = profrt.coverage(files["aa11"], directory / "aa11.app")
    done = command("cov", *files["aa11"], "--object", directory / "aa11.app", "--lcov", "-")
    assert coverage.to_lcov() == done.stdout and done.stdout.startswith("SF:")
    done = command("cov", *files["aa11"], "--object", directory / "aa11.app", "--json", "-", "--instantiations")
    assert coverage.to_json() == done.stdout
    assert coverage.files[0]["lines"] and coverage.functions[0]["name"] == "main" and "of" in repr(coverage)


def test_tables(tmp_path):
    profile, _ = profrt.merge([text(number) for number in range(5)])
    table = profile.to_arrow()
    assert profrt.read(b":ir\n_ZN1a1bEv\n7\n1\n5\n").to_arrow()["demangled"].to_pylist() == ["a::b()"]
    expected = [(one.name, one.name, one.hash, int(one.counters.sum()), one.counters.tolist()) for one in profile]
    assert [tuple(row.values()) for row in table.to_pylist()] == expected
    frame = profile.to_pandas()
    assert frame["count"].sum() == profile.counts
    values = profile.values_to_arrow().to_pylist()
    assert len(values) == sum(len(site) for one in profile for sites in one.value_sites.values() for site in sites) > 0
    profile.to_parquet(tmp_path / "functions.parquet", tmp_path / "values.parquet")
    import pyarrow.parquet as pq

    assert pq.read_table(tmp_path / "functions.parquet").equals(table)
    assert pq.read_table(tmp_path / "values.parquet").num_rows == len(values)


def test_notebooks_show_tables_and_no_markup_of_inputs():
    profile, report = profrt.merge([b":ir\n<script>x</script>\n7\n1\n5\n"])
    assert "<table>" in profile._repr_html_() and "<script>" not in profile._repr_html_()
    assert "<table>" in report._repr_html_()


def test_the_interpreter_runs_on_during_a_merge(tmp_path):
    for number in range(40):
        (tmp_path / f"{number}.proftext").write_bytes(text(number, 4000))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    profrt.merge(tmp_path, threads=1)
    end = time.monotonic()
    stop.set()
    thread.join()
    assert sum(begin < tick < end for tick in ticks) > 5


def test_ctrl_c_ends_a_merge_between_inputs(tmp_path):
    content = text(1, 20_000)
    for number in range(400):
        (tmp_path / f"{number}.proftext").write_bytes(content)
    script = f"import profrt\nprint('go', flush=True)\nprofrt.merge({str(tmp_path)!r})\nprint('end')"
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.readline()
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, error = child.communicate()
    assert "KeyboardInterrupt" in error and "end" not in out


def test_the_wheel_brings_the_command():
    assert command("--help").stdout.startswith("Coverage of the source")
    assert command("llvm-profdata", "merge").returncode == 1
    assert command("merge", "/no/such/file", "-o", "/no/out").returncode == 2
