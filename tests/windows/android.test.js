// Android: a program links against nothing but what the C library has at API level 24, of which stand-ins take the place. Nothing is run.
'use strict';
const assert = require('node:assert');
const path = require('node:path');
const fs = require('node:fs');
const { inDirectory, run, tool } = require('./tools.js');

// `atexit` is in the start-up objects of the NDK.
const LIBC = `__errno atexit clock_gettime close dladdr dlopen environ exit fallocate fchmod fchown fcntl fdopen fflush fgetxattr fileno fork fseek fstat
  fstatat ftruncate fwrite getauxval geteuid getpid getppid kill linkat lseek madvise malloc memcmp memcpy memset mkdirat mmap munmap nanosleep openat
  prctl pread pthread_atfork pwritev readlinkat renameat setenv sigaction strlen syscall uname unlinkat writev`.split(/\s+/);

for (const triple of ['aarch64-linux-android', 'x86_64-linux-android']) {
  inDirectory(`${triple} links`, (dir, at) => {
    const clang = (...args) => run(tool('clang'), `--target=${triple}24`, ...args);
    fs.writeFileSync(at('libc.s'), LIBC.map((name) => `.globl ${name}\n.type ${name}, %function\n${name}:\n`).join(''));
    clang('-c', at('libc.s'), '-o', at('libc.o'));
    run(tool('ld.lld'), '-shared', '-soname=libc.so', at('libc.o'), '-o', at('libc.so'));
    const archive = path.join(process.env.DIST, 'raw-10/lib', triple, 'libprofrt.a');
    for (const flags of [['-fprofile-instr-generate', '-fcoverage-mapping', '-fcoverage-mcdc'], ['-fprofile-generate']]) {
      clang('-w', '-O1', '-fPIC', '-fdeclspec', ...flags, '-c', path.join(__dirname, 'msvc.c'), '-o', at('main.o'));
      for (const kind of [['-pie', '-e', 'main'], ['-shared', '-z', 'defs']]) {
        run(tool('ld.lld'), ...kind, '-u', '__llvm_profile_runtime', at('main.o'), archive, at('libc.so'), '-o', at('linked'));
        const symbols = run(tool('llvm-nm'), '--defined-only', '-j', at('linked')).split('\n');
        for (const name of ['__llvm_profile_write_file', '__start___llvm_prf_cnts']) assert.ok(symbols.includes(name), name);
        // The constructor and the destructor, which call us.
        assert.match(run(tool('llvm-readelf'), '--sections', at('linked')), /INIT_ARRAY[^]*FINI_ARRAY|FINI_ARRAY[^]*INIT_ARRAY/);
      }
    }
  });
}
