// Objects of another LLVM: they link and run; one message names both versions; no file, the exit code stays.
// profrt: no-profile
// profrt: variant ir-8-in-10
// profrt: clang 19..
// profrt: object main.o @14 -fprofile-generate
// profrt: program main main.o -fprofile-generate
// profrt: official main 2>err; test $? = 4 && grep -q 'version mismatch : expected 10, but get 8' err && rm err
// profrt: ours main 2>err; test $? = 4 && test $(wc -l <err) = 1 && grep -q 'Error: .*instrumented for raw version 8 (clang 14 to 17), this runtime writes raw version 10 (clang 19 to 22, rustc 1.82 and up)\..*link the libprofrt.a of raw version 8, from raw-8$' err || { cat err; exit 1; }; rm err
// profrt: variant ir-10-in-8
// profrt: clang ..17
// profrt: object main.o @22 -fprofile-generate
// profrt: program main main.o -fprofile-generate
// profrt: official main 2>err; test $? = 4 && grep -q 'version mismatch : expected 8, but get 10' err && rm err
// profrt: ours main 2>err; test $? = 4 && test $(wc -l <err) = 1 && grep -q 'Error: .*instrumented for raw version 10 (clang 19 to 22, rustc 1.82 and up), this runtime writes raw version 8 (clang 14 to 17)\..*link the libprofrt.a of raw version 10, from raw-10$' err || { cat err; exit 1; }; rm err
// profrt: variant fe-8-in-10
// profrt: clang 19..
// profrt: object main.o @14 -fprofile-instr-generate
// profrt: program main main.o -fprofile-instr-generate
// profrt: official (main) 2>err; test $? = 139 && rm -f err default.profraw
// profrt: ours main 2>err; test $? = 4 && test $(wc -l <err) = 1 && grep -q 'Error: .*instrumented for raw version 8 (clang 14 to 17), this runtime writes raw version 10 (clang 19 to 22, rustc 1.82 and up)\..*link the libprofrt.a of raw version 8, from raw-8$' err || { cat err; exit 1; }; rm err
// profrt: variant fe-10-in-8
// profrt: clang ..17
// profrt: object main.o @22 -fprofile-instr-generate
// profrt: program main main.o -fprofile-instr-generate
// profrt: official main; test $? = 4 && ! $PROFDATA show default.profraw >/dev/null 2>&1 && rm default.profraw
// profrt: ours main 2>err; test $? = 4 && test $(wc -l <err) = 1 && grep -q 'Error: .*instrumented for raw version 10 (clang 19 to 22, rustc 1.82 and up), this runtime writes raw version 8 (clang 14 to 17)\..*link the libprofrt.a of raw version 10, from raw-10$' err || { cat err; exit 1; }; rm err
// profrt: variant fe-8-between-10
// Four records of raw version 8 are as long as three of 10.
// profrt: clang 19..
// profrt: object main.o bare mismatch.c -fprofile-instr-generate -DTWO
// profrt: object eight.o bare @14 mismatch.c -fprofile-instr-generate -DFOUR
// profrt: object last.o bare mismatch.c -fprofile-instr-generate -DLAST
// profrt: program main main.o eight.o last.o -fprofile-instr-generate
// profrt: official (main) 2>err; test $? = 139 && rm -f err default.profraw
// profrt: ours main 2>err; test $? = 4 && test $(wc -l <err) = 1 && grep -q 'Error: ' err && rm err
// profrt: variant later
// What no release emits yet.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -DVERSION=99
// profrt: official main 2>/dev/null; rm -f default.profraw
// profrt: ours main 2>err; test $? = 4 && test $(wc -l <err) = 1 && grep -q "Error: .*instrumented for raw version 99 (none.*), this runtime writes raw version $RAW (clang.*). No profile is written.$" err || { cat err; exit 1; }; rm err
#ifdef VERSION
const unsigned long long __llvm_profile_raw_version = VERSION;
#endif
#ifdef FOUR
int a(void) { return 1; }
int b(void) { return 2; }
int c(void) { return 3; }
int d(void) { return 4; }
#elif LAST
int last(void) { return 5; }
#elif TWO
__attribute__((noinline)) int one(int x) { return x ? 1 : 2; }
int main(int argc, char **argv) {
  (void)argv;
  return one(argc) + 3;
}
#else
__attribute__((noinline)) int one(int x) { return x ? 1 : 2; }
__attribute__((noinline)) int two(int x) { return x ? 3 : 2; }

int main(int argc, char **argv) {
  (void)argv;
  return one(argc) + two(argc);
}
#endif
