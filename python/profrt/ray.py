"""Merges on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import ray

from profrt import _inputs
from profrt._profrt import Partial
from profrt._results import Report

# Sums that one task joins, so many of which are in the object store at once for each level of the tree.
FAN_IN = 8
# How often a task is repeated whose worker was killed, or whose input could not be read.
RETRIES = 5

# Of each build the bytes of a partial result, which tasks read in place.
Sums = dict[str, Any]


def _packed(sums: _inputs.Sums) -> Sums:
    return {build: np.frombuffer(partial.to_bytes(), np.uint8) for build, partial in sums.items()}


def _sum_up(paths: list[str], storage: _inputs.Storage, by_build: bool) -> tuple[int, Sums]:
    return len(paths), _packed(_inputs.sum_up(paths, storage, by_build))


def _join_all(*all_sums: Sums) -> tuple[int, Sums]:
    joined: _inputs.Sums = {}
    for sums in all_sums:
        for build, content in sums.items():
            joined.setdefault(build, Partial()).add(content)
    return 0, _packed(joined)


_sum = ray.remote(num_returns=2, max_retries=RETRIES, retry_exceptions=[OSError])(_sum_up)
_join = ray.remote(num_returns=2, max_retries=RETRIES)(_join_all)


def merge(
    paths: Any,
    out: str,
    *,
    for_: str | None = None,
    workers: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Report]:
    """Merge profiles to the bytes that `profrt merge` writes.

    Parameters
    ----------
    paths : path, URL of fsspec, or iterable of these
        Files, directories, archives, which all workers can read.
    out : str
        Path or URL. Where it has "{build}", each build has an output of its own; that of inputs without a build id is "unknown".
    for_ : str, optional
        Who reads the output: "clang-16".
    workers : int, optional
        The most tasks at once; as many as the cluster has CPUs unless given.
    storage_options : dict, optional
        Options of fsspec for URLs.
    progress : callable, optional
        Is called with the number of inputs that are summed up, and of all.

    Returns
    -------
    dict
        The report of each output by its name.
    """
    if not ray.is_initialized():
        ray.init()
    workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    inputs = _inputs.find(paths, storage_options)
    tasks = inputs.tasks(workers)
    sizes = [max(1, len(tasks))]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // FAN_IN))
    begun = done = 0
    # The level of the tree and the place in it of each task that runs, and the results of those that do not.
    running: dict[Any, tuple[int, int, Any]] = {}
    results: dict[tuple[int, int], Any] = {}
    while running or begun < len(tasks):
        while begun < len(tasks) and len(running) < workers:
            number, sums = _sum.remote(tasks[begun], storage_options, _inputs.BUILD in out)
            running[number] = (0, begun, sums)
            begun += 1
        for number in ray.wait(list(running))[0]:
            # The first error ends the merge.
            done += ray.get(number)
            level, place, results[level, place] = running.pop(number)
            if progress is not None and level == 0:
                progress(done, len(inputs.files))
            first = place - place % FAN_IN
            group = [(level, place) for place in range(first, min(first + FAN_IN, sizes[level]))]
            if sizes[level] > 1 and all(key in results for key in group):
                number, sums = _join.remote(*[results.pop(key) for key in group])
                running[number] = (level + 1, first // FAN_IN, sums)
    sums = {build: Partial.from_bytes(content) for build, content in _last(results).items()}
    return _inputs.finish(sums, out, for_, inputs, storage_options)


def _last(results: dict[tuple[int, int], Any]) -> Sums:
    sums: Sums = ray.get(next(iter(results.values()))) if results else {}
    return sums
