"""Registers the file system `flaky` in every Python that a cluster starts: a worker that opens one of its files first is killed."""

import os
import signal
import sys


def register():
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    class Flaky(LocalFileSystem):
        protocol = "flaky"

        def _open(self, path, mode="rb", **options):
            marker = os.environ["PROFRT_FLAKY"] + "/" + path.replace("/", "_")
            try:
                os.mkdir(marker)
            except FileExistsError:
                return super()._open(path, mode, **options)
            os.kill(os.getpid(), signal.SIGKILL)

    fsspec.register_implementation("flaky", Flaky)


if "PROFRT_FLAKY" in os.environ and "pip" not in " ".join(sys.argv):
    register()
