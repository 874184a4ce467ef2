#!/bin/sh
# `profrt` with firmware that dumps for ever over what QEMU makes of a serial line: `sh serial.sh QEMU...`, in a directory that gets pipe.profraw,
# terminal.profraw and saved.profraw. PROFRT and ELF are in the environment.
set -eu
trap 'kill $qemu 2>/dev/null || :' EXIT
receive() { "$PROFRT" receive "$1" --count 1 --timeout 20 -o "$2"; }
rm -f qemu.txt line.* ram.bin ./*.profraw

# A pipe with a name: QEMU reads from the first and writes to the second.
mkfifo line.in line.out
"$@" -serial pipe:line & qemu=$!
receive line.out pipe.profraw
kill $qemu

# A terminal device, which QEMU names when it starts.
"$@" -serial pty >qemu.txt 2>&1 & qemu=$!
until terminal=$(grep -o "/dev/[^ ]*" qemu.txt 2>/dev/null); do sleep 0.1; done
receive "$terminal" terminal.profraw
kill $qemu

# Memory that a debugger saves while the firmware runs: the device has no part in that. When it dumps, it has counted.
# (Of two monitors QEMU takes the last one.)
{
  until grep -q '~P' line.txt 2>/dev/null; do sleep 0.1; done
  printf 'stop\npmemsave 0x20000000 16384 ram.bin\nquit\n'
} | "$@" -monitor stdio -serial file:line.txt >/dev/null
"$PROFRT" rebuild --object "$ELF" --ram ram.bin@0x20000000 -o saved.profraw
