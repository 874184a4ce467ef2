// Ways out that run no exit handler: what is lost, and the call before that keeps it. Under both runtimes.
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: variant _exit
// profrt: no-profile
// profrt: run=3 main _exit
// profrt: official rm -f default.profraw
// profrt: variant _Exit
// profrt: no-profile
// profrt: run=3 main _Exit
// profrt: official rm -f default.profraw
// profrt: variant quick_exit
// profrt: no-profile
// profrt: run=3 main quick_exit
// profrt: official rm -f default.profraw
// profrt: variant exec
// Only the program that came is there.
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main exec
// profrt: ours bash $SRC/counts.sh work=0 program=1 x-*.profraw
// profrt: variant _exit-after-write
// profrt: run=3 main _exit write; bash $SRC/counts.sh work=5 default.profraw || exit 1; exit 3
// profrt: variant quick_exit-after-write
// profrt: run=3 main quick_exit write; bash $SRC/counts.sh work=5 default.profraw || exit 1; exit 3
// profrt: variant exec-after-write
// The same process has two profiles: under one name they stand side by side, whatever %p says.
// profrt: only-ours: the official archive begins the file anew when the new program has the same name with %p
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main exec write && test $(ls | wc -l) = 1 && bash $SRC/counts.sh work=5 program=1 x-*.profraw
// profrt: run LLVM_PROFILE_FILE=y.profraw main exec write && bash $SRC/counts.sh work=5 program=1 y.profraw
// profrt: variant quick_exit-handler
// Or once and for all.
// profrt: run=3 main at_quick_exit; bash $SRC/counts.sh work=5 default.profraw || exit 1; exit 3
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

__attribute__((noinline)) int work(int x) { return x + 1; }
__attribute__((noinline)) int program(int x) { return x + 1; }
static volatile int sink;
static void leave(void) { __llvm_profile_write_file(); }

int main(int argc, char **argv) {
  if (!strcmp(argv[1], "program")) {
    sink = program(1);
    return 0;
  }
  for (int i = 0; i < 5; i++)
    sink = work(i);
  if (argc > 2)
    __llvm_profile_write_file();
  if (!strcmp(argv[1], "_exit"))
    _exit(3);
  if (!strcmp(argv[1], "_Exit"))
    _Exit(3);
  if (!strcmp(argv[1], "quick_exit"))
    quick_exit(3);
  if (!strcmp(argv[1], "at_quick_exit")) {
    at_quick_exit(leave);
    quick_exit(3);
  }
  execlp("main", "main", "program", (char *)0);
  return 1;
}
