#include "mocks.h"
static Counting<Clock> *unused(bool make) { return make ? new Counting<Clock> : nullptr; }
long mocked(Clock &clock) {
  double half = 0.5;
  delete unused(false);
  return wait(clock, 2) + shown(3l) + long(shown(&half)) + times(2, [](int n) { return n ? 1l : 0l; });
}
#ifdef ALONE
int main() { Clock clock; return mocked(clock) < 0; }
#endif
