// One of many translation units of a C++ program that share headers. Each uses a quarter of the inline functions, another one than its
// neighbors. The linker keeps one copy of their code and counters, and all copies of their names.
#include <cstdlib>
#include <utility>

namespace project::internal {
template <int N> struct RepeatedMessage {
  int value;
  int byte_size_of_elements(int count) const { return count > N % 7 ? value + count : value; }
  int merge_from_parsed_elements(int count) { return count & 1 ? value += count : value; }
  void clear_elements_and_unknown_fields(int count) { while (count-- > 0) value ^= count; }
  bool is_initialized_with_extensions() const { return value && value != N; }
};

template <int N> int use(int count) {
  RepeatedMessage<N> message{N};
  message.clear_elements_and_unknown_fields(count % 10);
  message.merge_from_parsed_elements(count);
  return message.byte_size_of_elements(count) + message.is_initialized_with_extensions();
}

template <int... N> int use_all(int count, std::integer_sequence<int, N...>) {
  constexpr int stride = 4;
  int all = 0, each[] = {use<stride * N + N / (UNIT + 1) % stride>(count)...};
  for (int one : each)
    all += one;
  return all;
}
} // namespace project::internal

// Counts differ from run to run.
static int used =
    project::internal::use_all(std::atoi(std::getenv("RUN")), std::make_integer_sequence<int, 512>());

#if UNIT == 0
int main() {}
#endif
