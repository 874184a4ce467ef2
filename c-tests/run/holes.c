// Counters that nobody has counted with take no room on the disk, and read as zeros.
// profrt: flags -fprofile-instr-generate
// The optimizer would take seconds.
// profrt: cflags -O0
// profrt: variant plain
// profrt: run main 3
// profrt: ours [ $(($(stat -c %b default.profraw) * 512)) -lt $(($(stat -c %s default.profraw) / 2)) ]
// profrt: variant replaced
// The file of an earlier run has counts where this one has none.
// profrt: run main 3; main 7
// profrt: variant merged
// Where neither run has counted, and where only one has.
// profrt: run for f in 3 3 4; do LLVM_PROFILE_FILE=%m.profraw main $f; done
// profrt: skip files: the names differ
// profrt: ours [ $(($(stat -c %b *.profraw) * 512)) -lt $(($(stat -c %s *.profraw) / 2)) ]
#include <stdlib.h>

#define C1(n) case n: x += n ^ 5; break;
#define C8(n) C1(n) C1(n + 1) C1(n + 2) C1(n + 3) C1(n + 4) C1(n + 5) C1(n + 6) C1(n + 7)
#define C64(n) C8(n) C8(n + 8) C8(n + 16) C8(n + 24) C8(n + 32) C8(n + 40) C8(n + 48) C8(n + 56)
#define C512(n) C64(n) C64(n + 64) C64(n + 128) C64(n + 192) C64(n + 256) C64(n + 320) C64(n + 384) C64(n + 448)
// 1025 counters each.
#define F(name) __attribute__((noinline)) static int name(int x) { switch (x) { C512(0) C512(512) } return x; }
F(f0) F(f1) F(f2) F(f3) F(f4) F(f5) F(f6) F(f7)
static int (*const all[])(int) = {f0, f1, f2, f3, f4, f5, f6, f7};

int main(int argc, char **argv) {
  (void)argc;
  int sum = 0;
  for (int i = 0; i < 1024; i += 7)
    sum += all[atoi(argv[1])](i);
  return sum == 1;
}
