/* A serial line on which the program prints and dumps. The first dump loses a byte on its way; the second makes up for it. */
#include "device.h"
#include "profrt.h"
#include "subject.h"

void before_start(void) {}

static unsigned sent, lost;

/* What an interrupt prints comes between lines. */
static int to_line(void *unused, const void *piece, size_t len) {
  for (const char *at = piece; len--; at++) {
    if (++sent == lost) continue;
    line(*at);
    if (*at == '\n') print("tick\n");
  }
  return 0;
}

int main(void) {
  print("boot\n");
  if (subject(ROUNDS) == 0) return 1;
#ifdef FOR_EVER
  /* To whoever comes to listen. */
  for (;;) profrt_dump_frame(to_line, 0, 0);
#endif
  lost = 400;
  if (profrt_dump_frame(to_line, 0, 0) != 0) return 2;
  lost = 0;
  if (profrt_dump_frame(to_line, 0, 192) != 0) return 3;
  print("temperature 23");
  if (profrt_dump_counters_frame(to_line, 0, 0) != 0) return 4;
  print("done\n");
  return 0;
}
