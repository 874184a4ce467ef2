// Templates and inline functions in two translation units: COMDAT records, one copy is counted.
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
#include <cstdio>
#include <string>
#include <vector>

template <typename T> T largest(const std::vector<T> &values) {
  T best = values[0];
  for (const T &value : values)
    if (best < value)
      best = value;
  return best;
}

inline int shared_by_both(int x) { return x > 2 ? x * 2 : x + 1; }

template <int N> struct Power {
  static long of(long base) { return base * Power<N - 1>::of(base); }
};
template <> struct Power<0> {
  static long of(long) { return 1; }
};

#ifdef SECOND
int second(int x) {
  std::vector<int> values{x, 5, 3};
  return largest(values) + shared_by_both(x) + (int)Power<3>::of(x);
}
#else
int second(int x);
int main() {
  std::vector<std::string> words{"pear", "apple", "plum"};
  std::printf("%s\n", largest(words).c_str());
  for (int i = 0; i < 5; i++)
    std::printf("%d %d\n", shared_by_both(i), second(i));
}
#endif
