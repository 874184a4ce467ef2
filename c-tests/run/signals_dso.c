// LLVM_PROFILE_DUMP_SIGNALS with several images: each has its own copy of the runtime, and each writes its part when the signal
// comes. A shared object that has installed a handler stays loaded when the program closes it.
// profrt: flags -fprofile-instr-generate -fPIC
// profrt: cflags -w
// profrt: only-ours: LLVM's runtime writes nothing when a signal comes
// profrt: object main.o -DMAIN
// profrt: object a.o -DNAME=a
// profrt: object b.o -DNAME=b
// profrt: object c.o -DNAME=c
// profrt: object ended.o ended.c bare
// profrt: shared liba.so a.o
// profrt: shared libb.so b.o
// profrt: shared libc_.so c.o
// profrt: program main main.o -ldl -pthread
// profrt: program linked main.o -Wl,--no-as-needed liba.so libb.so -ldl -pthread
// profrt: program ended ended.o bare
// profrt: variant linked
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended linked +liba.so +libb.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=2 work_a=1 work_b=1 default.profraw
// profrt: variant loaded
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main +liba.so +libb.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=2 work_a=1 work_b=1 default.profraw
// profrt: variant own-names
// profrt: run test "$(LLVM_PROFILE_FILE=x%m.profraw LLVM_PROFILE_DUMP_SIGNALS=TERM ended main +liba.so +libb.so TERM 2>&1)" = "signal 15"
// profrt: run test $(ls x*.profraw | wc -l) = 3 && bash $SRC/counts.sh in_main=2 work_a=1 work_b=1 x*.profraw
// profrt: variant last-closed
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main +liba.so +libb.so -libb.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=2 work_a=1 work_b=1 default.profraw
// profrt: variant middle-closed
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main +liba.so +libb.so +libc_.so -liba.so -libb.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=3 work_a=1 work_b=1 work_c=1 default.profraw
// profrt: variant all-closed
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM,HUP ended main +liba.so +libb.so +libc_.so -liba.so -libc_.so -libb.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=3 work_a=1 work_b=1 work_c=1 default.profraw
// profrt: variant again-and-again
// A signal that the program has a handler for, in between, and images that are closed and opened again: each part is there once.
// profrt: run test "$(OWN=1 LLVM_PROFILE_DUMP_SIGNALS=USR1,TERM ended main +liba.so USR1 +libb.so USR1 -liba.so USR1 +liba.so USR1 TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=3 work_a=2 work_b=1 handler=4 default.profraw
// profrt: variant own-handler-in-front
// The program has put its handler in front of an image's and calls it: closed or not, what is behind is reached.
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main +liba.so FRONT TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=1 work_a=1 front=1 default.profraw
// profrt: run rm default.profraw && test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended main +liba.so FRONT -liba.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh in_main=1 work_a=1 front=1 default.profraw
// profrt: variant closed-under-a-handler
// Another thread is in the handler, or about to enter it, or to return from it, whenever the object is closed.
// profrt: run test "$(OWN=1 LLVM_PROFILE_FILE=x%m.profraw LLVM_PROFILE_DUMP_SIGNALS=URG,USR1 ended main @liba.so 2>&1)" = "exit 0"
// profrt: run bash $SRC/counts.sh in_main=200 work_a=200 x*.profraw
// profrt: variant without-a-handler
// No handler is installed: the object is unloaded when it is closed, and writes its part then, as under LLVM's runtime.
// profrt: run UNLOADED=1 main +liba.so -liba.so && cp default.profraw first
// profrt: run trap "" URG && UNLOADED=1 LLVM_PROFILE_DUMP_SIGNALS=URG main +liba.so -liba.so
// profrt: run bash $SRC/counts.sh in_main=1 work_a=1 default.profraw && rm first
// profrt: variant plain-main
// profrt: object plain.o -DMAIN bare -fPIC -w
// profrt: program plain plain.o bare -ldl -pthread
// profrt: run test "$(LLVM_PROFILE_DUMP_SIGNALS=TERM ended plain +liba.so +libb.so -liba.so TERM 2>&1)" = "signal 15"
// profrt: run bash $SRC/counts.sh work_a=1 work_b=1 default.profraw
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)

#ifdef MAIN
static struct { const char *name; void *handle; } open_[16];
__attribute__((noinline)) int in_main(int x) { return x + 1; }
static volatile int stop, slow;
__attribute__((noinline)) void handler(int number) {
  if (slow)
    usleep(1000);
}
static struct sigaction behind;
__attribute__((noinline)) void front(int number, siginfo_t *info, void *context) { behind.sa_sigaction(number, info, context); }
__attribute__((constructor(101), no_profile_instrument_function)) static void before(void) {
  if (getenv("OWN"))
    signal(SIGUSR1, handler);
}
__attribute__((no_profile_instrument_function)) static void *raiser(void *unused) {
  while (!stop)
    raise(SIGURG), raise(SIGUSR1);
  return unused;
}
__attribute__((no_profile_instrument_function)) static int again_and_again(const char *name) {
  pthread_t thread;
  sigset_t signals;
  slow = 1;
  pthread_create(&thread, 0, raiser, 0);
  sigemptyset(&signals);
  sigaddset(&signals, SIGURG);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, 0);
  for (int i = 0; i < 200; i++) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return puts(dlerror()), 1;
    in_main(((int (*)(int))dlsym(handle, "plugin"))(i));
    usleep(1000);
    dlclose(handle);
  }
  stop = 1;
  return pthread_join(thread, 0);
}
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i] + 1;
    int at = 0;
    while (open_[at].name && strcmp(open_[at].name, name))
      at++;
    if (argv[i][0] == '+') {
      open_[at].name = name;
      open_[at].handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (!open_[at].handle)
        return puts(dlerror()), 1;
      int (*plugin)(int) = (int (*)(int))dlsym(open_[at].handle, "plugin");
      in_main(plugin(i));
    } else if (argv[i][0] == '-') {
      dlclose(open_[at].handle);
      void *still = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
      if (!still != !!getenv("UNLOADED"))
        return puts(still ? "not unloaded" : "unloaded"), 1;
    } else if (argv[i][0] == '@') {
      if (again_and_again(name))
        return 1;
    } else if (!strcmp(argv[i], "FRONT")) {
      struct sigaction action;
      memset(&action, 0, sizeof action);
      action.sa_sigaction = front;
      action.sa_flags = SA_SIGINFO;
      sigaction(SIGTERM, &action, &behind);
    } else
      raise(strcmp(argv[i], "USR1") ? SIGTERM : SIGUSR1);
  }
  return 0;
}
#else
__attribute__((noinline)) int GLUE(work_, NAME)(int x) { return x > 2 ? x * 2 : x + 1; }
int plugin(int x) { return GLUE(work_, NAME)(x); }
#endif
