"""Merges on a local Ray cluster."""

import os
import shutil
from pathlib import Path

import pytest
import ray
from conftest import FLAKY, know_flaky, merged, totals

import profrt
import profrt.ray


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory):
    markers = tmp_path_factory.mktemp("markers")
    os.environ["PROFRT_FLAKY_WORKERS"] = str(markers)
    variables = {"PYTHONPATH": str(FLAKY), "PROFRT_FLAKY": str(markers)}
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=200 << 20,
        runtime_env={"env_vars": variables},
        logging_level="error",
        log_to_driver=False,
    )
    yield
    ray.shutdown()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_bytes_are_those_of_one_process(fleet, tmp_path, workers):
    expected, report = merged(tmp_path, fleet, options=["--for", "clang-22"])
    seen = []
    out = str(tmp_path / "ray.profdata")
    reports = profrt.ray.merge(fleet, out, for_="clang-22", workers=workers, progress=lambda done, of: seen.append((done, of)))
    assert (tmp_path / "ray.profdata").read_bytes() == expected
    ours = reports[out]
    assert totals({"totals": ours.totals}) == totals(report)
    assert [one["name"] for one in ours.inputs] == [one["name"] for one in report["inputs"]]
    assert ours.ignored == report["ignored"]
    assert seen[-1][0] == seen[-1][1] and seen == sorted(seen)


def test_killed_workers_count_nothing_twice(fleet, tmp_path):
    know_flaky(tmp_path)
    files = sorted(fleet.glob("web-*"))
    expected, report = merged(tmp_path, *files)
    out = str(tmp_path / "ray.profdata")
    reports = profrt.ray.merge([f"flaky://{file}" for file in files[::6]] + [str(file) for file in files if file not in files[::6]], out, workers=2)
    assert len(list(Path(os.environ["PROFRT_FLAKY_WORKERS"]).iterdir())) == len(files[::6])
    assert (tmp_path / "ray.profdata").read_bytes() == expected
    assert totals({"totals": reports[out].totals}) == totals(report)


def test_repeated_tasks_count_nothing_twice(fleet, tmp_path):
    paths = [str(file) for file in sorted(fleet.glob("web-*"))]
    sums = [profrt.ray._sum.remote(paths, None, False)[1] for _ in range(3)]
    assert len({ray.get(one)[""].tobytes() for one in sums}) == 1


def test_each_build_has_an_output(builds, tmp_path):
    directory, files = builds
    reports = profrt.ray.merge(directory, str(tmp_path / "{build}.profdata"), workers=2)
    assert set(reports) == {str(tmp_path / f"{build}.profdata") for build in files}
    for build, inputs in files.items():
        assert (tmp_path / f"{build}.profdata").read_bytes() == merged(tmp_path, *inputs)[0]
        named = [one["name"] for one in reports[str(tmp_path / f"{build}.profdata")].inputs]
        assert named == [str(path) for path in inputs]


def test_kinds_that_do_not_merge_end_it_at_once(tmp_path):
    for name, kind in [("a", "ir"), ("b", "fe")]:
        (tmp_path / f"{name}.proftext").write_text(f":{kind}\nmain\n7\n1\n5\n")
    with pytest.raises(profrt.ProfileError, match="incompatible"):
        profrt.ray.merge(tmp_path, str(tmp_path / "out"))
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    (tmp_path / "x.profraw").write_bytes(b"")
    with pytest.raises(profrt.ProfileError, match="nothing was written") as caught:
        profrt.ray.merge(tmp_path, str(tmp_path / "out"))
    assert caught.value.kind is None
