static int twice(int n) { return n > 2 ? 2 * n : n + n; }
static inline __attribute__((always_inline)) int shared_inline(int n) {
  for (int i = 0; i < 3; i++)
    n += i;
  return n;
}
