// Images of this runtime and of LLVM's in one run, under one name: each count is in the file once, whoever begins, and an earlier
// run's file goes. `{official}` is LLVM's archive on both sides; with that on both, the same numbers come out.
// profrt: only-ours: the other side has the same archive twice
// profrt: cflags -fprofile-instr-generate
// profrt: object ours.o -DNAME=ours
// profrt: object theirs.o -DNAME=theirs
// profrt: object lib_ours.o -fPIC -DLIBRARY=lib_ours
// profrt: object lib_theirs.o -fPIC -DLIBRARY=lib_theirs
// profrt: shared liblib_ours.so lib_ours.o -fprofile-instr-generate
// profrt: shared liblib_theirs.so lib_theirs.o bare -u__llvm_profile_runtime {official}
// profrt: program ours ours.o -fprofile-instr-generate -ldl
// profrt: program theirs theirs.o bare -u__llvm_profile_runtime {official} -ldl
// profrt: program ours_with_theirs ours.o -fprofile-instr-generate -Wl,--no-as-needed liblib_theirs.so -ldl
// profrt: program theirs_with_ours theirs.o bare -u__llvm_profile_runtime {official} -Wl,--no-as-needed liblib_ours.so -ldl
// profrt: variant our-parent
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do ours run=theirs && bash $SRC/counts.sh ours=1 theirs=1 x.profraw || exit 1; done
// profrt: variant our-parent-of-two
// The variable that says who begins a run means the same to both.
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do ours run=theirs run=ours run=theirs && bash $SRC/counts.sh ours=2 theirs=2 x.profraw || exit 1; done
// profrt: variant our-parent-new-directory
// profrt: run LLVM_PROFILE_FILE=a/b/x.profraw ours run=theirs run=theirs && bash $SRC/counts.sh ours=1 theirs=2 a/b/x.profraw
// profrt: variant their-parent
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do theirs run=ours run=theirs run=ours && bash $SRC/counts.sh ours=2 theirs=2 x.profraw || exit 1; done
// profrt: variant their-parent-new-directory
// profrt: run LLVM_PROFILE_FILE=a/b/x.profraw theirs run=ours run=ours && bash $SRC/counts.sh ours=2 theirs=1 a/b/x.profraw
// profrt: variant our-library
// It is constructed before the program.
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do theirs_with_ours call=lib_ours && bash $SRC/counts.sh theirs=1 lib_ours=1 x.profraw || exit 1; done
// profrt: variant our-library-and-children
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do theirs_with_ours call=lib_ours run=ours run=theirs run=ours && bash $SRC/counts.sh theirs=2 ours=2 lib_ours=1 x.profraw || exit 1; done
// profrt: variant our-library-new-directory
// profrt: run LLVM_PROFILE_FILE=a/b/x.profraw theirs_with_ours call=lib_ours run=theirs && bash $SRC/counts.sh theirs=2 lib_ours=1 a/b/x.profraw
// profrt: variant our-library-loaded
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do theirs load=liblib_ours.so call=lib_ours run=theirs && bash $SRC/counts.sh theirs=2 lib_ours=1 x.profraw || exit 1; done
// profrt: variant their-library
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do ours_with_theirs call=lib_theirs run=ours run=theirs && bash $SRC/counts.sh ours=2 theirs=1 lib_theirs=1 x.profraw || exit 1; done
// profrt: variant their-library-new-directory
// profrt: run LLVM_PROFILE_FILE=a/b/x.profraw ours_with_theirs call=lib_theirs run=theirs && bash $SRC/counts.sh ours=1 theirs=1 lib_theirs=1 a/b/x.profraw
// profrt: variant their-library-loaded
// profrt: run export LLVM_PROFILE_FILE=x.profraw; for i in 1 2 3; do ours load=liblib_theirs.so call=lib_theirs && bash $SRC/counts.sh ours=1 lib_theirs=1 x.profraw || exit 1; done
// profrt: variant their-library-loaded-late
// profrt: run LLVM_PROFILE_FILE=a/x.profraw ours run=theirs run=ours load=liblib_theirs.so call=lib_theirs && bash $SRC/counts.sh ours=2 theirs=1 lib_theirs=1 a/x.profraw
// profrt: variant pid
// Each process has a file of its own, and what is left of an earlier process with its number goes.
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw ours_with_theirs call=lib_theirs run=theirs && bash $SRC/counts.sh ours=1 theirs=1 lib_theirs=1 x-*.profraw
// profrt: run rm *.profraw; LLVM_PROFILE_FILE=x-%p.profraw theirs_with_ours call=lib_ours run=ours && bash $SRC/counts.sh theirs=1 ours=1 lib_ours=1 x-*.profraw
// profrt: variant merged
// profrt: run LLVM_PROFILE_FILE=x-%m.profraw ours_with_theirs call=lib_theirs run=theirs run=theirs run=ours && bash $SRC/counts.sh ours=2 theirs=2 lib_theirs=1 x-*.profraw
// profrt: run rm *.profraw; LLVM_PROFILE_FILE=a/x-%m.profraw theirs_with_ours call=lib_ours run=ours run=ours run=theirs && bash $SRC/counts.sh theirs=2 ours=2 lib_ours=1 a/x-*.profraw
#ifdef LIBRARY
int LIBRARY(int x) { return x + 1; }
#else
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
extern char **environ;

__attribute__((noinline)) int NAME(int x) { return x > 5; }

static int run(char *program) {
  char *arguments[] = {program, 0};
  pid_t pid;
  int status;
  if (posix_spawnp(&pid, program, 0, 0, arguments, environ) || waitpid(pid, &status, 0) != pid)
    return 1;
  return status;
}

int main(int argc, char **argv) {
  char path[4096];
  int failed = NAME(argc > 100);
  for (int i = 1; i < argc; i++) {
    char *what = strchr(argv[i], '=') + 1;
    switch (*argv[i]) {
    case 'r':
      failed |= run(what);
      break;
    case 'l':
      snprintf(path, sizeof path, "%s/%s", getenv("BIN"), what);
      if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        return puts(dlerror()), 2;
      break;
    case 'c': {
      int (*function)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, what);
      if (!function)
        return puts(dlerror()), 2;
      function(1);
    }
    }
  }
  return failed;
}
#endif
