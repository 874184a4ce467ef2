// Virtual calls, inheritance, inline members, a function-local static.
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant vtables
// profrt: clang 19..
// profrt: flags -fprofile-generate -mllvm -enable-vtable-value-profiling
#include <cstdio>
#include <memory>

struct Shape {
  virtual ~Shape() {}
  virtual double area() const = 0;
  virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
};
struct Circle : Shape {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const override { return 3 * radius * radius; }
  const char *name() const override { return "circle"; }
};

__attribute__((noinline)) static double measure(const Shape &shape) {
  static int calls = 0;
  std::printf("%d %s\n", ++calls, shape.name());
  return shape.area();
}

int main() {
  double total = 0;
  for (int i = 0; i < 9; i++) {
    std::unique_ptr<Shape> shape;
    if (i % 3)
      shape.reset(new Square(i));
    else
      shape.reset(new Circle(i));
    total += measure(*shape);
  }
  std::printf("%g\n", total);
}
