"""The figures of docs/FLEET.md: python measure.py DIRECTORY --inputs 2000 --megabytes 2."""

import argparse
import functools
import os
import resource
import shutil
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import ray
from pyspark.sql import SparkSession

import profrt
import profrt.ray
import profrt.spark
from profrt import _inputs

TOOL = Path(sys.executable).with_name("profrt")
WORKERS = 2


def make(directory, inputs, megabytes):
    """Write raw profiles of one program with about so many bytes, of functions with a loop and an indirect call, each with other counts."""
    directory.mkdir(parents=True)
    functions = int(megabytes * 1e6 / 90.6)
    source = directory / "program.c"
    body = "for (int i = 0; i < n % 97; i++) s += i; if (n & 1) s += 3; return s;"
    lines = [f"int of_a_module_{number}(int n) {{ int s = 0; {body} }}" for number in range(functions)]
    table = ", ".join(f"of_a_module_{number}" for number in range(functions))
    lines += [f"int (*all[])(int) = {{ {table} }};", "int main(void) {", f"for (int i = 0; i < {functions}; i += 3) all[i](i); return 0; }}"]
    source.write_text("\n".join(lines))
    program, profile = directory / "program", directory / "one.profraw"
    clang = next(found for version in (22, 19, 16, 14) if (found := shutil.which(f"clang-{version}")))
    subprocess.run([clang, "-O1", "-fno-inline", "-fprofile-generate", "-Wl,--build-id", source, "-o", program], check=True)
    subprocess.run([program], env={**os.environ, "LLVM_PROFILE_FILE": str(profile)}, check=True)
    content = bytearray(profile.read_bytes())
    for path in (source, program, profile):
        path.unlink()
    # Counters of its own for each, behind header, build id and records.
    header = struct.unpack_from("<16Q", content)
    counters = np.frombuffer(content, np.uint64, count=header[5], offset=128 + header[2] + 64 * header[3] + header[4])
    base, random = counters.copy(), np.random.default_rng(1)
    for number in range(inputs):
        counters[:] = base * random.integers(1, 50, len(base), np.uint64)
        (directory / f"web-{number:05}.profraw").write_bytes(content)


class Watch(threading.Thread):
    """The most memory of a worker, and the CPU seconds of all, of processes whose command line has a mark."""

    def __init__(self, mark):
        super().__init__(daemon=True)
        self.mark, self.most, self.ended = mark, 0, threading.Event()
        self.before, self.after = {}, {}
        self.look()
        self.before = dict(self.after)

    def look(self):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark in (entry / "cmdline").read_bytes():
                    lines = (entry / "status").read_text().splitlines()
                    own = sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssFile")))
                    self.most = max(self.most, own)
                    times = (entry / "stat").read_text().rpartition(")")[2].split()
                    self.after[entry] = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
            except (OSError, ValueError):
                pass

    def run(self):
        while not self.ended.wait(0.5):
            self.look()

    def cpu(self):
        self.ended.set()
        self.join()
        self.look()
        return sum(seconds - self.before.get(entry, 0) for entry, seconds in self.after.items())


def timed(name, size, mark, work):
    """Do it. Return the CPU seconds of the workers."""
    watch = Watch(mark)
    watch.start()
    begin = time.monotonic()
    work()
    seconds = time.monotonic() - begin
    cpu = watch.cpu()
    print(
        f"{name:20} {seconds:6.1f} s {size / seconds / 1e6:6.0f} MB/s; workers: {cpu:.1f} s of CPU, at most {watch.most / 1024:.0f} MiB",
        flush=True,
    )
    return cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--megabytes", type=float, default=2)
    options = parser.parse_args()
    night = options.directory / "night"
    if not night.exists():
        make(night, options.inputs, options.megabytes)
    files = list(night.iterdir())
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} profiles, {size / len(files) / 1e6:.2f} MB each")
    outputs = [str(options.directory / name) for name in ("cli", "ray", "spark")]
    for threads in (1, WORKERS):
        command = [TOOL, "merge", night, "-q", "-o", outputs[0], "-j", str(threads)]
        timed(f"profrt merge -j {threads}", size, b"profrt\0merge", functools.partial(subprocess.run, command, check=True))

    # What the tasks do, without an engine.
    tasks = _inputs.find(night).tasks(WORKERS)
    begin = time.process_time()
    sums = [_inputs.sum_up(task, None, False)[""].to_bytes() for task in tasks]
    summed = time.process_time() - begin
    joined = profrt.Partial()
    for content in sums:
        joined.add(content)
    joined.to_bytes()
    ours = time.process_time() - begin
    print(f"without an engine: {summed:.1f} s of CPU for sums, {ours - summed:.2f} s to join them")
    print(f"{len(tasks)} tasks, partial results of {sum(map(len, sums)) / len(sums) / 1e6:.2f} MB")

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30)
    profrt.ray.merge([str(file) for file in files[:8]], outputs[1], workers=WORKERS)
    cpu = timed("profrt.ray.merge", size, b"ray::", lambda: profrt.ray.merge(night, outputs[1], workers=WORKERS))
    print(f"share of our code in it: {ours / cpu:.0%}")
    ray.shutdown()

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local[{WORKERS}]").config("spark.ui.enabled", "false").getOrCreate()
    profrt.spark.merge([str(file) for file in files[:8]], outputs[2], spark=spark)
    cpu = timed("profrt.spark.merge", size, b"pyspark.daemon", lambda: profrt.spark.merge(night, outputs[2], spark=spark))
    print(f"share of our code in it: {ours / cpu:.0%}")
    spark.stop()
    assert len({Path(out).read_bytes() for out in outputs}) == 1
    print(f"the same bytes; most memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
