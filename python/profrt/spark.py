"""Merges on a Spark cluster."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from profrt import _inputs
from profrt._profrt import Partial
from profrt._results import Report

SCHEMA = "input string, build string, function string, hash string, count bigint, counters array<bigint>"


def merge(
    paths_or_df: Any,
    out: str,
    *,
    for_: str | None = None,
    ranges: int | None = None,
    spark: SparkSession | None = None,
    storage_options: dict[str, Any] | None = None,
) -> dict[str, Report]:
    """Merge profiles to the bytes that `profrt merge` writes.

    Each task sums its inputs up and takes the sum apart by ranges of functions. A shuffle brings the parts of one range together, so that no
    worker needs the sum of more than its own inputs; the driver needs the result.

    Parameters
    ----------
    paths_or_df : path, URL of fsspec, iterable of these, or DataFrame
        A DataFrame has the columns of `spark.read.format("binaryFile")`: path, content.
    out : str
        Path or URL. Where it has "{build}", each build has an output of its own; that of inputs without a build id is "unknown".
    for_ : str, optional
        Who reads the output: "clang-16".
    ranges : int, optional
        As many as the default parallelism of the session unless given.
    spark : SparkSession, optional
        That of this thread, or a new one, unless given.
    storage_options : dict, optional
        Options of fsspec for URLs.

    Returns
    -------
    dict
        The report of each output by its name.
    """
    spark = spark or _session()
    context, by_build = spark.sparkContext, _inputs.BUILD in out
    number = ranges or context.defaultParallelism
    inputs = _inputs.Inputs()
    if isinstance(paths_or_df, DataFrame):

        def of_rows(task: int, rows: Iterable[Any]) -> Iterator[_inputs.Part]:
            sums: _inputs.Sums = {}
            for row in rows:
                _inputs.add(sums, row.path, None, by_build, bytes(row.content))
            return _inputs.parts(task, sums, number)

        parts = paths_or_df.select("path", "content").rdd.mapPartitionsWithIndex(of_rows)
    else:

        def of_paths(task: tuple[int, list[str]]) -> Iterator[_inputs.Part]:
            return _inputs.parts(task[0], _inputs.sum_up(task[1], storage_options, by_build), number)

        inputs = _inputs.find(paths_or_df, storage_options)
        tasks = inputs.tasks(context.defaultParallelism)
        parts = context.parallelize(list(enumerate(tasks)), max(1, len(tasks))).flatMap(of_paths)
    joined = parts.repartitionAndSortWithinPartitions(number, _inputs.place).mapPartitions(_inputs.join).collect()
    joined.sort()
    sums = {build: Partial.join([content for _, content in group]) for build, group in itertools.groupby(joined, lambda part: part[0][0])}
    return _inputs.finish(sums, out, for_, inputs, storage_options)


def _session() -> SparkSession:
    """Return the session of this thread, or a new one whose workers are this Python, in which profrt is installed."""
    if SparkSession.getActiveSession() is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkSession.builder.getOrCreate()


def functions(paths: Any, *, spark: SparkSession | None = None, storage_options: dict[str, Any] | None = None) -> DataFrame:
    """Return a row for each function of each input, for SQL.

    Columns: input, build ("unknown" without a build id), function, hash (hexadecimal), count (the sum of the counters), counters. Counts
    stop at 2**63 - 1.
    """
    spark = spark or _session()
    files = _inputs.find(paths, storage_options).files

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for path in itertools.chain.from_iterable(batch.column(0).to_pylist() for batch in batches):
            sums: _inputs.Sums = {}
            _inputs.add(sums, path, storage_options, True)
            for build, partial in sums.items():
                yield from _rows(path, build, partial.finish()[0].to_arrow())

    tasks = max(1, min(len(files), _inputs.TASKS * spark.sparkContext.defaultParallelism))
    named = spark.createDataFrame([(path,) for path, _ in files], "input string").repartition(tasks)
    return named.mapInArrow(rows, SCHEMA)


def _rows(path: str, build: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
    import pyarrow.compute as pc

    def signed(counts: Any) -> Any:
        return pc.min_element_wise(counts, pa.scalar(2**63 - 1, pa.uint64())).cast(pa.int64())

    counters = table["counters"].combine_chunks()
    columns = {
        "input": pa.array([path] * len(table)),
        "build": pa.array([build] * len(table)),
        "function": table["name"],
        "hash": pa.array([f"{number:#x}" for number in table["hash"].to_pylist()]),
        "count": signed(table["count"]),
        "counters": pa.ListArray.from_arrays(counters.offsets.cast(pa.int32()), signed(counters.values)),
    }
    yield from pa.table(columns).to_batches()
