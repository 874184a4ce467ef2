// A profile through a writer in a program without libc: the call needs no more than the buffer calls. With value sites there
// must be something to ask for memory, which need not give any.
// profrt: only-ours: the official archive takes its memory, strings and streams from libc
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: cflags -fno-stack-protector
// profrt: program main main.o -static -nostdlib
// profrt: run main > x.profraw
// profrt: variant values
// profrt: flags -fprofile-generate
// profrt: cflags -fno-stack-protector -DVALUES
// profrt: program main main.o -static -nostdlib
// profrt: run main > x.profraw
// profrt: ours $PROFDATA show --function=work --ic-targets x.profraw | grep -q 'inc,.*5'; r=$?; exit $r
#include <stddef.h>
#include <stdint.h>

typedef struct { const void *Data; size_t Size, Count; int Zeros; } Piece;
typedef struct Writer { uint32_t (*Write)(struct Writer *, Piece *, uint32_t); void *Context; } Writer;
const void *lprofGetVPDataReader(void);
int lprofWriteData(Writer *, const void *, int);

int __llvm_profile_runtime;

__attribute__((no_profile_instrument_function)) static long call(long number, long a, const void *b, size_t c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

__attribute__((no_profile_instrument_function)) static uint32_t write_out(Writer *w, Piece *p, uint32_t n) {
  static const char zeros[512];
  for (uint32_t i = 0; i < n; i++)
    if (call(1, 1, p[i].Data ? p[i].Data : zeros, p[i].Size * p[i].Count) < 0)
      return 1;
  return 0;
}

#ifdef VALUES
__attribute__((no_profile_instrument_function)) void *mmap(void *a, size_t n, int p, int f, int fd, long o) { return (void *)-1; }
__attribute__((no_profile_instrument_function)) int munmap(void *a, size_t n) { return -1; }
__attribute__((no_profile_instrument_function)) int madvise(void *a, size_t n, int advice) { return -1; }
__attribute__((no_profile_instrument_function)) long sysconf(int name) { return -1; }
#endif

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int (*volatile ops[])(int) = {inc, dec};
__attribute__((noinline)) static int work(int n, int x) {
  for (int i = 0; i < n; i++)
    x = ops[i % 2](x);
  return x;
}

__attribute__((no_profile_instrument_function, force_align_arg_pointer)) void _start(void) {
  Writer w = {write_out, 0};
  int failed = work(10, 1) != 1 || lprofWriteData(&w, lprofGetVPDataReader(), 0) != 0;
  call(231, failed, 0, 0);
  __builtin_unreachable();
}
