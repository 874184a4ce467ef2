// Threads count without atomic updates while others dump: a counter may go back, and is not added a second time for that.
// profrt: no-profile
// profrt: flags --coverage -pthread -O0
// profrt: object main.o
// profrt: program main main.o -pthread
// profrt: only-ours: LLVM's runtime adds all counts in each dump
// profrt: run main; test "$(bash $SRC/counters.sh main.gcda 1)" -le 8000000
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
void __gcov_dump(void);
static volatile int running = 4;
__attribute__((noinline)) int counted(int n) { return n * 3; }
static void *work(void *unused) {
  for (int i = 0; i < 2000000; i++)
    counted(i);
  __sync_fetch_and_sub(&running, 1);
  return NULL;
}
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  while (running) {
    __gcov_dump();
    usleep(200);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
