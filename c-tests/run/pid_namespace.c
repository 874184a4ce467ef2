// A child in a process namespace of its own has its parent's process id: 1. It is another process nevertheless.
// profrt: needs mount: makes process namespaces
// profrt: flags -fprofile-instr-generate
// profrt: lflags -pthread
// profrt: only-ours: the official archive counts a second write again
// profrt: variant plain
// The parent has written its part before, and leaves it at that: the child adds one of its own.
// profrt: run unshare -pf main 2> err && test $(sort -u err) = 1 && rm err
// profrt: run bash $SRC/counts.sh before=2 child=1 after=0 default.profraw
// profrt: variant pool
// profrt: run LLVM_PROFILE_FILE=x-%m.profraw unshare -pf main 2> err && test $(sort -u err) = 1 && rm err
// profrt: run bash $SRC/counts.sh before=2 child=1 after=0 x-*.profraw
// profrt: variant to-the-end
// profrt: run LLVM_PROFILE_FILE=x-%m.profraw unshare -pf main end 2> err && test $(sort -u err) = 1 && rm err
// profrt: run bash $SRC/counts.sh before=2 child=1 after=1 x-*.profraw
// profrt: variant locked
// A thread of the parent writes when the child is forked: the child does not wait for it.
// profrt: run for i in $(seq 20); do timeout 20 unshare -pf main locked 2> err || exit 1; test $(sort -u err) = 1 || exit 1; done; rm err
// profrt: run LLVM_PROFILE_FILE=x-%m.profraw timeout 20 unshare -pf main locked 2> err && test $(sort -u err) = 1 && rm err
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int __llvm_profile_write_file(void);

__attribute__((noinline)) void before(void) { __asm__ volatile(""); }
__attribute__((noinline)) void child(void) { __asm__ volatile(""); }
__attribute__((noinline)) void after(void) { __asm__ volatile(""); }

static volatile int ended;

static void *write_always(void *unused) {
  while (!ended)
    __llvm_profile_write_file();
  return unused;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t thread;
  int status;
  before();
  if (!strcmp(what, "locked")) {
    pthread_create(&thread, 0, write_always, 0);
    usleep(1000);
  } else {
    __llvm_profile_write_file();
  }
  if (unshare(CLONE_NEWPID))
    return 1;
  pid_t pid = fork();
  fprintf(stderr, "%d\n", pid == 0 ? getpid() : 1);
  if (pid == 0) {
    child();
    return 0;
  }
  ended = 1;
  waitpid(pid, &status, 0);
  if (!strcmp(what, ""))
    _exit(status != 0);
  after();
  return status != 0;
}
