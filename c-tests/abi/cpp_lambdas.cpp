// Lambdas, std::function, captured state, and algorithms that call them.
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

static std::function<int(int)> adder(int n) {
  return [n](int x) { return x > 4 ? x + n : x - n; };
}

int main() {
  std::vector<int> values{4, 8, 15, 16, 23, 42};
  int calls = 0;
  std::sort(values.begin(), values.end(), [&calls](int a, int b) { return ++calls, a % 7 < b % 7; });
  std::vector<std::function<int(int)>> steps{adder(1), adder(-5), [](int x) { return x * x; }};
  int sum = 0;
  for (int v : values)
    for (auto &step : steps)
      sum += step(v);
  auto generic = [](auto a, auto b) { return a < b ? a : b; };
  std::printf("%d %d %g\n", sum, generic(1, 2), generic(2.5, 1.5));
}
