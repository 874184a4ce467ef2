// More values than the compiler reserved nodes for. LLVM's runtime drops those, with a warning each; ours keeps all.
// profrt: flags -fprofile-generate -w
// profrt: variant reserved
// profrt: cflags -mllvm -vp-counters-per-site=24
// profrt: variant allocated
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: variant scarce
// profrt: cflags -mllvm -vp-counters-per-site=0.1
// profrt: official LLVM_PROFILE_FILE=x.profraw main 2>/dev/null; rm -f x.profraw
// profrt: differs files, profile: LLVM drops what finds no node; COMPATIBILITY: memory
// profrt: no-profile official
// profrt: ours LLVM_PROFILE_FILE=x.profraw main 2>&1 | grep . && exit 1; test $($PROFDATA show --all-functions --ic-targets x.profraw | grep -c '^\s*\[ *[0-9]') = 3840
// profrt: ours $PROFDATA show --all-functions --ic-targets x.profraw | sed -n 's/.*, *\([0-9]*\) \].*/\1/p' | awk '{ s += $1 } END { exit s != 7680 }'
#define F(n) static int f##n(int x) { return x + n; }
#define R8(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) F(p##7)
R8(1) R8(2) R8(3)
#define P8(p) f##p##0, f##p##1, f##p##2, f##p##3, f##p##4, f##p##5, f##p##6, f##p##7
static int (*volatile targets[24])(int) = {P8(1), P8(2), P8(3)};

// 160 functions with a site each, at which 24 values are seen.
#define S(n) __attribute__((noinline)) static int s##n(int (*t)(int)) { return t(n) + n; }
#define S10(p) S(p##0) S(p##1) S(p##2) S(p##3) S(p##4) S(p##5) S(p##6) S(p##7) S(p##8) S(p##9)
#define N10(p) s##p##0, s##p##1, s##p##2, s##p##3, s##p##4, s##p##5, s##p##6, s##p##7, s##p##8, s##p##9
S10(1) S10(2) S10(3) S10(4) S10(5) S10(6) S10(7) S10(8) S10(9) S10(10) S10(11) S10(12) S10(13) S10(14) S10(15) S10(16)
static int (*const sites[])(int (*)(int)) = {N10(1), N10(2),  N10(3),  N10(4),  N10(5),  N10(6),  N10(7),  N10(8),
                                             N10(9), N10(10), N10(11), N10(12), N10(13), N10(14), N10(15), N10(16)};

static volatile int sink;
__attribute__((no_profile_instrument_function)) int main(void) {
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 24; i++)
      for (int s = 0; s < 160; s++)
        sink = sites[s](targets[(i + s) % 24]);
  return 0;
}
