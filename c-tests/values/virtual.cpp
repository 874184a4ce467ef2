// Virtual calls: several bases, virtual bases, calls in constructors, vtables of templates and of unnamed namespaces.
// profrt: flags -fprofile-generate -w
// profrt: variant targets
// profrt: variant optimised
// profrt: flags -O2
// profrt: variant vtables
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling
// profrt: variant vtables-roomy
// profrt: clang 19..
// profrt: flags -O2 -mllvm -enable-vtable-value-profiling -mllvm -vp-counters-per-site=30
// profrt: variant vtables-allocated
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling -mllvm -vp-static-alloc=false
// profrt: variant vtables-lld
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling
// profrt: lflags -fuse-ld=lld
// profrt: variant vtables-limited
// profrt: clang 19..
// profrt: flags -mllvm -enable-vtable-value-profiling
// profrt: run for n in 1 2 3; do LLVM_PROFILE_FILE=$n.profraw LLVM_VP_MAX_NUM_VALS_PER_SITE=$n main; done
struct Base {
  Base() { early(); }
  virtual ~Base() {}
  virtual int value(int x) const { return x; }
  __attribute__((noinline)) void early() const { seen += value(1); }
  static int seen;
};
int Base::seen;
struct Other {
  virtual ~Other() {}
  virtual int other(int x) const { return x + 1; }
};
struct Both : Base, Other {
  int value(int x) const override { return x + 2; }
  int other(int x) const override { return x + 3; }
};
struct Shared : virtual Base {
  int value(int x) const override { return x + 4; }
};
struct Diamond : Shared, virtual Base, Other {
  int value(int x) const override { return x + 5; }
};
template <int N> struct Number : Base {
  int value(int x) const override { return x * N; }
};
namespace {
struct Hidden final : Base {
  int value(int x) const override { return -x; }
};
} // namespace

__attribute__((noinline)) static int call(const Base *b, int x) { return b->value(x); }
__attribute__((noinline)) static int call(const Other *o, int x) { return o->other(x); }
__attribute__((noinline)) static int member(const Base *b, int (Base::*m)(int) const, int x) { return (b->*m)(x); }

int main() {
  Base base;
  Both both;
  Shared shared;
  Diamond diamond;
  Number<1> one;
  Number<2> two;
  Number<3> three;
  Hidden hidden;
  Other other;
  const Base *bases[] = {&base, &both, &shared, &diamond, &one, &two, &three, &hidden};
  const Other *others[] = {&other, &both, &diamond};
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    sum += call(bases[i * i % 8], i) + call(others[i % 3], i);
    sum += member(bases[i % 5], &Base::value, i);
  }
  volatile int sink = sum + Base::seen;
  return 0;
}
