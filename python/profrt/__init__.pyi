import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from profrt._results import Coverage as Coverage
from profrt._results import Report as Report
from profrt._results import check as check
from profrt._results import coverage as coverage
from profrt._results import merge as merge

Source = str | os.PathLike[str] | bytes | bytearray | npt.NDArray[np.uint8]

class ProfileError(ValueError):
    """A profile cannot be read, merged or written. What is not known is None."""

    kind: str | None
    input: str | None
    field: str | None
    offset: int | None
    expected: str | None
    found: str | None
    cause: str | None
    remedy: str | None

class Function:
    """The counts of one function."""

    @property
    def name(self) -> str:
        """PGO name; empty if only its hash is known."""
    @property
    def hash(self) -> int:
        """Structural hash."""
    @property
    def counters(self) -> npt.NDArray[np.uint64]:
        """Counters: the profile's own memory, without a copy, which cannot be written to."""
    @property
    def value_sites(self) -> dict[str, list[list[tuple[int, int]]]]:
        """Of each kind ("indirect-call", "memory-size", "vtable") the sites, with (value, count) for each value."""

class Profile:
    """A profile in memory. It never changes."""

    @property
    def kind(self) -> str:
        """Instrumentation: "front end", "IR", with what else is special about it."""
    @property
    def version(self) -> int | None:
        """Version of the format; None of text and of merges."""
    @property
    def binary_ids(self) -> list[str]:
        """Build ids of the binaries that ran, in hexadecimal."""
    @property
    def counts(self) -> int:
        """Sum of all counters."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Function]: ...
    def functions(self) -> Iterator[Function]:
        """Iterate over the functions: after a merge sorted by name and hash, else in the order of the file."""
    def write(self, path: str | os.PathLike[str], for_: str | None = None) -> None:
        """Write an indexed profile, whole or not at all, for a compiler ("clang-16")."""
    def to_arrow(self) -> Any:
        """Return a pyarrow.Table of functions: name, hash, count (the sum of the counters), counters."""
    def values_to_arrow(self) -> Any:
        """Return a pyarrow.Table of the values of value sites: name, hash, kind, site, value, count."""
    def to_pandas(self) -> Any:
        """Return the table of functions as a pandas.DataFrame."""
    def to_parquet(self, functions: Any, values: Any = None) -> None:
        """Write Parquet files of functions and, if `values` is given, of value sites."""
    def _columns(self) -> dict[str, Any]: ...
    def _values(self) -> dict[str, npt.NDArray[np.uint64]]: ...

class Partial:
    """A sum of profiles that can be merged further, in any order and grouping, without loss."""

    def __init__(self) -> None: ...
    def add(self, source: Source, name: str | None = None, weight: int = 1) -> None:
        """Add a profile, an archive, a directory, or bytes of these. What is damaged is accounted for, and no error."""
    def merge(self, other: Partial) -> None:
        """Add all of another one, which is empty then."""
    def to_bytes(self, part: int = 0, parts: int = 1) -> bytes:
        """Return the bytes of all, or of one of `parts` ranges of functions. `profrt merge` reads them."""
    @classmethod
    def from_bytes(cls, data: Source) -> Partial:
        """Read what `to_bytes` returned."""
    @classmethod
    def join(cls, parts: list[Any]) -> Partial:
        """Put ranges of functions together, each merged by itself and in the same order."""
    def finish(
        self,
        for_: str | None = None,
        duplicates: Iterable[tuple[str, str]] = (),
        ignored: Iterable[str] = (),
    ) -> tuple[Profile, Report]:
        """End the merge. The partial result is empty then."""

def read(source: Source) -> Profile:
    """Read a profile of any format. Raises ProfileError if it is not whole; `merge` takes what is."""
