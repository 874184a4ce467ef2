// A shared object of `load.c`; linked with generated sections.
#include <stdint.h>

extern uint64_t many_counters[], many_counters_end[];

void fill(int number) {
  for (uint64_t *counter = many_counters; counter < many_counters_end; counter++)
    *counter = number + 1;
}
