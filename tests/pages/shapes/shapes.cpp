// What a page shows: templates, branches, decisions, macros, excluded lines.
#include "lib/clamp.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { if (!(x)) failures++; } while (0)
static int failures;

template <class T> T clamp(T value, T low, T high) {
  if (value < low)
    return low;
  if (value > high)
    return high;
  return value;
}

/* Decides over an access: an administrator may do everything,
   an owner what is open. "Naïve", as all examples. */
bool allowed(bool admin, bool owner, bool open) {
  return admin || (owner && open);
}

int classify(int n) {
  const char *name = "wörld 😀"; if (n < 0 && name[0]) return -1;
  if (n == 0) {
    return 0;
  } else if (n > 100) {
    return 2;
  }
  return n % 2 ? 1 : 3;
}

void unused(std::vector<int> &numbers) {
  for (auto &number : numbers) {
    if (number)
      number++;
  }
}

int answer(int question) {
  if (question == 6 * 9)
    std::abort(); // LCOV_EXCL_LINE
  if (question < 0)
    return 42;
  return question;
}

int main(int argc, char **) {
  std::printf("%d %.1f %c\n", clamp(-3, 1, 2), rounded(clamp(0.5, 0.0, 1.0)), clamp('x', 'a', 'b'));
  CHECK(allowed(true, false, false));
  CHECK(allowed(false, true, true));
  CHECK(!allowed(false, false, true));
  for (int i = 0; i < 120000; i++)
    classify(i % 50);
  if (argc > 1)
    failures += answer(0);
  CHECK(answer(1) == 1);
  return failures;
}
