// Names with `%p` need no variable in the environment: a file with the number of the process is of this run if it was changed since the
// process began, so images that come later and programs that it executes add to it; else it is left over from an earlier process with
// that number, as containers have them at each start, and goes.
// profrt: only-ours: the official archive shares names between parent and child, and counts a second write again
// profrt: flags -fprofile-instr-generate
// profrt: object main.o -DPROGRAM
// profrt: object lib.o -fPIC
// profrt: shared liblib.so lib.o
// profrt: program main main.o -ldl
// profrt: variant left-over
// profrt: run (LLVM_PROFILE_FILE=old.profraw main; cp old.profraw x-$BASHPID.profraw; rm old.profraw; touch -d '1 hour ago' x-$BASHPID.profraw; LLVM_PROFILE_FILE=x-%p.profraw exec main)
// profrt: run test $(ls | wc -l) = 1 && bash $SRC/counts.sh part=1 x-*.profraw
// profrt: variant left-over-library
// profrt: object main.o bare -DPROGRAM -DPLAIN
// profrt: program main main.o bare -ldl
// profrt: cov liblib.so
// profrt: run (LLVM_PROFILE_FILE=old.profraw main load; cp old.profraw x-$BASHPID.profraw; rm old.profraw; touch -d '1 hour ago' x-$BASHPID.profraw; LLVM_PROFILE_FILE=x-%p.profraw exec main load)
// profrt: run test $(ls | wc -l) = 1 && bash $SRC/counts.sh lib=1 x-*.profraw
// profrt: variant number-used-again
// By children of one run: copies of the first child's file stand for those of earlier children with the number.
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main used_again && test $(ls | wc -l) = 3 && bash $SRC/counts.sh part=4 child=3 x-*.profraw
// profrt: variant executes
// profrt: run (LLVM_PROFILE_FILE=x-%p.profraw exec main write exec) && test $(ls | wc -l) = 1 && bash $SRC/counts.sh part=2 x-*.profraw
// profrt: variant loads-later
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main write load && test $(ls | wc -l) = 1 && bash $SRC/counts.sh part=1 lib=1 x-*.profraw
// profrt: variant loads-later-after-reset
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main write reset load part && test $(ls | wc -l) = 1 && bash $SRC/counts.sh part=2 lib=1 x-*.profraw
// profrt: variant loads-in-turn
// profrt: object main.o bare -DPROGRAM -DPLAIN
// profrt: program main main.o bare -ldl
// profrt: cov liblib.so
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main load close load close load && test $(ls | wc -l) = 1 && bash $SRC/counts.sh lib=3 x-*.profraw
#ifndef PROGRAM
int lib(int x) { return x + 1; }
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PLAIN
static int __llvm_profile_write_file(void) { return 1; }
static void __llvm_profile_reset_counters(void) {}
#else
int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);
#endif

__attribute__((noinline)) int part(int x) { return x > 5; }
__attribute__((noinline)) int child(int x) { return x > 6; }

/* Forks, and returns the child's number when it has ended. */
static pid_t ended_child(void) {
  int status;
  pid_t made = fork();
  if (!made)
    exit(child(1));
  return waitpid(made, &status, 0) == made && !status ? made : 0;
}

/* The child's number is not known before: a file for each of the next 300, a copy of the file `from` or an hour old. */
static int left(pid_t from) {
  static char text[1 << 16] = "left over";
  size_t size = 9;
  char name[64];
  struct timespec old[2] = {{1, 0}, {1, 0}};
  if (from) {
    snprintf(name, sizeof name, "x-%d.profraw", from);
    int file = open(name, O_RDONLY);
    size = read(file, text, sizeof text);
    close(file);
  }
  pid_t first = (from ? from : getpid()) + 1, last = first + 300, pid;
  for (pid = first; pid < last; pid++) {
    snprintf(name, sizeof name, "x-%d.profraw", pid);
    int file = open(name, O_CREAT | O_WRONLY, 0666);
    write(file, text, size);
    if (!from)
      futimens(file, old);
    close(file);
  }
  if (!from)
    __llvm_profile_reset_counters();
  pid_t made = ended_child();
  if (!from)
    part(1);
  for (pid = first; pid < last; pid++) {
    snprintf(name, sizeof name, "x-%d.profraw", pid);
    if (pid != made)
      unlink(name);
  }
  return !made;
}

int main(int argc, char **argv) {
  char path[4096];
  void *library = 0;
  part(1);
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    if (!strcmp(step, "left"))
      return left(0);
    if (!strcmp(step, "used_again"))
      return left(ended_child());
    if (!strcmp(step, "part"))
      part(1);
    if (!strcmp(step, "write") && __llvm_profile_write_file())
      return 1;
    if (!strcmp(step, "reset"))
      __llvm_profile_reset_counters();
    if (!strcmp(step, "exec"))
      return execlp("main", "main", (char *)0);
    if (!strcmp(step, "load")) {
      snprintf(path, sizeof path, "%s/liblib.so", getenv("BIN"));
      if (!(library = dlopen(path, RTLD_NOW)))
        return puts(dlerror()), 2;
      ((int (*)(int))dlsym(library, "lib"))(1);
    }
    if (!strcmp(step, "close"))
      dlclose(library);
  }
  return 0;
}
#endif
