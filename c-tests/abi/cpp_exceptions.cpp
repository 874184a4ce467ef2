// Exceptions through instrumented frames, destructors while unwinding, catch and rethrow.
// profrt: not merged sections: functions outside of the image are 0 after a merge
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
#include <cstdio>
#include <stdexcept>

struct Guard {
  int id;
  ~Guard() { std::printf("~%d\n", id); }
};

__attribute__((noinline)) static int risky(int n) {
  Guard guard{n};
  if (n == 3)
    throw std::runtime_error("three");
  if (n == 5)
    throw 5;
  return n;
}

__attribute__((noinline)) static int outer(int n) {
  try {
    return risky(n);
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return -1;
  } catch (...) {
    if (n == 5)
      throw;
    return -2;
  }
}

int main() {
  int sum = 0;
  for (int i = 0; i < 7; i++) {
    try {
      sum += outer(i);
    } catch (int n) {
      sum += 100 * n;
    }
  }
  std::printf("%d\n", sum);
}
