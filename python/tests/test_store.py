"""Inputs and outputs in an S3-compatible store on loopback."""

import os

import pytest
from conftest import merged

from profrt import _inputs


@pytest.fixture(scope="module")
def store(fleet):
    from moto.server import ThreadedMotoServer

    os.environ.update(AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_DEFAULT_REGION="us-east-1")
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {"client_kwargs": {"endpoint_url": f"http://{host}:{port}"}}
    import fsspec

    system = fsspec.filesystem("s3", **options)
    system.mkdir("fleet")
    system.put(str(fleet), "fleet/night", recursive=True)
    yield options
    server.stop()


def test_a_directory_in_the_store_is_one_on_the_disk(fleet, store, tmp_path):
    expected, report = merged(tmp_path, fleet)
    inputs = _inputs.find(["s3://fleet/night", "s3://fleet/night/web-00.proftext"], store)
    assert [path.rsplit("/")[-1] for path, _ in inputs.files] == sorted(file.name for file in fleet.iterdir() if file.suffix != ".txt")
    assert inputs.ignored == ["s3://fleet/night/notes.txt"] and len(inputs.duplicates) == 1
    sums = _inputs.sum_up([path for path, _ in inputs.files], store, False)
    reports = _inputs.finish(sums, "s3://fleet/out/all.profdata", None, inputs, store)
    assert _inputs.fetch("s3://fleet/out/all.profdata", store) == expected
    (ours,) = reports.values()
    assert ours.totals["whole"] == report["totals"]["whole"] and ours.totals["counts"] == report["totals"]["counts"]
    found = _inputs.find("s3://fleet/night/web-0*.proftext", store).files
    assert [path.rsplit("/")[-1] for path, _ in found] == [f"web-0{number}.proftext" for number in range(10)]
    assert all(size > 0 for _, size in found)


def test_ray_and_spark_read_the_store(fleet, store, tmp_path):
    import ray

    import profrt.ray

    expected, _ = merged(tmp_path, *sorted(fleet.glob("web-*")))
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
    profrt.ray.merge("s3://fleet/night/web-*", str(tmp_path / "out"), storage_options=store)
    ray.shutdown()
    assert (tmp_path / "out").read_bytes() == expected
