// A process that may only read a profile has it locked for reading, and does not go on: nobody waits for it long, and the profile goes beside it.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: object holder.o bare -DHOLDER
// profrt: program holder holder.o bare
// profrt: object main.o
// profrt: program main main.o
// profrt: only-ours: the official archive waits for ever where it merges
// profrt: variant plain
// profrt: run export LLVM_PROFILE_FILE=x.profraw; main; holder x.profraw && timeout 20 main && kill $(cat holder) && bash $SRC/counts.sh main=1 x.profraw && rm holder
// profrt: run export LLVM_PROFILE_FILE=x.profraw; main; holder x.profraw && __LLVM_PROFILE_RT_INIT_ONCE=1 timeout 20 main 2>told && grep -q "locked for reading" told && rm told && kill $(cat holder) && bash $SRC/counts.sh main=2 x.profraw x-*.profraw && rm holder
// profrt: variant pool
// profrt: run export LLVM_PROFILE_FILE=%m.profraw; main; for pool in *; do :; done; holder $pool && timeout 20 main 2>told && kill $(cat holder) && grep -q Warning told && rm told holder && test $(ls | wc -l) = 2 && bash $SRC/counts.sh main=2 *.profraw
// profrt: variant continuous
// The counters of a run must not be on pages of a file that cannot be locked: it takes the next number.
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run export LLVM_PROFILE_FILE=x%c.profraw; main; holder x.profraw && timeout 20 main && kill $(cat holder) && rm holder && bash $SRC/counts.sh main=1 x.profraw && bash $SRC/counts.sh main=1 x-1.profraw
// profrt: variant continuous-pool
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o
// profrt: run export LLVM_PROFILE_FILE=x%c%m.profraw; main; for pool in *; do :; done; holder $pool && timeout 20 main && kill $(cat holder) && rm holder && test $(ls | wc -l) = 2 && bash $SRC/counts.sh main=2 x*.profraw
#ifdef HOLDER
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct flock all = {.l_type = F_RDLCK};
  int ready[2];
  char byte;
  pipe(ready);
  pid_t pid = fork();
  if (!pid) {
    if (fcntl(open(argv[1], O_RDONLY), F_SETLK, &all))
      _exit(1);
    for (int i = 0; i < 3; i++)
      if (i != ready[1])
        close(i);
    write(ready[1], "1", 1);
    alarm(60);
    for (;;)
      pause();
  }
  close(ready[1]);
  FILE *file = fopen("holder", "w");
  fprintf(file, "%d\n", pid);
  fclose(file);
  return read(ready[0], &byte, 1) != 1;
}
#else
int main(void) { return 0; }
#endif
