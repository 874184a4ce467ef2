// A `vfork` child of another thread is killed while it writes the files before its `exec`, in the memory of its parent, which writes them afterwards
// at once.
// profrt: no-profile
// profrt: flags --coverage -w
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime waits for the lock without limit
// profrt: run timeout 20 main 2> err; test $? = 0 && ! grep . err && rm err && test "$(bash $SRC/counters.sh main.gcda 1 | cut -d ' ' -f 1)" = 1 && rm main.gcda
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t killed;

__attribute__((noinline)) void counted(void) {}

static void *start(void *unused) {
  pid_t child = vfork();
  if (!child) {
    killed = getpid();
    execlp("true", "true", (char *)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  counted();
  // The child waits for the lock.
  struct flock all = {.l_type = F_WRLCK};
  int fd = open("main.gcda", O_CREAT | O_RDWR, 0600);
  if (fcntl(fd, 37, &all))
    return 1;
  pthread_create(&thread, NULL, start, NULL);
  while (!killed)
    usleep(1000);
  usleep(500000);
  kill(killed, SIGKILL);
  pthread_join(thread, NULL);
  close(fd);
  return 0;
}
