// A program with a `getenv` of its own, as shells have: the runtime does not call it, neither before its `main` nor when it is not ready any more, so
// that its counts are those of the program.
// profrt: no-profile
// profrt: flags -fprofile-instr-generate -w
// profrt: variant dynamic
// profrt: ours LLVM_PROFILE_FILE=x.profraw main && bash $SRC/counts.sh getenv=1 x.profraw && rm x.profraw
// profrt: official LLVM_PROFILE_FILE=x.profraw main; test $? != 0 && rm -f x.profraw default.profraw
// profrt: variant pool
// profrt: ours export LLVM_PROFILE_FILE=%t/%m.profraw TMPDIR=.; main && main && bash $SRC/counts.sh getenv=2 *.profraw && rm *.profraw
// profrt: official LLVM_PROFILE_FILE=x.profraw main; test $? != 0 && rm -f x.profraw default.profraw
#include <stddef.h>
#include <string.h>

extern char **environ;
static int calls;

char *getenv(const char *name) {
  size_t len = strlen(name);
  calls++;
  for (char **entry = environ; entry && *entry; entry++)
    if (!strncmp(*entry, name, len) && (*entry)[len] == '=')
      return *entry + len + 1;
  return NULL;
}

int main(void) {
  int before = calls;
  getenv("HOME");
  return before || calls != 1;
}
