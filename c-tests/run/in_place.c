// Written in place, for nothing can be renamed: values that come while our part is written again do not run over the part behind it.
// profrt: needs strace: makes system calls fail
// profrt: only-ours: the official archive appends each write
// profrt: no-profile
// profrt: flags -fprofile-generate -w
// profrt: ours LLVM_PROFILE_FILE=default.profraw strace -f -qq -o /dev/null -e trace=/^rename -e inject=/^rename:error=EXDEV main && size=$(stat -c %s part) && cmp <(tail -c +$((size + 1)) both | head -c $size) part && $PROFDATA merge both -o /dev/null && $PROFDATA merge after -o /dev/null && cmp <(tail -c +$((size + 1)) after | head -c $size) part && rm both after part default.profraw
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

#define PLAIN __attribute__((no_profile_instrument_function, noinline))
#define TARGET(n) int target##n(int x) { return x + n; }
TARGET(0) TARGET(1) TARGET(2) TARGET(3) TARGET(4) TARGET(5) TARGET(6) TARGET(7)
static int (*targets[])(int) = {target0, target1, target2, target3, target4, target5, target6, target7};
static int volatile armed, refused, next = 1;

__attribute__((noinline)) static int call(int n) { return targets[n](n); }

#include "../merge/interposed.h"

// Between any two calls of the runtime another thread may see a new value. Here, once it writes in place.
__attribute__((visibility("hidden"))) long PLAIN profrt_system_call(long number, long a, long b, long c, long d, long e, long f) {
  if (armed && next < 8) {
    switch (number) {
    case SYS_renameat:
      refused = 1;
    case SYS_lseek:
    case SYS_pwritev:
    case SYS_writev:
    case SYS_pwrite64:
      if (refused && number != SYS_renameat)
        call(next++);
    }
  }
  return enter(number, a, b, c, d, e, f);
}

int PLAIN main(int argc, char **argv) {
  call(0);
  if (__llvm_profile_write_file())
    return 1;
  if (system("cp default.profraw part"))
    return 2;
  // A child adds its part, of the same length.
  if (!fork()) {
    int failed = __llvm_profile_write_file();
    _exit(failed);
  }
  int status;
  wait(&status);
  if (status || system("cp default.profraw both; tail -c $(stat -c %s part) both > part"))
    return 3;
  armed = 1;
  int failed = __llvm_profile_write_file();
  armed = 0;
  if (failed || system("cp default.profraw after"))
    return 4;
  _exit(0);
}
