// Threads that count one after the other, at sites that they share and after main has counted alone: exact on both sides.
// profrt: flags -fprofile-generate -w -pthread
// profrt: variant shared
// profrt: run main 8
// profrt: variant many
// profrt: run main 300
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: run main 20
// profrt: variant static
// profrt: lflags -static
// profrt: run main 20
// profrt: variant full
// profrt: run LLVM_VP_MAX_NUM_VALS_PER_SITE=3 main 20
#include "six.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char from[1024];

__attribute__((noinline)) static int site(int i) {
  char to[1024];
  memcpy(to, from, i % 900);
  return ops[i % 6](to[0]) + ops[i % 2](to[1]);
}

static void *work(void *first) {
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += site((int)(long)first + i);
  return (void *)(long)sum;
}

int main(int argc, char **argv) {
  work(0);
  for (int i = 0; i < atoi(argv[1]); i++) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)(long)i);
    pthread_join(thread, 0);
    site(i);
  }
  work((void *)77);
  return 0;
}
