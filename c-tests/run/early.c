// A constructor that runs before the runtime's: the name is known when somebody asks for it. Under LLVM there is none yet.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: not mapped all: continuous mode begins with the runtime's constructor
// profrt: variant name
// profrt: differs stdout: LLVM knows no name before its constructor; COMPATIBILITY: name
// profrt: run LLVM_PROFILE_FILE=x.profraw main name
// profrt: ours test "$(LLVM_PROFILE_FILE=x.profraw main name)" = "name x.profraw"
// profrt: official test "$(LLVM_PROFILE_FILE=x.profraw main name)" = "name "
// profrt: variant write
// profrt: differs stdout, stderr: LLVM knows no name before its constructor; COMPATIBILITY: name
// profrt: run LLVM_PROFILE_FILE=x.profraw main write
// profrt: ours test "$(LLVM_PROFILE_FILE=x.profraw main write)" = "write 0"
// profrt: official test "$(LLVM_PROFILE_FILE=x.profraw main write 2>/dev/null)" = "write -1"
#include <stdio.h>
#include <string.h>

const char *__llvm_profile_get_filename(void);
int __llvm_profile_write_file(void);

// The C library gives constructors the arguments of main.
__attribute__((constructor(101), no_profile_instrument_function)) static void early(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "name"))
    printf("name %s\n", __llvm_profile_get_filename());
  if (argc > 1 && !strcmp(argv[1], "write"))
    printf("write %d\n", __llvm_profile_write_file());
}

int main(void) { return 0; }
