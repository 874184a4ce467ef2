"""Profiles as tables."""

from __future__ import annotations

import heapq
import html as escape
from typing import Any

import numpy as np

from profrt._profrt import Profile

KINDS = np.array(["indirect-call", "memory-size", "vtable"])
# Rows of a profile in a notebook.
SHOWN = 10


def functions(profile: Profile) -> Any:
    """Return an Arrow table of functions."""
    import pyarrow as pa

    columns = profile._columns()
    ends = np.concatenate([np.zeros(1, np.int64), columns["ends"]])
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(columns["counters"], dtype=np.uint64)])
    counters = pa.LargeListArray.from_arrays(pa.array(ends), pa.array(columns["counters"]))
    arrays = [*(pa.array(columns[name]) for name in ["name", "demangled", "hash"]), pa.array(np.diff(sums[ends])), counters]
    return pa.Table.from_arrays(arrays, names=["name", "demangled", "hash", "count", "counters"])


def values(profile: Profile) -> Any:
    """Return an Arrow table of the values of value sites."""
    import pyarrow as pa

    columns, rows = profile._columns(), profile._values()
    place = rows["function"].astype(np.int64)
    names = pa.array(columns["name"]).take(pa.array(place))
    return pa.table(
        {
            "name": names,
            "hash": columns["hash"][place],
            "kind": KINDS[rows["kind"].astype(np.int64)],
            "site": rows["site"],
            "value": rows["value"],
            "count": rows["count"],
        }
    )


def write(profile: Profile, function_file: Any, value_file: Any) -> None:
    """Write Parquet files."""
    import pyarrow.parquet as pq

    pq.write_table(functions(profile), function_file)
    if value_file is not None:
        pq.write_table(values(profile), value_file)


def html(profile: Profile) -> str:
    """Return the hottest functions as a table of HTML."""
    hottest = heapq.nlargest(SHOWN, profile.functions(), key=lambda function: int(function.counters.max(initial=0)))
    rows = "".join(
        f"<tr><td>{escape.escape(function.name)}</td><td>{function.hash:#x}</td>"
        f"<td>{int(function.counters.max(initial=0)):,}</td><td>{len(function.counters)}</td></tr>"
        for function in hottest
    )
    head = "<tr><th>function</th><th>hash</th><th>largest counter</th><th>counters</th></tr>"
    return f"<p>{escape.escape(repr(profile)[1:-1])}</p><table>{head}{rows}</table>"
