// A thread with the smallest stack that POSIX allows forks, and resets the counters.
// profrt: only-ours: LLVM's children count into the file of their parent
// profrt: no-profile
// profrt: clang 22..
// profrt: flags -fprofile-generate
// profrt: cflags -w
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main && rm a*
// profrt: run LLVM_PROFILE_FILE=a%c%m.profraw main && rm a*
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void __llvm_profile_reset_counters(void);
enum { SIZE = 16384 };
static int status;
static int (*volatile function)(void *);
static int one(void *stack) { return stack != 0; }

static void *thread(void *stack) {
  function(stack);
  if (fork() == 0)
    _exit(0);
  wait(&status);
  __llvm_profile_reset_counters();
  return 0;
}

int main(int argc, char **argv) {
  function = one;
  // Nothing below it can be written to.
  char *pages = mmap(0, SIZE + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + 4096, SIZE, PROT_READ | PROT_WRITE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t id;
  if (pthread_attr_setstack(&attributes, pages + 4096, SIZE) || pthread_create(&id, &attributes, thread, 0))
    return 2;
  pthread_join(id, 0);
  return status != 0;
}
