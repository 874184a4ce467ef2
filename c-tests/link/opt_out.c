// A program that defines __llvm_profile_runtime: no constructor, no destructor; what it wants written it writes.
// profrt: not mapped all: who opts out of the runtime has no continuous mode
// profrt: cflags -w
// profrt: variant silent
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: run main; LLVM_PROFILE_FILE=x.profraw main
// profrt: variant write-uninitialised
// profrt: differs stdout, stderr, files, profile: the name is known without a call that reads it; COMPATIBILITY: opt-out
// profrt: no-profile official
// profrt: ours test ! -e default.profraw && LLVM_PROFILE_FILE= main write | grep -qx 'write 0' && rm default.profraw
// profrt: flags -fprofile-instr-generate
// profrt: run main write; LLVM_PROFILE_FILE=x.profraw main write; main write write
// profrt: variant init
// profrt: flags -fprofile-instr-generate
// profrt: run main init write; LLVM_PROFILE_FILE=x.profraw main init write
// profrt: variant register
// profrt: differs stderr, files, profile: the name is known without a call that reads it; COMPATIBILITY: opt-out
// profrt: flags -fprofile-instr-generate
// profrt: run main register; LLVM_PROFILE_FILE=x.profraw main init register
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: run main init write
#include <stdio.h>
#include <string.h>

int __llvm_profile_runtime;
int __llvm_profile_write_file(void);
void __llvm_profile_initialize_file(void);
int __llvm_profile_register_write_file_atexit(void);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "write"))
      printf("write %d\n", __llvm_profile_write_file());
    else if (!strcmp(argv[i], "init"))
      __llvm_profile_initialize_file();
    else if (!strcmp(argv[i], "register"))
      printf("register %d\n", __llvm_profile_register_write_file_atexit());
  }
  return 0;
}
