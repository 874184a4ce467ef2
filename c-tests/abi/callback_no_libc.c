// A profile through a function of a program without libc: the call needs no more than the buffer calls.
// profrt: only-ours: LLVM's runtime has no such call
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: cflags -fno-stack-protector
// profrt: program main main.o -static -nostdlib
// profrt: run main > x.profraw
// profrt: variant values
// profrt: flags -fprofile-generate
// profrt: cflags -fno-stack-protector
// profrt: program main main.o -static -nostdlib
// profrt: run main > x.profraw
// profrt: ours $PROFDATA show --function=work --ic-targets x.profraw | grep -q 'inc,.*5'; r=$?; exit $r
#include <stddef.h>
#include <stdint.h>

int profrt_dump_callback(int (*)(void *, const void *, size_t), void *);

int __llvm_profile_runtime;

__attribute__((no_profile_instrument_function)) static long call(long number, long a, const void *b, size_t c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

__attribute__((no_profile_instrument_function)) static int write_out(void *context, const void *bytes, size_t size) {
  return call(1, 1, bytes, size) != (long)size;
}

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int (*volatile ops[])(int) = {inc, dec};
__attribute__((noinline)) static int work(int n, int x) {
  for (int i = 0; i < n; i++)
    x = ops[i % 2](x);
  return x;
}

__attribute__((no_profile_instrument_function, force_align_arg_pointer)) void _start(void) {
  int failed = work(10, 1) != 1 || profrt_dump_callback(write_out, NULL) != 0;
  call(231, failed, 0, 0);
  __builtin_unreachable();
}
