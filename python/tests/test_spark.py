"""Merges on a local Spark."""

import os
import sys

import pytest
from conftest import FLAKY, know_flaky, merged, totals
from pyspark.sql import SparkSession

import profrt
import profrt.spark


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ["PROFRT_FLAKY"] = str(tmp_path_factory.mktemp("markers"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(FLAKY), os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,6]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    del os.environ["PYTHONPATH"], os.environ["PROFRT_FLAKY"]


def test_workers_of_a_session_of_ours_are_this_python(monkeypatch):
    class Builder:
        def getOrCreate(self):
            return os.environ["PYSPARK_PYTHON"]

    class Session:
        builder = Builder()

        def getActiveSession():
            return None

    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    monkeypatch.setattr(profrt.spark, "SparkSession", Session)
    assert profrt.spark._session() == sys.executable


@pytest.mark.parametrize("ranges", [None, 1, 7])
def test_the_bytes_are_those_of_one_process(fleet, tmp_path, spark, ranges):
    expected, report = merged(tmp_path, fleet, options=["--for", "clang-22"])
    out = str(tmp_path / "spark.profdata")
    ours = profrt.spark.merge(fleet, out, for_="clang-22", ranges=ranges, spark=spark)[out]
    assert (tmp_path / "spark.profdata").read_bytes() == expected
    assert totals({"totals": ours.totals}) == totals(report)
    assert [one["name"] for one in ours.inputs] == [one["name"] for one in report["inputs"]]
    assert ours.findings == report["findings"]


def test_a_dataframe_of_files(fleet, tmp_path, spark):
    files = sorted(fleet.glob("web-*"))
    frame = spark.read.format("binaryFile").load([f"file://{file}" for file in files])
    out = str(tmp_path / "spark.profdata")
    profrt.spark.merge(frame, out, spark=spark)
    assert (tmp_path / "spark.profdata").read_bytes() == merged(tmp_path, *files)[0]


def test_killed_workers_count_nothing_twice(fleet, tmp_path, spark):
    know_flaky(os.environ["PROFRT_FLAKY"])
    files = sorted(fleet.glob("web-*"))
    expected, report = merged(tmp_path, *files)
    out = str(tmp_path / "spark.profdata")
    paths = [f"flaky://{file}" if number % 8 == 0 else str(file) for number, file in enumerate(files)]
    ours = profrt.spark.merge(paths, out, spark=spark)[out]
    assert len(os.listdir(os.environ["PROFRT_FLAKY"])) == 3
    assert (tmp_path / "spark.profdata").read_bytes() == expected
    assert totals({"totals": ours.totals}) == totals(report)


def test_each_build_has_an_output(builds, tmp_path, spark):
    directory, files = builds
    reports = profrt.spark.merge(directory, str(tmp_path / "{build}.profdata"), spark=spark)
    assert set(reports) == {str(tmp_path / f"{build}.profdata") for build in files}
    for build, inputs in files.items():
        assert (tmp_path / f"{build}.profdata").read_bytes() == merged(tmp_path, *inputs)[0]


def test_functions_are_rows_for_sql(builds, spark):
    directory, files = builds
    profrt.spark.functions(directory, spark=spark).createOrReplaceTempView("functions")
    rows = spark.sql("select build, count(distinct input) as inputs, sum(count) as total from functions group by build").collect()
    found = {row.build: (row.inputs, row.total) for row in rows}
    assert found == {build: (3, sum(profrt.read(path).counts for path in paths)) for build, paths in files.items()}
