// A class and its mock; templates whose instantiations have different bodies.
#pragma once
#include <type_traits>
#include <utility>
struct Clock {
  virtual ~Clock() = default;
  virtual long now() { return 7; }
  virtual bool late(long limit) const { return limit < 0 && calls > 1; }
  int calls = 0;
};
template <typename T> auto shown(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value > T(1) ? value : -value;
  } else if constexpr (std::is_pointer_v<T>) {
    if (!value)
      return 0l;
    return long(shown(*value));
  } else {
    long sum = 0;
    for (T at = 0; at < value; at++) sum += at;
    return sum;
  }
}
template <typename Base> struct Counting : Base {
  template <typename... Arguments> Counting(Arguments &&...all) : Base{std::forward<Arguments>(all)...} {}
  long now() override { return this->calls++ > 2 ? 0 : Base::now() + this->calls; }
};
template <typename Call> long times(int n, Call call) {
  long sum = 0;
  while (n-- > 0) sum += call(n);
  return sum;
}
inline long wait(Clock &clock, long until) {
  return times(4, [&](int n) { return clock.late(until) || n > 2 ? clock.now() : long(n); });
}
inline int only_in_one(int x) { return x > 1 || x < -1 ? x : 0; }
