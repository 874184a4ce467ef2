// Different kinds of counters in one process. Clang 14 exports the variable that says the kind from shared objects, so that with LLVM's
// archive all images read that of the first. Ours hides it: each image has its own.
// profrt: clang 14
// profrt: cflags -fPIC
// profrt: only-ours: with LLVM's archive, profiles of all images but the first have the wrong kind
// profrt: not merged all: the names of the files are part of it
// profrt: not mapped all: the names of the files are part of it
// profrt: variant counts-first
// profrt: object main.o bare -DMAIN
// profrt: object counts.o -fprofile-generate -DNAME=counts
// profrt: object bytes.o -fprofile-generate -mllvm -pgo-function-entry-coverage -DNAME=bytes
// profrt: shared libcounts.so counts.o -fprofile-generate
// profrt: shared libbytes.so bytes.o -fprofile-generate
// profrt: program main bare main.o libcounts.so libbytes.so
// profrt: run LLVM_PROFILE_FILE=%m.profraw main
// profrt: ours for f in *.profraw; do $PROFDATA show --all-functions --counts $f; done >shown; grep -A4 '^  counts:' shown | grep -q 'Block counts: .2, 0.' && grep -A4 '^  bytes:' shown | grep -q 'Block counts: .1.' && rm shown
// profrt: variant bytes-first
// profrt: object main.o bare -DMAIN
// profrt: object counts.o -fprofile-generate -DNAME=counts
// profrt: object bytes.o -fprofile-generate -mllvm -pgo-function-entry-coverage -DNAME=bytes
// profrt: shared libcounts.so counts.o -fprofile-generate
// profrt: shared libbytes.so bytes.o -fprofile-generate
// profrt: program main bare main.o libbytes.so libcounts.so
// profrt: run LLVM_PROFILE_FILE=%m.profraw main
// profrt: ours for f in *.profraw; do $PROFDATA show --all-functions --counts $f; done >shown; grep -A4 '^  counts:' shown | grep -q 'Block counts: .2, 0.' && grep -A4 '^  bytes:' shown | grep -q 'Block counts: .1.' && rm shown
// An image has one such variable. Where it is wrong for some objects, that is an error which names it.
// profrt: variant one-image
// profrt: no-profile
// profrt: object main.o bare -DMAIN
// profrt: object counts.o -fprofile-generate -DNAME=counts
// profrt: object bytes.o -fprofile-generate -mllvm -pgo-function-entry-coverage -DNAME=bytes
// profrt: program main main.o counts.o bytes.o -fprofile-generate
// profrt: run main 2>err; test $? = 0 && test $(wc -l <err) = 1 && grep -q 'Error: .*__llvm_profile_raw_version says that each counter has 8 bytes, and functions have counters of 1 byte\. No profile is written: .*same kind of instrumentation' err || { cat err; exit 1; }; rm err
#ifdef MAIN
int counts(int x), bytes(int x);

int main(void) { return counts(1) + counts(1) + bytes(1) - 3; }
#else
__attribute__((noinline)) static int inner(int x) { return x > 1 ? x : 2; }
int NAME(int x);
int NAME(int x) { return x > 3 ? inner(x) : 1; }
#endif
