// Objects with --coverage and with source-based coverage in one program: each kind has its file. A program with only the latter links
// nothing of gcov.
// profrt: object gcov.o --coverage -DGCOV
// profrt: object source.o -fprofile-instr-generate -fcoverage-mapping
// profrt: variant both
// profrt: program main gcov.o source.o -fprofile-instr-generate
// profrt: run main; bash $SRC/show.sh
// profrt: run main 1; main 1 2; bash $SRC/show.sh
// profrt: variant both-with-official-behind
// profrt: program main gcov.o source.o bare -u__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a {official}
// profrt: run main; bash $SRC/show.sh
// profrt: variant both-in-another-order
// profrt: program main source.o gcov.o bare {resources}/lib/linux/libclang_rt.profile-x86_64.a {official} -u__llvm_profile_runtime
// profrt: run main; bash $SRC/show.sh
// profrt: variant signals
// Both are written when a signal comes.
// profrt: object ended.o ../run/ended.c bare
// profrt: program ended ended.o bare
// profrt: program main gcov.o source.o -fprofile-instr-generate
// profrt: only-ours: LLVM's runtime ends with the signal
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TERM ended main raise; test -s default.profraw && test "$(bash $SRC/counters.sh gcov.gcda 1)" = "1 1" && rm gcov.gcda
// Also one that comes after the profile was written at exit, and before the .gcda files.
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=TERM ended main late; test -s default.profraw && test "$(bash $SRC/counters.sh gcov.gcda 1)" = "1 1" && rm gcov.gcda
// profrt: variant forks
// profrt: program main gcov.o source.o -fprofile-instr-generate
// profrt: only-ours: LLVM's runtime counts twice
// profrt: run LLVM_PROFILE_FORK=reset main fork; bash $SRC/../run/counts.sh source=1 default.profraw && test "$(bash $SRC/counters.sh gcov.gcda 1)" = "1 1" && rm gcov.gcda
// profrt: variant unknown-fork
// profrt: program main gcov.o source.o -fprofile-instr-generate
// profrt: only-ours: LLVM's runtime does not know the variable
// profrt: run LLVM_PROFILE_FORK=yes main 2>err; grep -q 'LLVM_PROFILE_FORK is ignored' err && test $(wc -l < err) = 1 && rm err gcov.gcda
// profrt: variant unknown-fork-gcov-alone
// profrt: no-profile
// profrt: object source.o -DNONE
// profrt: program main --coverage gcov.o source.o
// profrt: only-ours: LLVM's runtime does not know the variable
// profrt: run LLVM_PROFILE_FORK=yes main 2>err; grep -q 'LLVM_PROFILE_FORK is ignored' err && test $(wc -l < err) = 1 && rm err gcov.gcda
// profrt: variant source-alone
// profrt: object gcov.o -DGCOV
// profrt: program main gcov.o source.o -fprofile-instr-generate
// profrt: run main
// profrt: ours ! nm $(command -v main) | grep 'llvm_gc\|gcda\|profrt_gcov\|5gcov'
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int source(int argc);
#ifdef GCOV
static int late;
int gcov_counted(int n) { return n; }
__attribute__((destructor)) static void at_the_end(void) {
  if (late)
    raise(SIGTERM);
}
int main(int argc, char **argv) {
  gcov_counted(argc);
  late = argc > 1 && !strcmp(argv[1], "late");
  if (argc > 1 && !strcmp(argv[1], "raise"))
    raise(SIGTERM);
  if (argc > 1 && !strcmp(argv[1], "fork") && !fork())
    return 0;
  wait(NULL);
  return source(argc);
}
#else
int source(int argc) { return argc < 0; }
#endif
