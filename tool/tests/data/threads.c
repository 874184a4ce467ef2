// Four threads call through one site.
#include <pthread.h>
#include <stdlib.h>
int __llvm_profile_write_file(void);
int one(int n) { return n + 1; }
int (*volatile target)(int) = one;
static void *run(void *unused) {
  int sum = 0;
  for (int i = 0; i < 1000000; i++) sum += target(i);
  return (void *)(long)sum;
}
__attribute__((no_profile_instrument_function)) int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  __llvm_profile_write_file();
  abort();
}
