// What `cargo xtask bench` measures dumps and merges of many counters with; linked with sections of generated records.
//
//     many exit FILL        prints the nanoseconds of the write at exit
//     many first FILL       prints the nanoseconds of the first dump while the program runs
//     many again FILL       dumps, then counts a little more and dumps again nine times; prints the median nanoseconds of these
//
// FILL: which counters the program has counted with: `cold` every twentieth function, and there three of four; `full` all. A number: none, but so
// many values, 80 at each function.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))
#define ROUNDS 9

int __llvm_profile_write_file(void);
void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);

// The generated sections.
extern uint64_t many_counters[], many_counters_end[];
extern char many_records[];
extern const uint32_t many_functions;

PLAIN static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

PLAIN static int ascending(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

PLAIN static void fill(int full) {
  size_t each = (many_counters_end - many_counters) / many_functions;
  uint32_t random = 1;
  for (uint32_t f = 0; f < many_functions; f++) {
    random = random * 1664525u + 1013904223u;
    if (!full && (random >> 8) % 20)
      continue;
    for (size_t i = 0; i < each; i++)
      if (full || i % 4)
        many_counters[f * each + i] += f + i + 1;
  }
}

// Counts once more in every fiftieth function that has counted.
PLAIN static void fill_more(int full) {
  size_t each = (many_counters_end - many_counters) / many_functions;
  for (uint32_t f = 0; f < many_functions; f += full ? 50 : 1)
    // The second counter has counted where any has.
    if (many_counters[f * each + 1] && (full || f % 50 < 2))
      for (size_t i = 1; i < each; i++)
        many_counters[f * each + i] += i % 4 != 0;
}

PLAIN static void see(long count) {
  for (uint32_t f = 0; count > 0; f++)
    for (int site = 0; site < 5; site++)
      // Addresses in the program, as those of functions are.
      for (int value = 0; value < 16 && count > 0; value++, count--)
        __llvm_profile_instrument_target((uint64_t)many_records + value, many_records + 64 * (f % many_functions), site);
}

PLAIN static long dump(void) {
  long start = now();
  if (__llvm_profile_write_file())
    _exit(3);
  return now() - start;
}

PLAIN static void dump_again(int full) {
  long times[ROUNDS];
  dump();
  for (int i = 0; i < ROUNDS; i++) {
    fill_more(full);
    times[i] = dump();
  }
  qsort(times, ROUNDS, sizeof *times, ascending);
  printf("%ld\n", times[ROUNDS / 2]);
  fflush(stdout);
  // The exit handler would write once more.
  _exit(0);
}

// Gives the bytes of this program's profile a function with a counter, so that the compiler adds what each object has.
__attribute__((noinline)) void seen(void) { __asm__ volatile(""); }

static long begun;

PLAIN static void begin(void) { begun = now(); }

// After the destructors and exit handlers of runtimes.
PLAIN __attribute__((destructor(50))) static void end(void) {
  printf("%ld\n", now() - begun);
  fflush(stdout);
}

PLAIN int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  int full = !strcmp(argv[2], "full");
  seen();
  if (atol(argv[2]))
    see(atol(argv[2]));
  else
    fill(full);
  if (!strcmp(argv[1], "again"))
    dump_again(full);
  if (!strcmp(argv[1], "first")) {
    printf("%ld\n", dump());
    fflush(stdout);
    _exit(0);
  }
  // Before all other handlers.
  atexit(begin);
  return 0;
}
