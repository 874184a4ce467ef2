"""Inputs of distributed merges: which there are, how tasks share them, and what a task makes of its share."""

from __future__ import annotations

import itertools
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from profrt._profrt import Partial, ProfileError, add_by_build, expand, is_profile_name
from profrt._results import Report

# What stands in the name of an output for the build id; then each build has an output.
BUILD = "{build}"
# The most inputs and bytes of one task: seconds of work are lost with a worker.
MOST_INPUTS = 64
MOST_BYTES = 1 << 30
# Tasks for each worker, so that all end at about the same time.
TASKS = 4

Storage = dict[str, Any] | None
Sums = dict[str, Partial]
# Build, range of functions, number of the task; and a partial result.
Part = tuple[tuple[str, int, int], bytes]


@dataclass
class Inputs:
    """Files with their sizes, in the order in which they are given."""

    files: list[tuple[str, int]] = field(default_factory=list)
    duplicates: list[tuple[str, str]] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def tasks(self, workers: int) -> list[list[str]]:
        """Return the shares of tasks: neighbors, so that the report has the order of the inputs."""
        most = min(MOST_INPUTS, max(1, -(-len(self.files) // (workers * TASKS))))
        tasks: list[list[str]] = []
        size = 0
        for path, bytes_ in self.files:
            if not tasks or len(tasks[-1]) == most or size + bytes_ > MOST_BYTES:
                tasks.append([])
                size = 0
            tasks[-1].append(path)
            size += bytes_
        return tasks


def is_remote(path: str) -> bool:
    """Return whether a path is a URL of fsspec."""
    return "://" in path


def find(paths: Any, storage: Storage = None) -> Inputs:
    """Return the files that paths, directories and URLs stand for. A file that is given twice counts once."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [os.fspath(path) for path in given]
    inputs = Inputs()
    inputs.files, inputs.duplicates, inputs.ignored = expand([name for name in names if not is_remote(name)])
    seen = set()
    for name in filter(is_remote, names):
        for url, size in _remote(name, storage, inputs.ignored):
            if url in seen:
                inputs.duplicates.append((url, url))
            else:
                seen.add(url)
                inputs.files.append((url, size))
    return inputs


def _remote(url: str, storage: Storage, ignored: list[str]) -> Iterator[tuple[str, int]]:
    import fsspec

    system, path = fsspec.core.url_to_fs(url, **(storage or {}))
    if any(character in url for character in "*?["):
        found = system.glob(path, detail=True)
    elif system.isdir(path):
        found = system.find(path, detail=True)
        others = [name for name in found if not is_profile_name(name)]
        ignored.extend(str(system.unstrip_protocol(found.pop(name)["name"])) for name in others)
    else:
        found = {path: system.info(path)}
    for name in sorted(found):
        yield str(system.unstrip_protocol(name)), int(found[name].get("size") or 0)


def fetch(url: str, storage: Storage = None) -> bytes:
    """Read a URL."""
    import fsspec

    with fsspec.open(url, **(storage or {})) as file:
        content: bytes = file.read()
    return content


def add(sums: Sums, path: str, storage: Storage, by_build: bool, content: bytes | None = None) -> None:
    """Add an input to the sum of its build, or of all."""
    if content is None and is_remote(path):
        content = fetch(path, storage)
    source = path if content is None else content
    if by_build:
        add_by_build(sums, source, path)
    else:
        sums.setdefault("", Partial()).add(source, path)


def sum_up(paths: Iterable[str], storage: Storage, by_build: bool) -> Sums:
    """Return the sums of inputs. It changes nothing else, so that a task can be repeated."""
    sums: Sums = {}
    for path in paths:
        add(sums, path, storage, by_build)
    return sums


def parts(task: int, sums: Sums, ranges: int) -> Iterator[Part]:
    """Take the sums of a task apart by ranges of functions."""
    for build, partial in sums.items():
        for part in range(ranges):
            yield (build, part, task), partial.to_bytes(part, ranges)


def join(parts: Iterable[Part]) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Join the parts of each range."""
    # They are sorted, so that one sum at a time is in memory.
    for key, group in itertools.groupby(parts, lambda part: part[0][:2]):
        joined = Partial()
        for _, content in group:
            joined.add(content)
        yield key, joined.to_bytes()


def place(key: tuple[str, int, int]) -> int:
    """Return a number that the parts of a range share."""
    return zlib.crc32(key[0].encode()) + key[1]


def finish(sums: Sums, out: str, for_: str | None, inputs: Inputs, storage: Storage) -> dict[str, Report]:
    """Write the output of each build. Return their reports by the names of the outputs."""
    reports = {}
    for build, partial in sorted(sums.items()):
        profile, report = partial.finish(for_, inputs.duplicates, inputs.ignored)
        name = out.replace(BUILD, build)
        reports[name] = report
        if report.status == 2:
            continue
        if not is_remote(name):
            profile.write(name)
            continue
        import fsspec

        with tempfile.TemporaryDirectory() as directory:
            local = os.path.join(directory, "out")
            profile.write(local)
            system, path = fsspec.core.url_to_fs(name, **(storage or {}))
            system.put_file(local, path)
    if all(report.status == 2 for report in reports.values()):
        raise ProfileError("no input can be used, and nothing was written: " + repr(list(reports.values())))
    return reports
