// Names of files in continuous mode, without and with a number.
// profrt: object main.o language.c
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: only-ours: LLVM's children count into the file of their parent
// profrt: variant only
// No name is hidden that the user has not hidden.
// profrt: run LLVM_PROFILE_FILE=%c main work=5 fork work=10 parent name wait; test "$(echo *)" = "default-1.profraw default.profraw" && bash $SRC/counts.sh '*.profraw' work 15 && rm *
// profrt: run LLVM_PROFILE_FILE=%c.profraw main work=5 fork work=10 parent wait; test "$(ls -A | xargs)" = "default-1.profraw default.profraw" && rm *
// profrt: run LLVM_PROFILE_FILE=d.x/%c main work=5 fork work=10 parent wait; test "$(ls -A d.x | xargs)" = "default-1.profraw default.profraw" && rm -r d.x
// profrt: run mkdir t; TMPDIR=$PWD/t LLVM_PROFILE_FILE=%t%c main work=5 fork work=10 parent wait; test "$(ls -A t | xargs)" = "default-1.profraw default.profraw" && mv t/* . && rmdir t
// profrt: variant number
// The number stands before the extension.
// profrt: run for n in app.profraw: app:app-1 d.e/app:d.e/app-1 a.b.c:a.b-1.c .x:.x-1 .x.y:.x-1.y; do LLVM_PROFILE_FILE=${n%:*}%c main work=5 fork work=10 parent wait || exit; m=${n#*:}; test -s ${n%:*} -a -s ${m:-app-1.profraw} || exit; rm -r ${n%%[/:]*} ${m:-app-1.profraw} 2>/dev/null; done; test -z "$(ls -A)"
// profrt: no-profile
// profrt: variant pool
// profrt: run LLVM_PROFILE_FILE=%c%m main work=5 fork work=10 parent wait; ls | sed 's/.*_//'; bash $SRC/counts.sh '*' work 15 && rm *
// profrt: no-profile
