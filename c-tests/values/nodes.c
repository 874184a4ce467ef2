// Where nodes come from: a limit on those that are mapped, the line that says so, and more of them from the linker.
// profrt: flags -fprofile-generate -mllvm -vp-counters-per-site=0.01
// profrt: only-ours: the official archive has neither limit nor count, and says it for every value
// profrt: variant limited
// The compiler reserves 10 nodes of 24 bytes, room for 5 of ours: 15 of 20 values find none, and each is called 5 times.
// profrt: ours PROFRT_MAX_VALUE_NODES=0 LLVM_PROFILE_FILE=x.profraw main 2>err; cat err; test $(wc -l <err) = 1 && grep -q '^LLVM Profile Warning: 75 values were not counted: PROFRT_MAX_VALUE_NODES' err && rm err
// profrt: variant unlimited
// profrt: ours LLVM_PROFILE_FILE=x.profraw main 2>err; test ! -s err && rm err
// profrt: variant from-the-linker
// profrt: lflags -Wl,-T,{root}/linker-scripts/value-nodes.x -Wl,--defsym=profrt_value_nodes=15
// profrt: ours PROFRT_MAX_VALUE_NODES=0 LLVM_PROFILE_FILE=x.profraw main 2>err; test ! -s err && rm err
// profrt: variant not-a-number
// profrt: ours PROFRT_MAX_VALUE_NODES=some LLVM_PROFILE_FILE=x.profraw main 2>err; grep -q 'PROFRT_MAX_VALUE_NODES is ignored' err && rm err
// profrt: variant no-memory
// Neither for nodes nor for the arrays of sites that are made at run time.
// profrt: cflags -mllvm -vp-static-alloc=false -DPOOR
// profrt: ours LLVM_PROFILE_FILE=x.profraw main 2>err; cat err; test $(wc -l <err) = 1 && grep -q '^LLVM Profile Warning: 100 values were not counted: the system gave no memory' err && rm err
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

uint64_t profrt_values_dropped(void);

#define F(n) __attribute__((noinline)) static int f##n(int x) { return x + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19)
static int (*volatile calls[])(int) = {f0,  f1,  f2,  f3,  f4,  f5,  f6,  f7,  f8,  f9,
                                       f10, f11, f12, f13, f14, f15, f16, f17, f18, f19};

int main(void) {
  int sum = 0;
#ifdef POOR
  struct rlimit all, none;
  getrlimit(RLIMIT_AS, &all);
  none = (struct rlimit){1, all.rlim_max};
  setrlimit(RLIMIT_AS, &none);
#endif
  for (int i = 0; i < 100; i++)
    sum += calls[i % 20](i);
#ifdef POOR
  setrlimit(RLIMIT_AS, &all);
#endif
  fprintf(stdout, "%d\n", sum);
  return profrt_values_dropped() > 100;
}
