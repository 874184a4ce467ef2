// An object whose arrays of sites the compiler made, and one whose arrays are made at run time: from the first of those on, sites
// hold 255 values unless something else was asked for, and all sites of the image do.
// profrt: flags -fprofile-generate -w
// profrt: object main.o -DMAIN -mllvm -vp-counters-per-site=200
// profrt: object other.o -mllvm -vp-static-alloc=false
// profrt: variant plain
// profrt: variant said
// profrt: run for n in 24 5 254; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main; done
#define F(n) __attribute__((no_profile_instrument_function)) static int f##n(int x) { return x + n; }
#ifdef MAIN
#define R8(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) F(p##7)
R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8)
#define P8(p) f##p##0, f##p##1, f##p##2, f##p##3, f##p##4, f##p##5, f##p##6, f##p##7
static int (*volatile targets[64])(int) = {P8(1), P8(2), P8(3), P8(4), P8(5), P8(6), P8(7), P8(8)};

int other(int (*)(int));
__attribute__((noinline)) int before(int (*f)(int)) { return f(1); }
__attribute__((noinline)) int both(int (*f)(int)) { return f(2); }
__attribute__((noinline)) int behind(int (*f)(int)) { return f(3); }

static volatile int sink;
int main(void) {
  for (int i = 0; i < 64; i++)
    sink = before(targets[i]) + both(targets[i]);
  sink = other(targets[0]);
  for (int i = 0; i < 640; i++)
    sink = both(targets[i % 64]) + behind(targets[i % 64]);
  return 0;
}
#else
__attribute__((noinline)) int other(int (*f)(int)) { return f(1); }
#endif
