// Threads that count while the system refuses memory, which they would use for cells: values that come later, when there is memory again, are
// counted.
// profrt: flags -fprofile-generate -w -pthread
// profrt: cflags -mllvm -vp-counters-per-site=0.5
// profrt: only-ours: LLVM's runtime loses counts of two threads
// profrt: run LLVM_PROFILE_FILE=x.profraw main 2>told && test ! -s told && $PROFDATA show --all-functions --ic-targets x.profraw >shown && test $(awk -F, '/^\t\[.*later_/ { sum += $3 } END { print sum }' shown) = 96000 && rm told shown
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define T(n) static int early_##n(int x) { return x + n; } static int later_##n(int x) { return x - n; }
T(0) T(1) T(2) T(3) T(4) T(5)
static int (*volatile early[])(int) = {early_0, early_1};
static int (*volatile later[])(int) = {later_0, later_1, later_2, later_3, later_4, later_5};

__attribute__((noinline)) static int shared(int i) { return early[i & 1](i); }
#define S(n) __attribute__((noinline)) static int site_##n(int i) { return later[i](i + n); }
S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11) S(12) S(13) S(14) S(15)
static int (*const sites[])(int) = {site_0, site_1, site_2,  site_3,  site_4,  site_5,  site_6,  site_7,
                                    site_8, site_9, site_10, site_11, site_12, site_13, site_14, site_15};

static void *work(void *unused) {
  for (int i = 0; i < 1000000; i++)
    shared(i);
  return NULL;
}

int main(void) {
  shared(0);
  shared(1);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  struct rlimit none, before;
  getrlimit(RLIMIT_AS, &before);
  none = before;
  none.rlim_cur = 4096;
  setrlimit(RLIMIT_AS, &none);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  setrlimit(RLIMIT_AS, &before);
  for (int round = 0; round < 1000; round++)
    for (int site = 0; site < 16; site++)
      for (int target = 0; target < 6; target++)
        sites[site](target);
  return 0;
}
