"""What the tool reports as JSON, as objects; docs/tool has the fields."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from profrt import _profrt

Path = str | os.PathLike[str]


def _list(one_or_many: Any) -> list[Any]:
    single = isinstance(one_or_many, str | bytes | bytearray | os.PathLike)
    return [one_or_many] if single else list(one_or_many)


class _Json:
    """A document with its fields as attributes."""

    def __init__(self, text: str) -> None:
        self.json = text
        self._fields: dict[str, Any] = json.loads(text)

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("_fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(name)

    def __getstate__(self) -> str:
        return self.json

    def __setstate__(self, text: str) -> None:
        self.__init__(text)  # type: ignore[misc]

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(str(value))}</td></tr>" for key, value in self.totals.items())
        return f"<table>{rows}</table>"


class Report(_Json):
    """What became of the inputs of a merge: the report of `profrt merge`.

    Attributes
    ----------
    status : int
        0, or 1 if something was lost, or 2 if no input can be used.
    totals, inputs, duplicates, ignored, notes, findings
        As docs/tool/merge.md has them.
    """

    def __repr__(self) -> str:
        totals = self.totals
        return (
            f"<profrt.Report: {totals['inputs']} inputs, {totals['whole']} whole, {totals['salvaged']} salvaged, "
            f"{totals['refused']} refused, {totals['empty']} empty; counts of {totals['counts']}, {totals['counts_lost']} lost>"
        )


class Coverage(_Json):
    """What ran of the source: the JSON of `profrt cov`.

    Attributes
    ----------
    totals : dict
        Functions, lines, regions, branches and MC/DC of all files.
    files : list of dict
        Each with path, totals, lines as (line, count), functions.
    damage : list of str
        What of the profiles is lost.
    """

    def __init__(self, text: str, lcov: str = "", damage: Iterable[str] = ()) -> None:
        super().__init__(text)
        self._lcov = lcov
        self.damage = list(damage)

    def to_json(self) -> str:
        """Return what `profrt cov --json` writes."""
        return self.json

    def to_lcov(self) -> str:
        """Return what `profrt cov --lcov` writes."""
        return self._lcov

    def __getstate__(self) -> Any:
        return self.json, self._lcov, self.damage

    def __setstate__(self, state: Any) -> None:
        self.__init__(*state)  # type: ignore[misc]

    @property
    def functions(self) -> list[dict[str, Any]]:
        """Functions of all files, each with its path."""
        return [{"path": file["path"], **function} for file in self.files for function in file["functions"]]

    def __repr__(self) -> str:
        lines = self.totals["lines"]
        return f"<profrt.Coverage: {len(self.files)} files, {lines['covered']} of {lines['count']} lines ran>"


def merge(inputs: Any, *, for_: str | None = None, threads: int = 0, weights: Mapping[str, int] | None = None) -> tuple[_profrt.Profile, Report]:
    """Merge profiles as the command `profrt merge` does.

    Parameters
    ----------
    inputs : path, bytes, or iterable of these
        Profiles, directories, archives.
    for_ : str, optional
        Who reads the result: "clang-16", "rustc-1.85", "indexed-9".
    threads : int
        As many as there are processors unless given.
    weights : dict, optional
        How often inputs count whose path or name matches a pattern; the last match decides.

    Raises
    ------
    ProfileError
        Inputs are of different kinds. What is damaged is in the report.
    """
    patterns = [f"{pattern}={weight}" for pattern, weight in (weights or {}).items()]
    return _profrt.merge(_list(inputs), for_, threads, patterns)


def check(source: Path | bytes) -> list[dict[str, Any]]:
    """Say of each profile in a file, directory or archive whether it is whole: what `profrt check --json` writes."""
    verdicts: list[dict[str, Any]] = json.loads(_profrt.check(source))
    return verdicts


def coverage(profiles: Path | Iterable[Path], elf: Path | Iterable[Path]) -> Coverage:
    """Return what ran of the source of programs.

    Parameters
    ----------
    profiles : path or iterable of paths
        Profiles, directories, archives.
    elf : path or iterable of paths
        The programs that wrote them.
    """
    return Coverage(*_profrt.coverage(_list(profiles), _list(elf)))
