// A named pipe that nobody reads: the exit waits half a minute for a reader, and then reports the profile as lost. LLVM's waits for ever.
// profrt: only-ours: LLVM's runtime waits without an end
// profrt: flags -fprofile-instr-generate
// profrt: cflags -DIMPATIENT -w
// profrt: no-profile
// profrt: run mkfifo x.profraw; LLVM_PROFILE_FILE=x.profraw timeout 20 main 2> err; test $? = 3 && grep -q 'Failed to write file "x.profraw": No such device or address' err && rm err x.profraw
// A lease that another process does not give back (the system takes it after 45 seconds, and asks for it first).
// profrt: run echo old > y.profraw; main lease y.profraw & until test -e leased; do sleep 0.05; done; __LLVM_PROFILE_RT_INIT_ONCE=1 LLVM_PROFILE_FILE=y.profraw timeout 20 main 2> err; code=$?; kill $!; test $code = 3 && grep -q '"y.profraw" cannot be written' err && rm err y.profraw leased && rm y-*.profraw
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include "../merge/interposed.h"

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "lease")) {
    signal(SIGIO, SIG_IGN);
    int fd = open(argv[2], O_RDONLY);
    if (fcntl(fd, F_SETLEASE, F_RDLCK))
      return 90;
    close(creat("leased", 0666));
    for (;;)
      pause();
  }
  return 3;
}
