// COMDAT functions and virtual calls under link-time optimisation.
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
// profrt: lflags -fuse-ld=lld
// profrt: variant full-ir
// profrt: flags -flto=full -fprofile-generate
// profrt: variant thin-fe
// profrt: clang 16..
// profrt: flags -flto=thin -fprofile-instr-generate -fcoverage-mapping
// profrt: variant thin-fe-14
// profrt: clang ..14
// profrt: flags -flto=thin -fprofile-instr-generate -fcoverage-mapping
// profrt: not merged profile: two records have the same counters, which LLVM's merge adds twice
// profrt: variant thin-vtables
// profrt: clang 19..
// profrt: flags -flto=thin -fprofile-generate -mllvm -enable-vtable-value-profiling
#include <cstdio>

struct Node {
  virtual int value() const { return 1; }
  virtual ~Node() = default;
};
template <int N> struct Times : Node {
  int value() const override { return N > 2 ? N : -N; }
};
inline int both(const Node &n) { return n.value() > 0 ? n.value() : 0; }
int second(const Node &n);

#ifdef SECOND
int second(const Node &n) { return both(n) + both(Times<7>()); }
#else
int main() {
  Node plain;
  Times<2> two;
  Times<5> five;
  int sum = 0;
  const Node *all[] = {&plain, &two, &five};
  for (const Node *n : all)
    sum += second(*n) + both(*n);
  std::printf("%d\n", sum);
}
#endif
