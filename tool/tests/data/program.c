// Counts, and dumps what it has counted in the ways that its arguments say. What dumps is not instrumented itself, so that
// nothing changes on the way.
#include <profrt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN __attribute__((no_profile_instrument_function))

int __llvm_profile_write_file(void);
extern char counters_begin[] __asm__("__start___llvm_prf_cnts") __attribute__((weak, visibility("hidden")));
extern char counters_end[] __asm__("__stop___llvm_prf_cnts") __attribute__((weak, visibility("hidden")));

int one(int x) { return x + 1; }
int two(int x) { return x < 5 ? x * 2 : x; }
int (*volatile table[2])(int) = {one, two};
volatile size_t size = 5;
char a[64], b[64];

int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += table[i & 1](i);
    memcpy(a, b, size + i % 4);
  }
  return sum;
}

PLAIN static int put(void *context, const void *bytes, size_t len) {
  return fwrite(bytes, 1, len, context) == len ? 0 : 1;
}

// Memory from `begin` to `end`, in a file whose name has the address.
PLAIN static void save(char *begin, char *end) {
  char name[64];
  snprintf(name, sizeof name, "ram@%p", (void *)begin);
  FILE *file = fopen(name, "wb");
  fwrite(begin, 1, end - begin, file);
  fclose(file);
}

#ifdef LIBRARY
int library(int n);
#endif

PLAIN int main(int argc, char **argv) {
  work(10);
#ifdef LIBRARY
  library(7);
#endif
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "frame", 5)) {
      printf("before ");
      profrt_dump_frame(put, stdout, atoi(argv[i] + 5));
      printf("behind\n");
    } else if (!strcmp(argv[i], "counters")) {
      printf("~before~P ");
      profrt_dump_counters_frame(put, stdout, 0);
      printf("behind\n");
    } else if (!strcmp(argv[i], "more")) {
      work(3);
    } else if (!strcmp(argv[i], "callback")) {
      profrt_dump_callback(put, stdout);
    } else if (!strcmp(argv[i], "compact")) {
      profrt_dump_counters_callback(put, stdout);
    } else if (!strcmp(argv[i], "ram")) {
      save(counters_begin, counters_end);
    } else if (!strcmp(argv[i], "abort")) {
      __llvm_profile_write_file();
      fflush(stdout);
      abort();
    }
  }
  return 0;
}
