// Newer C++: fold expressions, if constexpr, structured bindings, variants, concepts, spaceship, consteval.
// profrt: variant cxx17-fe
// profrt: flags -std=c++17 -fprofile-instr-generate -fcoverage-mapping
// profrt: variant cxx17-ir
// profrt: flags -std=c++17 -fprofile-generate
// profrt: variant cxx20
// profrt: clang 16..
// profrt: flags -std=c++20 -fprofile-instr-generate -fcoverage-mapping
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <variant>

template <typename... T> auto sum(T... values) { return (0 + ... + values); }

template <typename T> const char *kind(T value) {
  if constexpr (sizeof(T) > 4)
    return value > 0 ? "large" : "large and none";
  else
    return "small";
}

static std::optional<int> half(int x) {
  if (x % 2)
    return {};
  return x / 2;
}

#if __cplusplus > 201703L
template <typename T>
concept Small = sizeof(T) < 4;
template <Small T> int size_class(T) { return 1; }
template <typename T> int size_class(T) { return 2; }
consteval int squared(int x) { return x * x; }
#endif

int main() {
  std::map<std::string, int> ages{{"ada", 36}, {"alan", 41}};
  int total = sum(1, 2, 3);
  for (auto &[name, age] : ages)
    total += name.size() > 3 ? age : -age;
  std::variant<int, std::string> either = 5;
  for (int i = 0; i < 4; i++) {
    total += half(i).value_or(100);
    if (i == 2)
      either = std::string("text");
    total += std::visit(
        [](auto &v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, int>)
            return v;
          else
            return (int)v.size();
        },
        either);
  }
#if __cplusplus > 201703L
  total += size_class('a') + size_class(1.0) + squared(3);
#endif
  std::printf("%d %s %s\n", total, kind(1), kind(2L));
}
