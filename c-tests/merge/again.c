// Several writes of one process into a file that unites runs: each count reaches each file once.
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: ours main twice && $SRC/count.sh a*.profraw f 2 && main twice && $SRC/count.sh a*.profraw f 4 && rm a*.profraw
// profrt: official main twice && $SRC/count.sh a*.profraw f 3 && main twice && ! $SRC/count.sh a*.profraw f 4 && rm a*.profraw
// profrt: ours main ten && $SRC/count.sh a*.profraw f 10 && rm a*.profraw
// profrt: ours main dump && $SRC/count.sh a*.profraw f 1 && rm a*.profraw
// profrt: ours main reset && $SRC/count.sh a*.profraw f 2 && main reset && $SRC/count.sh a*.profraw f 4 && rm a*.profraw
// profrt: ours main removed && $SRC/count.sh a*.profraw f 2 && rm a*.profraw
// profrt: ours main moved && $SRC/count.sh a*.profraw f 2 && $SRC/count.sh moved f 1 && rm a*.profraw moved
// profrt: ours main replaced && $SRC/count.sh a*.profraw f 6 && rm a*.profraw moved
// profrt: ours main fork && $SRC/count.sh a*.profraw f 4 && rm a*.profraw
// profrt: official main fork && $SRC/count.sh a*.profraw f 4 && rm a*.profraw
// profrt: ours main new-directory && $SRC/count.sh new/a*.profraw f 2 && rm -r new
// profrt: official rm default.profraw  # made at the start
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
int __llvm_profile_dump(void);
void __llvm_profile_reset_counters(void);
void __llvm_profile_set_filename(const char *);
const char *__llvm_profile_get_filename(void);

__attribute__((noinline)) int f(int x) { return x; }

static int mode(char **argv, const char *name) { return !strcmp(argv[1], name); }

int main(int argc, char **argv) {
  __llvm_profile_set_filename("a%m.profraw");
  if (argc < 2)
    return 1;
  char name[4096];
  int bad = 0, status = 0;
  if (mode(argv, "once"))
    return f(1) - 1;
  if (mode(argv, "replaced"))
    for (int i = 0; i < 4; i++)
      f(i);
  f(1);
  if (mode(argv, "fork")) {
    pid_t child = fork();
    f(1);
    if (!child)
      exit(0);
    waitpid(child, &status, 0);
    return status;
  }
  if (mode(argv, "new-directory"))
    __llvm_profile_set_filename("new/a%m.profraw");
  if (mode(argv, "dump")) {
    bad |= __llvm_profile_dump();
    f(1);
    return bad;
  }
  bad |= __llvm_profile_write_file();
  strcpy(name, __llvm_profile_get_filename());
  if (mode(argv, "reset"))
    __llvm_profile_reset_counters();
  if (mode(argv, "removed"))
    bad |= unlink(name);
  if (mode(argv, "moved"))
    bad |= rename(name, "moved");
  if (mode(argv, "replaced"))
    bad |= rename(name, "moved") | system("main once");
  if (mode(argv, "ten"))
    for (int i = 0; i < 8; i++) {
      f(i);
      bad |= __llvm_profile_write_file();
    }
  if (!mode(argv, "replaced"))
    f(1);
  return bad;
}
