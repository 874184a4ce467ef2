// A library with counts of its own.
static int calls;
static void __attribute__((destructor)) at_end(void) {
  for (int i = 0; i < 5; i++)
    calls++;
}
__declspec(dllexport) int library(int n) {
  for (int i = 0; i < n; i++)
    calls += i % 2 ? 2 : 1;
  return calls;
}
