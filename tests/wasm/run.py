"""Runs a module or a component in wasmtime, in the working directory: run.py MODULE ARGUMENT..."""

import os
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig, component

engine = Engine()
store, wasi = Store(engine), WasiConfig()
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.argv = sys.argv[1:]
wasi.env = [(name, value) for name, value in os.environ.items() if name.startswith(("LLVM", "PROFRT"))]
wasi.preopen_dir(".", ".")
store.set_wasi(wasi)
with open(sys.argv[1], "rb") as file:
    bytes = file.read()
if bytes[4] == 1:
    linker = Linker(engine)
    linker.define_wasi()
    start = linker.instantiate(store, Module(engine, bytes)).exports(store)["_start"]
else:
    linker = component.Linker(engine)
    linker.add_wasip2()
    command = component.Component(engine, bytes)
    [name] = command.type.exports(engine)
    command = linker.instantiate(store, command)
    start = command.get_func(store, command.get_export_index(store, "run", command.get_export_index(store, name)))
try:
    start(store)
except ExitTrap as exit:
    sys.exit(exit.code)
