/* What profrt_check says at three moments, and whether a dump can be made. */
#include "device.h"
#include "profrt.h"
#include "subject.h"

static int before, zeroed;

/* As weak as the sections are in some of these programs. */
extern char __start___llvm_prf_cnts[] __attribute__((weak)), __stop___llvm_prf_cnts[] __attribute__((weak));

static void fill(char byte) {
  for (volatile char *at = __start___llvm_prf_cnts; at < (volatile char *)__stop___llvm_prf_cnts; at++) *at = byte;
}

void before_start(void) {
  fill(0x5a);
  before = profrt_check();
  fill(0);
  zeroed = profrt_check();
}

int main(void) {
  say_number("check-before", before);
  say_number("check-zeroed", zeroed);
  say_number("check", profrt_check());
  if (subject(ROUNDS) == 0) return 1;
  say_number("check-after", profrt_check());
  say_number("raw", dump_raw(0));
  say_number("counters", dump_counters(0));
  return 0;
}
