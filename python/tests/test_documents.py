"""What documents show, run: the recipes of docs/FLEET.md, and the notebook."""

import json
import os
import re
import subprocess

from conftest import ROOT, TOOL, merged

import profrt


def shell(script, directory, **variables):
    environment = {**os.environ, "PATH": f"{TOOL.parent}:{os.environ['PATH']}", **variables}
    return subprocess.run(["sh", "-euc", script], cwd=directory, env=environment, check=False)


def test_shards_and_the_job_after_them(fleet, tmp_path):
    shard, last = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/FLEET.md").read_text(), re.DOTALL)
    (tmp_path / "parts").mkdir()
    inputs = sorted(fleet.glob("*.p*"))
    (tmp_path / "list").write_text("".join(f"{file}\n" for file in inputs))
    for number in ("0", "1", "1", "2"):
        variable = "AWS_BATCH_JOB_ARRAY_INDEX" if number == "2" else "JOB_COMPLETION_INDEX"
        assert shell(shard, tmp_path, **{variable: number}).returncode == 0
    assert shell(last, tmp_path).returncode == 1
    expected, report = merged(tmp_path, *inputs, options=["--for", "clang-16"])
    assert (tmp_path / "night.profdata").read_bytes() == expected
    ours = json.loads((tmp_path / "night.json").read_text())
    assert ours["totals"]["inputs"] == report["totals"]["inputs"] == len(inputs)


def test_cron_merges_a_directory(fleet, tmp_path):
    line = re.search(r"profrt merge /srv/profiles.*", (ROOT / "docs/FLEET.md").read_text())[0]
    line = line.replace("/srv/profiles/$(date -d yesterday +\\%F)", str(fleet)).replace("/srv/", f"{tmp_path}/")
    assert shell(line, tmp_path).returncode == 1
    assert (tmp_path / "night.profdata").read_bytes() == merged(tmp_path, fleet)[0]


def test_the_notebook_plots_a_curve(fleet, tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    profile, _ = profrt.merge(fleet)
    profile.write(tmp_path / "night.profdata")
    monkeypatch.chdir(tmp_path)
    page = json.loads((ROOT / "docs/curve.ipynb").read_text())
    (cell,) = [cell for cell in page["cells"] if cell["cell_type"] == "code"]
    assert len(cell["source"]) == 10
    names = {}
    exec("".join(cell["source"]), names)
    share = names["share"].to_numpy()
    assert len(share) == len(profile) and abs(share[-1] - 1) < 1e-9 and (share[1:] >= share[:-1]).all()
    assert len(names["plt"].gca().lines) == 1
