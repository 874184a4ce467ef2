"""What the tests share: inputs, and the command line as the judge."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(sys.executable).with_name("profrt")
FLAKY = Path(__file__).with_name("flaky")


def text(seed, functions=40):
    """A profile as text; several have functions in common, and some that disagree."""
    chosen = random.Random(seed)
    lines = [":ir"]
    for number in sorted(chosen.sample(range(functions * 2), functions)):
        counters = [chosen.randrange(1 << chosen.randrange(1, 50)) for _ in range(chosen.choice([1, 3, 3, 3, 5]))]
        lines += [f"function_{number}", str(chosen.choice([7, 7, 7, 8])), str(len(counters)), *map(str, counters)]
        if chosen.random() < 0.3:
            targets = chosen.sample(range(200), chosen.randrange(1, 60))
            lines += ["1", "0", "1", str(len(targets)), *(f"target_{target}:{chosen.randrange(1, 999)}" for target in targets)]
    return "\n".join(lines).encode() + b"\n"


def know_flaky(markers):
    """Let this process, which only looks at sizes, know the file system `flaky` that kills workers."""
    os.environ["PROFRT_FLAKY"] = str(markers)
    sys.path.insert(0, str(FLAKY))
    import sitecustomize

    assert sitecustomize.register


def command(*arguments, **options):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, **options)


def merged(directory, *inputs, options=()):
    """What the command line makes of inputs: the bytes, and the report."""
    out, report = Path(directory) / "cli.profdata", Path(directory) / "cli.json"
    done = command("merge", *inputs, "-o", out, "--json", report, "-q", *options)
    assert done.returncode in (0, 1), done.stderr
    return out.read_bytes(), json.loads(report.read_text())


def totals(report):
    """What must be the same however inputs were grouped. Equal files are only known to one process."""
    left_out = ("equal", "duplicates", "ignored")
    return {name: value for name, value in report["totals"].items() if name not in left_out}


@pytest.fixture(scope="session")
def fleet(tmp_path_factory):
    """A directory with profiles, whole and damaged ones, compressed ones, an archive, and what is none."""
    directory = tmp_path_factory.mktemp("fleet")
    for number in range(24):
        (directory / f"web-{number:02}.proftext").write_bytes(text(number))
    for number in range(3):
        (directory / f"db-{number}.proftext.gz").write_bytes(gzip.compress(text(100 + number)))
    source = ROOT / "fuzz/profiles/clang-22-ir.profraw"
    shutil.copy(source, directory / "whole.profraw")
    raw = source.read_bytes()
    (directory / "cut.profraw").write_bytes(raw[: len(raw) * 2 // 3])
    # Bit 52 of the version is a variant of no compiler.
    (directory / "variant.profraw").write_bytes(raw[:14] + bytes([raw[14] | 16]) + raw[15:])
    (directory / "flipped.profraw").write_bytes(raw[:40] + b"\xff" * 60 + raw[100:])
    (directory / "empty.profraw").write_bytes(b"")
    (directory / "hostile.profraw").write_bytes(os.urandom(5000))
    (directory / "notes.txt").write_text("no profile")
    with tarfile.open(directory / "old.tar.gz", "w:gz") as archive:
        for number in (0, 1, 2):
            archive.add(directory / f"db-{number}.proftext.gz", f"older/{number}.proftext.gz")
    return directory


@pytest.fixture(scope="session")
def builds(tmp_path_factory):
    """Raw profiles of two builds, and one without a build id: their directory, and the files of each build."""
    clang = next((found for version in (22, 19, 16, 14) if (found := shutil.which(f"clang-{version}"))), None)
    if clang is None:
        pytest.skip("no clang")
    directory = tmp_path_factory.mktemp("builds")
    files = {}
    for build, option in [("aa11", "-Wl,--build-id=0xaa11"), ("bb22", "-Wl,--build-id=0xbb22"), ("unknown", "-Wl,--build-id=none")]:
        program = directory / f"{build}.app"
        source = f"int main(int c, char **v) {{ for (int i = 0; i < c; i++) if (v[i][0] == '{build[0]}') return 0; return 0; }}\n"
        flags = ["-fprofile-instr-generate", "-fcoverage-mapping", option, "-x", "c", "-", "-o", program]
        subprocess.run([clang, *flags], input=source, text=True, check=True)
        files[build] = []
        for run in range(3):
            path = directory / f"{build}-{run}.profraw"
            subprocess.run([program, *["x"] * run], env={**os.environ, "LLVM_PROFILE_FILE": str(path)}, check=True)
            files[build].append(path)
    return directory, files
