// A thread writes the files of all images, for a minute, because two are locked. The object that another thread closes meanwhile stays until
// it is done.
// profrt: no-profile
// profrt: clang 22..
// profrt: object main.o --coverage
// profrt: object plug.o --coverage -fPIC -DPLUG
// profrt: object more.o --coverage -fPIC -DMORE
// profrt: shared plug.so --coverage plug.o more.o
// profrt: program main --coverage main.o -pthread -ldl -rdynamic
// profrt: only-ours: LLVM's runtime waits for locks without limit
// profrt: run : > plug.gcda; : > more.gcda; timeout 200 main $BIN/plug.so 2> err && test $(grep -c 'Failed to write .*\(locked by another process\|another dump is under way\)' err) = $(wc -l < err) && rm err *.gcda
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(PLUG)
int plug(void) { return 1; }
#elif defined(MORE)
int more(void) { return 1; }
#else
void __gcov_dump(void);
static volatile int done;

static void *dump(void *unused) {
  __gcov_dump();
  done = 1;
  return unused;
}

static void lock(const char *name) {
  struct flock all = {.l_type = F_WRLCK};
  int fd = open(name, O_RDWR);
  if (fd < 0 || fcntl(fd, 37, &all))
    _exit(2);
}

int main(int argc, char **argv) {
  pthread_t thread;
  int ready[2];
  char byte;
  void *object = dlopen(argv[1], RTLD_NOW);
  if (!object || pipe(ready))
    return 3;
  ((int (*)(void))dlsym(object, "plug"))();
  pid_t holder = fork();
  if (!holder) {
    lock("plug.gcda");
    lock("more.gcda");
    write(ready[1], "", 1);
    pause();
  }
  read(ready[0], &byte, 1);
  pthread_create(&thread, NULL, dump, NULL);
  sleep(1);
  dlclose(object);
  // The dump has ended, and its thread may need a moment to say so.
  for (int i = 0; i < 50 && !done; i++)
    usleep(100000);
  if (!done)
    return 4;
  kill(holder, SIGKILL);
  pthread_join(thread, NULL);
  return 0;
}
#endif
