/* The subject on a device: what profrt_check says before and after, the dumps, and the stack that they need. */
#include "device.h"
#include "profrt.h"
#include "subject.h"

extern char profrt_ram_start[], profrt_ram_end[];

static int before;

/* RAM holds anything when power comes. */
void before_start(void) {
  for (volatile char *at = profrt_ram_start; at < (volatile char *)profrt_ram_end; at++) *at = (char)(0x5a + ((unsigned long)at & 31));
  before = profrt_check();
}

static unsigned long bytes;
static int count(void *context, const void *piece, size_t len) {
  bytes += len;
  return 0;
}
static int callback(void *context) { return profrt_dump_callback(count, context); }
static int counters_callback(void *context) { return profrt_dump_counters_callback(count, context); }
static int frame(void *context) { return profrt_dump_frame(count, context, 0); }
static int counters_frame(void *context) { return profrt_dump_counters_frame(count, context, 0); }

static char memory[3072];
static int buffer(void *unused) { return profrt_dump_buffer(memory, sizeof memory, 0); }
__attribute__((no_profile_instrument_function)) static int counters_buffer(void *unused) {
  size_t size, written;
  if (profrt_counters_size(&size) != PROFRT_OK || profrt_dump_counters_buffer(memory, size - 1, &written) != PROFRT_FULL) return 1;
  return profrt_dump_counters_buffer(memory, size, &written) != PROFRT_OK || written != size;
}

static void measure(const char *name, int (*work)(void *)) {
  int result;
  say_number(name, stack_of(work, 0, &result));
  if (result != 0) stop(3);
}

int main(void) {
  say_number("check-before", before);
  say_number("check", profrt_check());
  if (subject(ROUNDS) == 0) return 1;
  say_number("check-after", profrt_check());
  /* By semihosting, where there is that. */
  measure("stack-raw", dump_raw);
  measure("stack-counters", dump_counters);
  measure("stack-callback", callback);
  measure("stack-counters-callback", counters_callback);
  measure("stack-buffer", buffer);
  measure("stack-counters-buffer", counters_buffer);
  measure("stack-frame", frame);
  measure("stack-counters-frame", counters_frame);
  say_number("dropped", (long)profrt_values_dropped());
  return 0;
}
