/* The subject on Linux: a profile at exit, and before it the counters in the compact form. */
#include <stdio.h>

#include "profrt.h"
#include "subject.h"

static int to_file(void *file, const void *bytes, size_t len) { return fwrite(bytes, 1, len, file) != len; }

int main(void) {
  if (subject(ROUNDS) == 0) return 1;
  FILE *file = fopen("counters.bin", "wb");
  if (file == NULL || profrt_dump_counters_callback(to_file, file) != 0) return 2;
  return fclose(file);
}
