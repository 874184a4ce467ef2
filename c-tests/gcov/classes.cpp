// C++: templates, virtual functions, exceptions, lambdas, and the constructors and destructors of globals.
// profrt: no-profile
// profrt: flags --coverage
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main && main x; bash $SRC/show.sh
// profrt: variant plain
// profrt: variant no-exceptions
// profrt: cflags -fno-exceptions -DNO_EXCEPTIONS
// profrt: variant c++20
// profrt: cflags -std=c++20
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Global {
  int calls = 0;
  Global() { std::puts("constructed"); }
  ~Global() { std::printf("destroyed after %d calls\n", calls); }
} global;

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const { return 0; }
};
template <int N> struct Square : Shape {
  int area() const override {
    global.calls++;
    return N * N;
  }
};

static int argument_or(int n) { return n / 2; }

template <class T> T larger(T a, T b) { return a < b ? b : a; }

static int risky(int n) {
#ifndef NO_EXCEPTIONS
  if (n % 3 == 0)
    throw std::string("three");
#endif
  return n;
}

int main(int argc, char **) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square<2>>());
  shapes.push_back(std::make_unique<Square<3>>());
  shapes.push_back(std::make_unique<Shape>());
  int sum = 0;
  for (auto &shape : shapes)
    sum += shape->area();
  auto add = [&sum](int n) { sum += larger(n, argument_or(n)); };
  for (int i = 0; i < 7; i++) {
#ifndef NO_EXCEPTIONS
    try {
      add(risky(i));
    } catch (const std::string &) {
      sum--;
    }
#else
    add(risky(i));
#endif
  }
  std::printf("%d %d\n", sum, larger(argc, 1) > 0);
}
