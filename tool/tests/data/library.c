// A shared object with counters of its own.
int library(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i & 1 ? i : 2 * i;
  return sum;
}
