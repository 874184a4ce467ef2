// The ways to end: the exit code stays, and only those that run exit handlers leave a profile.
// profrt: flags -fprofile-instr-generate
// profrt: run=7 LLVM_PROFILE_FILE=return.profraw main return
// profrt: run=9 LLVM_PROFILE_FILE=exit.profraw main exit
// profrt: run=11 LLVM_PROFILE_FILE=underscore.profraw main _exit
// profrt: run=12 LLVM_PROFILE_FILE=quick.profraw main quick_exit
// profrt: run=134 LLVM_PROFILE_FILE=abort.profraw main abort
// profrt: official rm underscore.profraw quick.profraw abort.profraw  # it makes the file at the start; ours is whole or absent
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "exit"))
    exit(9);
  if (!strcmp(how, "_exit"))
    _exit(11);
  if (!strcmp(how, "quick_exit"))
    quick_exit(12);
  if (!strcmp(how, "abort"))
    abort();
  return 7;
}
