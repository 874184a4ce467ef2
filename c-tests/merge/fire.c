// Killed at every system call of a write that merges: the file holds the old sum or the new one, and the next run adds to it.
// profrt: needs strace
// profrt: no-profile
// profrt: flags -w -fno-pie
// profrt: variant counters
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate
// profrt: lflags -no-pie
// profrt: ours $SRC/fire.sh main
// profrt: official ! $SRC/fire.sh main > /dev/null 2>&1; rm -rf *
// profrt: variant values
// profrt: clang ..16
// profrt: flags -fprofile-generate
// profrt: lflags -static
// profrt: ours $SRC/fire.sh main
// profrt: official ! $SRC/fire.sh main > /dev/null 2>&1; rm -rf *
// profrt: variant bytes
// profrt: clang 19
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: lflags -static
// profrt: ours SAME=1 $SRC/fire.sh main
// profrt: variant named-files
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate -DNAMED
// profrt: lflags -static
// profrt: ours NAMED=1 $SRC/fire.sh main
#ifdef NAMED
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

// A file system without files that have no name.
__attribute__((no_profile_instrument_function)) int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
#endif

__attribute__((noinline)) static int one(int x) { return x + 1; }
static int (*volatile function)(int) = one;

int main(int argc, char **argv) { return function(argc) - 2; }
