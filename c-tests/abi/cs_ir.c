// Context-sensitive IR instrumentation, after a first profile was used: bit 57 of the version word.
// profrt: prepare first -fprofile-generate
// profrt: flags -fprofile-use={first} -fcs-profile-generate -O2
// profrt: variant plain
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
#include <stdio.h>

__attribute__((noinline)) static int scan(const int *v, int n, int limit) {
  int hits = 0;
  for (int i = 0; i < n; i++)
    if (v[i] > limit)
      hits++;
  return hits;
}

int main(void) {
  int v[40];
  for (int i = 0; i < 40; i++)
    v[i] = i * 37 % 41;
  printf("%d %d\n", scan(v, 40, 5), scan(v, 20, 30));
  return 0;
}
