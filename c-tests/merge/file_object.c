// A stream of the program that is merged into: __llvm_profile_set_file_object(file, 1).
// profrt: variant empty
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+
// profrt: official rm -f default*.profraw
// profrt: variant three-runs
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+; main r+; main r+
// profrt: official rm -f default*.profraw
// profrt: variant write-only
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w; main w
// profrt: official rm -f default*.profraw
// profrt: variant values
// profrt: flags -fprofile-generate
// profrt: lflags -no-pie
// profrt: run main w+; main r+; main r+
// profrt: official rm -f default*.profraw
// profrt: variant foreign
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run head -c 400 /dev/zero > fo.profraw; main r+; cmp fo.profraw <(head -c 400 /dev/zero) && rm fo.profraw
// profrt: skip stderr: the reason is told in other words, and once
// profrt: no-profile
// profrt: official rm -f default*.profraw
// profrt: variant other-program
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object other.o other.c
// profrt: object main.o
// profrt: program main main.o
// profrt: program other other.o
// profrt: run LLVM_PROFILE_FILE=fo.profraw other; cp fo.profraw before; main r+; cmp fo.profraw before && rm before
// profrt: skip stderr: the reason is told in other words, and once
// profrt: official rm -f default*.profraw
// profrt: variant text-before
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+ text; cat fo.profraw && rm fo.profraw
// profrt: skip stderr: the reason is told in other words, and once
// profrt: no-profile
// profrt: official rm -f default*.profraw
// profrt: variant appending
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: only-ours: the official archive leaves a file that nobody can read
// profrt: run main w+; main a+; main a+; $PROFDATA show --function=main --counts fo.profraw | grep 'Function count: 3'
// profrt: variant twice
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+ twice; $PROFDATA show --function=main fo.profraw | grep -q 'Function count: '
// profrt: official rm -f default*.profraw
// profrt: differs profile: each count reaches the file once; COMPATIBILITY: write_file
// profrt: ours $PROFDATA show --function=main fo.profraw | grep -q 'Function count: 1'
// profrt: official $PROFDATA show --function=main fo.profraw | grep -q 'Function count: 2'
// profrt: variant locked-by-program
// The program has locked the file itself.
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: run main w+; timeout 20 main locked; timeout 20 main locked
// profrt: official rm -f default*.profraw
// profrt: variant locked-by-another
// And by a process that does not go on: after half a minute, which is short here, that is told.
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate
// profrt: cflags -DIMPATIENT -w
// profrt: only-ours: the official archive waits for ever
// profrt: run main w+; cp fo.profraw before; timeout 20 main r+ blocked 2> err; test $? = 0 && grep -q 'Error: Failed to write file .*: it is locked by another process' err && cmp fo.profraw before && rm before err
#include "interposed.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

void __llvm_profile_set_file_object(FILE *, int);
int __llvm_profile_write_file(void);

// A child that has the file locked as long as we live.
UNCOUNTED static void block(void) {
  int ready[2];
  char byte;
  if (pipe(ready) || fork())
    return (void)(close(ready[1]), read(ready[0], &byte, 1));
  struct flock all = {.l_type = F_WRLCK};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int fd = open("fo.profraw", O_RDWR);
  if (fcntl(fd, F_SETLK, &all) || write(ready[1], "x", 1) != 1)
    _exit(1);
  for (;;)
    pause();
}

__attribute__((noinline)) static int triple(int x) { return x * 3; }
static int (*volatile call)(int) = triple;

int main(int argc, char **argv) {
  int locked = !strcmp(argv[1], "locked");
  FILE *file = fopen("fo.profraw", locked ? "r+" : argv[1]);
  struct flock whole = {.l_type = F_WRLCK};
  if (locked && fcntl(fileno(file), F_SETLK, &whole))
    return 2;
  int text = argc > 2 && !strcmp(argv[2], "text");
  int blocked = argc > 2 && !strcmp(argv[2], "blocked");
  if (blocked)
    block();
  if (text) {
    fputs("text, and no profile", file);
    fflush(file);
  }
  __llvm_profile_set_file_object(file, 1);
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += call(i);
  if (argc > 2 && !text && !blocked)
    printf("write %d\n", __llvm_profile_write_file());
  return sum != 18;
}
