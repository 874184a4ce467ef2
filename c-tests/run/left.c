// `_exit` and `_Exit` write where the linker is told to wrap them; a child of `vfork` writes nothing.
// profrt: flags -fprofile-instr-generate
// profrt: lflags -Wl,--wrap=_exit,--wrap=_Exit
// profrt: no-profile
// profrt: only-ours: LLVM's archive has no such functions
// profrt: variant plain
// profrt: run=3 LLVM_PROFILE_FILE=x.profraw main _exit; bash $SRC/counts.sh work=1 x.profraw && rm x.profraw && exit 3
// profrt: run=3 LLVM_PROFILE_FILE=x.profraw main _Exit; bash $SRC/counts.sh work=1 x.profraw && rm x.profraw && exit 3
// profrt: variant static
// profrt: lflags -static
// profrt: run=3 LLVM_PROFILE_FILE=x.profraw main _exit; bash $SRC/counts.sh work=1 x.profraw && rm x.profraw && exit 3
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
// profrt: run=3 LLVM_PROFILE_FILE=x.profraw main _exit; bash $SRC/counts.sh work=1 x.profraw && rm x.profraw && exit 3
// profrt: variant children
// Each child has the parent's call and its own; with reset its own.
// profrt: run LLVM_PROFILE_FILE=x%m.profraw main fork && bash $SRC/counts.sh work=7 x*.profraw && rm x*.profraw
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x%m.profraw main fork && bash $SRC/counts.sh work=4 x*.profraw && rm x*.profraw
// profrt: run LLVM_PROFILE_FORK=reset LLVM_PROFILE_FILE=x%p.profraw main fork && test $(ls | wc -l) = 4 && bash $SRC/counts.sh work=4 x*.profraw && rm x*.profraw
// profrt: variant vfork
// profrt: run LLVM_PROFILE_FILE=x%p.profraw main vfork && test $(ls | wc -l) = 1 && bash $SRC/counts.sh work=2 x*.profraw && rm x*.profraw
// profrt: variant gcov
// profrt: flags --coverage
// profrt: run=3 main _exit; ls *.gcda >listed && rm -f *.gcda x.profraw default.profraw listed && exit 3
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  work();
  if (!strcmp(how, "_exit"))
    _exit(3);
  if (!strcmp(how, "_Exit"))
    _Exit(3);
  if (!strcmp(how, "vfork")) {
    if (vfork() == 0) {
      work();
      _exit(0);
    }
    return 0;
  }
  for (int i = 0; i < 3; i++)
    if (fork() == 0) {
      work();
      _exit(0);
    }
  while (wait(NULL) > 0)
    ;
  return 0;
}
