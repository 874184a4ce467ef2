// The pool's file is locked by a process that does not go on. After half a minute, which is short here, the counts go to another
// file of the pool, and that is told.
// profrt: clang 22..
// profrt: no-profile
// profrt: only-ours: the official archive waits for ever
// profrt: flags -fprofile-instr-generate
// profrt: cflags -DIMPATIENT -w
// profrt: run export LLVM_PROFILE_FILE=p/%m.profraw; main; pool=$(echo p/*); cp $pool before; trap 'kill -9 $!' EXIT; main hold $pool & until test -e held; do sleep 0.02; done; for i in 1 2; do timeout 20 main > pid 2> err; test $? = 7 && other=p/$(basename $pool 0.profraw)$(cat pid).profraw && grep -qx "LLVM Profile Warning: \"$pool\" is locked by another process, the profile goes to \"$other\"." err && $SRC/count.sh $other main 1 || exit 1; done; kill -9 $!; wait $! 2> /dev/null; cmp $pool before && test $(ls p | wc -l) = 3 && { main > pid; test $? = 7; } && $SRC/count.sh $pool main 2 && rm -r p pid err before held
#include "interposed.h"
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc > 1) {
    struct flock all = {.l_type = F_WRLCK};
    int fd = open(argv[2], O_RDWR);
    if (fcntl(fd, F_SETLK, &all) || open("held", O_CREAT | O_RDWR, 0600) < 0)
      _exit(1);
    alarm(30);
    for (;;)
      pause();
  }
  printf("%d\n", (int)getpid());
  return 7;
}
