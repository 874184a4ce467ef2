// Several processes and one name: fork, fork and exec, vfork, children that come after.
// profrt: flags -fprofile-instr-generate
// profrt: variant children-in-turn
// profrt: run LLVM_PROFILE_FILE=x.profraw main fork
// profrt: variant pid
// profrt: differs files, profile: the name of a forked child has its own id; COMPATIBILITY: %p
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main fork
// profrt: ours test $(ls x-*.profraw | wc -l) = 2
// profrt: variant exec
// profrt: run LLVM_PROFILE_FILE=x.profraw main exec
// profrt: variant exec-pid
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw main exec
// profrt: variant exec-default
// profrt: not mapped all: the program that is executed has a file of its own
// profrt: run main exec
// profrt: variant vfork
// profrt: run LLVM_PROFILE_FILE=x.profraw main vfork
// profrt: variant child-without-exit-handler
// profrt: run LLVM_PROFILE_FILE=x.profraw main fork_exit
// profrt: variant runs-in-turn
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=x.profraw main; done
// profrt: variant runs-in-one-shell-with-marker
// profrt: run export __LLVM_PROFILE_RT_INIT_ONCE=__LLVM_PROFILE_RT_INIT_ONCE LLVM_PROFILE_FILE=x.profraw; main; main
// profrt: variant popen
// profrt: run LLVM_PROFILE_FILE=x.profraw main popen
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int before(int x) { return x ? 1 : 2; }
__attribute__((noinline)) static int after(int x) { return x ? 1 : 2; }
__attribute__((noinline)) static int in_child(int x) { return x ? 1 : 2; }

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  before(argc);
  if (!strcmp(how, "child"))
    return in_child(1) - 1;
  pid_t child = 0;
  int status = 0;
  if (!strcmp(how, "fork") || !strcmp(how, "fork_exit")) {
    child = fork();
    if (!child) {
      in_child(0);
      if (how[4])
        _exit(0);
      exit(0);
    }
  } else if (!strcmp(how, "exec") || !strcmp(how, "vfork")) {
    child = how[0] == 'v' ? vfork() : fork();
    if (!child) {
      execlp("main", "main", "child", (char *)NULL);
      _exit(1);
    }
  } else if (!strcmp(how, "popen")) {
    status = pclose(popen("main child", "r"));
  }
  if (child)
    waitpid(child, &status, 0);
  after(status);
  return status;
}
