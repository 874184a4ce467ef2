"""LLVM profiles: read, merge, write; coverage; on Ray (profrt.ray) and Spark (profrt.spark).

>>> import profrt
>>> profile, report = profrt.merge(["night/"], for_="clang-16")
>>> profile.write("night.profdata")
"""

from profrt._profrt import Function, Partial, Profile, ProfileError, read
from profrt._results import Coverage, Report, check, coverage, merge

__all__ = [
    "Coverage",
    "Function",
    "Partial",
    "Profile",
    "ProfileError",
    "Report",
    "check",
    "coverage",
    "merge",
    "read",
]
