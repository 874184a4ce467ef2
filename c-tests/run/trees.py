"""trees.py SHOWN <ACCOUNTS: compares what processes say that they have written with what `llvm-profdata show` says."""

import re
import sys

NAMES = ["work_0", "work_1", "work_2", "in_library"]

least, most = [0] * 4, [0] * 4
open_lines = {}


def add(to, counts):
    for index, count in enumerate(counts):
        to[index] += count


for line in sys.stdin:
    word, process, *numbers = line.split()
    counts = [int(number) for number in numbers]
    if word == "failed":
        sys.exit("a call failed")
    if word == "done":
        # The process, or its parent: what it was about to write is written.
        for earlier in open_lines.pop(process, []):
            add(least, earlier)
        continue
    add(most, counts)
    if word == "sure":
        add(least, counts)
    else:
        open_lines.setdefault(process, []).append(counts)

shown = open(sys.argv[1]).read()
found = {name: int(count) for name, count in re.findall(r"^  (?:\S+:)?(\w+):\n.*\n.*\n    Function count: (\d+)", shown, re.M)}
wrong = False
for name, low, high in zip(NAMES, least, most):
    if not low <= found.get(name, 0) <= high:
        print(f"{name}: {found.get(name, 0)} in the files, {low} to {high} by the processes' account")
        wrong = True
sys.exit(wrong)
