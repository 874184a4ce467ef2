// Four threads call many functions through one site, and one through another.
#include <pthread.h>
#include <stdlib.h>
int __llvm_profile_write_file(void);
#define FUNCTION(N) int f##N(int n) { return n + N; }
FUNCTION(0) FUNCTION(1) FUNCTION(2) FUNCTION(3) FUNCTION(4) FUNCTION(5)
FUNCTION(6) FUNCTION(7) FUNCTION(8) FUNCTION(9) FUNCTION(10) FUNCTION(11)
int (*volatile targets[12])(int) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11};
static void *run(void *unused) {
  int sum = 0;
  for (int i = 0; i < 1000000; i++) sum += targets[i % 12](i);
  for (int i = 0; i < 1000; i++) sum += targets[0](i);
  return (void *)(long)sum;
}
__attribute__((no_profile_instrument_function)) int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  __llvm_profile_write_file();
  abort();
}
