// libFuzzer catches deadly signals to keep the input, and only where it finds the default action. What works with it, and what does not
// (docs/LEAVING-EARLY.md).
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w -fsanitize=fuzzer-no-link
// profrt: lflags -fsanitize=fuzzer
// profrt: only-ours: LLVM's runtime writes nothing when a signal comes
// profrt: variant continuous
// Continuous mode: the input that crashes is kept, and the counts are in the file whatever ends the process.
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run mkdir in; printf hi > in/one; LLVM_PROFILE_FILE=x%c.profraw main -exact_artifact_path=found in >/dev/null 2>&1; test "$(cat found)" = hi && rm -r in found
// profrt: run bash $SRC/counts.sh crash=1 x.profraw
// profrt: variant own-handler
// A handler of the target that is installed after libFuzzer's, at the first input: it writes the profile, and calls libFuzzer's.
// profrt: run mkdir in; printf hi > in/one; OWN=1 LLVM_PROFILE_FILE=x.profraw main -exact_artifact_path=found in >/dev/null 2>&1; test "$(cat found)" = hi && rm -r in found
// profrt: run bash $SRC/counts.sh crash=1 x.profraw
// profrt: variant dump-signals
// LLVM_PROFILE_DUMP_SIGNALS: the profile is written, and libFuzzer leaves the signal alone, so the input is lost.
// profrt: run mkdir in; printf hi > in/one; LLVM_PROFILE_FILE=x.profraw LLVM_PROFILE_DUMP_SIGNALS=ABRT main -exact_artifact_path=found in >/dev/null 2>&1; rm -r in; test ! -e found
// profrt: run bash $SRC/counts.sh crash=1 x.profraw
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int __llvm_profile_write_file(void);

static struct sigaction fuzzers;
static void on_abort(int number, siginfo_t *info, void *context) {
  __llvm_profile_write_file();
  fuzzers.sa_sigaction(number, info, context);
}
static void set_handler(void) {
  struct sigaction ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = on_abort;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGABRT, &ours, &fuzzers);
}

__attribute__((noinline)) void crash(void) { abort(); }

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  static int first = 1;
  if (first && getenv("OWN"))
    set_handler();
  first = 0;
  if (size == 2 && !memcmp(input, "hi", 2))
    crash();
  return 0;
}
