/* A device in QEMU, by semihosting, or by the ports of QEMU's PC. */
#include "device.h"
#include "profrt.h"

#ifdef __x86_64__
static void out8(uint16_t port, uint8_t byte) { __asm__ volatile("outb %0, %1" ::"a"(byte), "Nd"(port)); }

void say(const char *text) {
  while (*text) out8(0xe9, (uint8_t)*text++);
}

_Noreturn void stop(int code) {
  /* QEMU's isa-debug-exit ends with twice this and one: 1 for 0. */
  for (;;) __asm__ volatile("outl %0, %1" ::"a"(code), "Nd"((uint16_t)0xf4));
}

/* The first serial line is the file of the test. */
static int serial(void *context, const void *bytes, size_t len) {
  for (size_t at = 0; at < len; at++) out8(*(uint16_t *)context, ((const uint8_t *)bytes)[at]);
  return 0;
}

static uint16_t first = 0x3f8, second = 0x2f8;
int dump_raw(void *unused) { return profrt_dump_callback(serial, &first); }
int dump_counters(void *unused) { return profrt_dump_counters_callback(serial, &second); }
#else
static long host(long operation, void *block) {
#if defined(__arm__)
  register long a __asm__("r0") = operation;
  register void *b __asm__("r1") = block;
  __asm__ volatile("bkpt #0xab" : "+r"(a) : "r"(b) : "memory");
#elif defined(__aarch64__)
  register long a __asm__("x0") = operation;
  register void *b __asm__("x1") = block;
  __asm__ volatile("hlt #0xf000" : "+r"(a) : "r"(b) : "memory");
#else
  register long a __asm__("a0") = operation;
  register void *b __asm__("a1") = block;
  __asm__ volatile(
      ".balign 16\n.option push\n.option norvc\nslli zero, zero, 0x1f\nebreak\nsrai zero, zero, 7\n.option pop"
      : "+r"(a)
      : "r"(b)
      : "memory");
#endif
  return a;
}

void say(const char *text) { host(4, (void *)text); }

_Noreturn void stop(int code) {
#ifdef __arm__
  /* 32-bit Arm's call knows success, and failure. */
  for (;;) host(0x18, (void *)(code == 0 ? 0x20026L : 0x20023L));
#else
  long block[2] = {0x20026, code};
  for (;;) host(sizeof(long) == 4 ? 0x20 : 0x18, block);
#endif
}

int dump_raw(void *unused) { return profrt_dump_semihosting("raw.profraw"); }
int dump_counters(void *unused) { return profrt_dump_counters_semihosting("counters.bin"); }
#endif

void say_number(const char *name, long number) {
  char text[24], *at = text + sizeof text;
  int negative = number < 0;
  unsigned long rest = negative ? -(unsigned long)number : (unsigned long)number;
  *--at = 0;
  *--at = '\n';
  do *--at = (char)('0' + rest % 10);
  while (rest /= 10);
  if (negative) *--at = '-';
  say(name);
  say(" ");
  say(at);
}

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* The first serial line of QEMU's machine; what it is on a board says the board's manual. */
void line(char byte) {
#if defined(__x86_64__)
  out8(first, (uint8_t)byte);
#elif defined(__aarch64__)
  REGISTER(0x09000000) = (uint8_t)byte; /* PL011 */
#elif defined(__riscv)
  *(volatile uint8_t *)0x10000000 = (uint8_t)byte; /* 16550 */
#elif defined(__ARM_ARCH_6M__)
  REGISTER(0x40002500) = 4; /* nRF51: on, and it may send */
  REGISTER(0x40002008) = 1;
  REGISTER(0x4000211c) = 0;
  REGISTER(0x4000251c) = (uint8_t)byte;
  while (REGISTER(0x4000211c) == 0) {
  }
#else
  REGISTER(0x40004010) = 16; /* CMSDK: divider, on */
  REGISTER(0x40004008) = 1;
  while (REGISTER(0x40004004) & 1) {
  }
  REGISTER(0x40004000) = (uint8_t)byte;
#endif
}

void print(const char *text) {
  while (*text) line(*text++);
}

#define PAINTED 1536
#define PAINT 0xa5

__attribute__((noinline)) long stack_of(int (*work)(void *), void *context, int *result) {
  uintptr_t here;
#if defined(__x86_64__)
  __asm__ volatile("movq %%rsp, %0" : "=r"(here));
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("mov %0, sp" : "=r"(here));
#else
  __asm__ volatile("mv %0, sp" : "=r"(here));
#endif
  for (uintptr_t at = here - PAINTED; at < here; at++) *(volatile uint8_t *)at = PAINT;
  *result = work(context);
  uintptr_t lowest = here - PAINTED;
  while (lowest < here && *(volatile uint8_t *)lowest == PAINT) lowest++;
  return (long)(here - lowest);
}

#ifdef __ARM_ARCH_6M__
// The processor has no division, and the firmware links no library of the compiler's: quotient and remainder in r0 and r1.
__attribute__((weak)) unsigned long long __aeabi_idivmod(int a, int b) {
  unsigned top = a < 0 ? 0u - (unsigned)a : (unsigned)a, bottom = b < 0 ? 0u - (unsigned)b : (unsigned)b;
  unsigned quotient = 0, rest = 0;
  for (int bit = 31; bit >= 0; bit--) {
    rest = rest << 1 | (top >> bit & 1);
    if (rest >= bottom) {
      rest -= bottom;
      quotient |= 1u << bit;
    }
  }
  if ((a < 0) != (b < 0)) quotient = 0u - quotient;
  if (a < 0) rest = 0u - rest;
  return (unsigned long long)rest << 32 | quotient;
}
#endif
