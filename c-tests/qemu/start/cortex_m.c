/* Start-up of a Cortex-M: vectors, variables, counters, main. */
#include "device.h"
#include "profrt.h"

extern char data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];
extern void (*init_array_start[])(void), (*init_array_end[])(void);
int main(void);

static void fault(void) { stop(99); }

void reset(void) {
  for (volatile char *to = data_start, *from = data_load; to < (volatile char *)data_end;) *to++ = *from++;
  for (volatile char *to = bss_start; to < (volatile char *)bss_end;) *to++ = 0;
  before_start();
  profrt_start();
  for (void (**each)(void) = init_array_start; each < init_array_end; each++) (*each)();
  stop(main());
}

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    stack_top, reset, fault, fault, fault, fault, fault, [11] = fault, [12] = fault, [14] = fault, [15] = fault};

