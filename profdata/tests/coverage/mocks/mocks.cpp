#include "mocks.h"
long mocked(Clock &clock);
namespace {
struct Mock : Clock {
  long now() override { calls += 2; return answer; }
  bool late(long limit) const override { return limit > answer || (limit == 0 && calls > 3); }
  long answer = 3;
};
struct Never final : Mock { bool late(long) const override { return false; } };
}
int main(int argc, char **) {
  Mock mock;
  Counting<Clock> clock;
  Counting<Mock> both;
  long sum = mocked(mock) + mocked(clock) + wait(both, 5) + shown(argc) + long(shown(0.5)) + shown((int *)nullptr);
  auto generic = [&](auto x) { if constexpr (sizeof(x) > 4) return x + sum; else return x ? 1 : 2; };
  if (argc > 5) { Never never; sum += never.late(3); }
  return generic(1) + generic(1l) + only_in_one(argc) < 0;
}
