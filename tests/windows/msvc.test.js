// Objects for MSVC's libraries, linked by lld-link with import libraries of mingw: the counts are those of the same program for mingw.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { compile, inDirectory, raws, run, show, tool, wine } = require('./tools.js');

const libraries = '/usr/x86_64-w64-mingw32/lib';

for (const [kind, flags] of Object.entries({ coverage: ['-fprofile-instr-generate', '-fcoverage-mapping', '-fcoverage-mcdc'], values: ['-fprofile-generate'] })) {
  inDirectory(`${kind} by lld-link`, (dir, at) => {
    for (const name of ['ntdll', 'msvcrt', 'kernel32']) fs.symlinkSync(`${libraries}/lib${name}.a`, at(`${name}.lib`));
    fs.symlinkSync(run('x86_64-w64-mingw32-gcc', '-print-libgcc-file-name').trim(), at('gcc.lib'));
    fs.symlinkSync(path.join(process.env.DIST, 'raw-10/lib/windows/clang_rt.profile-x86_64.lib'), at('clang_rt.profile.lib'));
    run(tool('clang'), '--target=x86_64-pc-windows-msvc', '-w', '-O1', ...flags, '-c', path.join(__dirname, 'msvc.c'), '-o', at('msvc.obj'));
    const options = ['/entry:start', '/subsystem:console', `/libpath:${dir}`, '/alternatename:__chkstk=___chkstk_ms'];
    run(tool('lld-link'), ...options, `/out:${at('msvc.exe')}`, at('msvc.obj'), 'msvcrt.lib', 'kernel32.lib', 'gcc.lib');
    compile('msvc.c', at('mingw.exe'), flags);
    const [msvc, mingw] = ['msvc', 'mingw'].map((name) => {
      for (let run = 0; run < 3; run++) {
        const { code, lines } = wine(at(`${name}.exe`), dir, { env: { LLVM_PROFILE_FILE: `${name}-%m.profraw` } });
        assert.deepEqual([code, lines], [0, []]);
      }
      return show(at(raws(dir).find((file) => file.startsWith(name))));
    });
    assert.equal(msvc, mingw);
    assert.match(msvc, /handler:[^]*?(Function count: 3|Block counts: \[3\])/);
  });
}
