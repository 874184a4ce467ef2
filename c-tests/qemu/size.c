/* Programs whose sizes and instructions are compared: JOB says what is done with the counts. Start-up code is their own, for that of
 * the other tests calls profrt. */
#include "profrt.h"
#include "subject.h"

/* Kept in all of them, so that what is compared is the runtimes. */
#define KEPT __attribute__((used, retain))

KEPT void *memcpy(void *to, const void *from, size_t len) {
  for (volatile char *a = to, *b = (char *)from; len--;) *a++ = *b++;
  return to;
}
KEPT void *memset(void *to, int byte, size_t len) {
  for (volatile char *a = to; len--;) *a++ = (char)byte;
  return to;
}
KEPT int memcmp(const void *one, const void *other, size_t len) {
  const unsigned char *a = one, *b = other;
  for (; len--; a++, b++)
    if (*a != *b) return *a - *b;
  return 0;
}
#ifdef __arm__
KEPT void __aeabi_memcpy(void *to, const void *from, size_t len) { memcpy(to, from, len); }
KEPT void __aeabi_memclr8(void *to, size_t len) { memset(to, 0, len); }
#endif
/* The memory that LLVM's runtime wants; there is none. */
KEPT void *minicov_alloc_zeroed(size_t size, size_t align) { return 0; }
KEPT void minicov_dealloc(void *memory, size_t size, size_t align) {}

static volatile int sum;
static char memory[2048];
static volatile char *port = memory;

KEPT static int take(void *context, const void *bytes, size_t len) {
  for (const char *at = bytes; len--; at++) *port = *at;
  return 0;
}

#define NONE 0
#define BUFFER 1
#define CALLBACK 2
#define FRAME 3
#define COUNTERS 4
#define COUNTERS_FRAME 5
#define LLVM_BUFFER 6
#define LLVM_CALLBACK 7

#if JOB == LLVM_CALLBACK
/* As minicov declares it. */
struct piece {
  void *data;
  size_t size, number;
  int zeros;
};
struct writer {
  uint32_t (*write)(struct writer *, struct piece *, uint32_t);
  void *context;
};
int lprofWriteData(struct writer *, void *reader, int skip_names);
void *lprofGetVPDataReader(void);

static uint32_t hand_on(struct writer *to, struct piece *pieces, uint32_t number) {
  for (; number--; pieces++)
    for (size_t rest = pieces->size * pieces->number, at = 0; rest--; at++)
      if (take(to->context, pieces->data ? (char *)pieces->data + at : "", 1) != 0) return 1;
  return 0;
}
#endif

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);

KEPT __attribute__((noinline)) static int dump(void) {
#if JOB == BUFFER
  return profrt_dump_buffer(memory, sizeof memory, 0);
#elif JOB == CALLBACK
  return profrt_dump_callback(take, 0);
#elif JOB == FRAME
  return profrt_dump_frame(take, 0, 0);
#elif JOB == COUNTERS
  return profrt_dump_counters_callback(take, 0);
#elif JOB == COUNTERS_FRAME
  return profrt_dump_counters_frame(take, 0, 0);
#elif JOB == LLVM_BUFFER
  return __llvm_profile_get_size_for_buffer() > sizeof memory ? 1 : __llvm_profile_write_buffer(memory);
#elif JOB == LLVM_CALLBACK
  struct writer writer = {hand_on, 0};
  return lprofWriteData(&writer, lprofGetVPDataReader(), 0);
#else
  return take(0, memory, sizeof memory);
#endif
}

/* Ends QEMU. */
KEPT __attribute__((noinline)) _Noreturn void stop(void) {
#ifdef __arm__
  register long a __asm__("r0") = 0x18, b __asm__("r1") = 0x20026;
  for (;;) __asm__ volatile("bkpt #0xab" ::"r"(a), "r"(b));
#else
  long block[2] = {0x20026, 0};
  register long a __asm__("a0") = 0x20;
  register void *b __asm__("a1") = block;
  for (;;)
    __asm__ volatile(
        ".balign 16\n.option push\n.option norvc\nslli zero, zero, 0x1f\nebreak\nsrai zero, zero, 7\n.option pop" ::"r"(a), "r"(b)
        : "memory");
#endif
}

extern char bss_start[], bss_end[], stack_top[];
#ifdef __arm__
extern char data_start[], data_end[], data_load[];
#endif

KEPT void reset(void) {
#ifdef __arm__
  for (volatile char *to = data_start, *from = data_load; to < (volatile char *)data_end;) *to++ = *from++;
#endif
  for (volatile char *to = bss_start; to < (volatile char *)bss_end;) *to++ = 0;
#if JOB != NONE && JOB < LLVM_BUFFER
  profrt_start();
#endif
  sum = subject(ROUNDS);
  sum += dump();
  stop();
}

#ifdef __arm__
__attribute__((section(".vectors"), used)) static void *const vectors[2] = {stack_top, reset};
#else
__asm__(".section .start, \"ax\"\nla sp, stack_top\nj reset\n.text");
#endif
