"""Runs a module in wasmtime, in the working directory: run.py MODULE ARGUMENT..."""

import os
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

engine = Engine()
store, linker, wasi = Store(engine), Linker(engine), WasiConfig()
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.argv = sys.argv[1:]
wasi.env = [(name, value) for name, value in os.environ.items() if name.startswith(("LLVM", "PROFRT"))]
wasi.preopen_dir(".", ".")
store.set_wasi(wasi)
linker.define_wasi()
module = linker.instantiate(store, Module.from_file(engine, sys.argv[1]))
try:
    module.exports(store)["_start"](store)
except ExitTrap as exit:
    sys.exit(exit.code)
