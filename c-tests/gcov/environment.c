// A dump in a signal handler reads no environment, which the handler may have interrupted in a change. GCOV_PREFIX that the program sets
// itself counts from its next dump on.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o
// profrt: only-ours: LLVM's runtime writes no files at a signal
// profrt: run LLVM_PROFILE_DUMP_SIGNALS=URG GCOV_PREFIX=moved GCOV_PREFIX_STRIP=99 main && test -s moved/main.gcda && test -s later/main.gcda && rm -r moved later
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

extern char **environ;
void __gcov_dump(void);

int main(void) {
  char **before = environ;
  environ = mmap(0, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  raise(SIGURG);
  environ = before;
  setenv("GCOV_PREFIX", "later", 1);
  __gcov_dump();
  return 0;
}
