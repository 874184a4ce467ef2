// LLVM's table of functions that read a function's values, and the nodes that LLVM's archive brings along.
// profrt: flags -fprofile-generate
// profrt: variant default
// profrt: variant own-heads
// profrt: cflags -mllvm -vp-static-alloc=false
// profrt: variant threads
// What threads count for themselves is in the sum.
// profrt: lflags -pthread
// profrt: run main threads
// profrt: variant nodes
// profrt: cflags -DNODES
#include "record.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  uint32_t (*Begin)(const Record *, uint8_t **);
  uint32_t (*HeaderSize)(uint32_t);
  void *(*First)(void *);
  uint32_t (*Values)(uint32_t, uint32_t);
  uint32_t (*Size)(void);
  Node *(*Pairs)(uint32_t, uint32_t, Pair *, Node *, uint32_t);
} Reader;
const Reader *lprofGetVPDataReader(void);
const Record *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);
#ifdef NODES
extern Node lprofValueProfNodes[1024];
const char *__llvm_profile_begin_vnodes(void), *__llvm_profile_end_vnodes(void);
#endif

typedef int (*op)(int);
static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int twice(int x) { return x * 2; }
static op volatile ops[] = {inc, dec, twice};
char from[64], to[64];

__attribute__((noinline)) static int work(int n, int x, size_t size) {
  for (int i = 0; i < n; i++) {
    x = ops[i % 3](x) & 7;
    x = ops[0](x);
  }
  memcpy(to, from, size);
  return n > 1000 ? ops[1](x) : x;
}
HIDE static int works(int n, int x) {
  for (int i = 0; i < n; i++)
    x = work(2, x, (size_t)(i % 4) + 1);
  return work(n, x, 3);
}

HIDE static int index_of(uint64_t value) {
  for (int i = 0; i < 3; i++)
    if ((uint64_t)ops[i] == value)
      return i;
  return -1;
}

// The record of `work` is the one with most sites.
HIDE static const Record *most(void) {
  const Record *best = __llvm_profile_begin_data();
  for (const Record *d = best; d < __llvm_profile_end_data(); d++)
    if (d->NumValueSites[0] > best->NumValueSites[0])
      best = d;
  return best;
}

HIDE static void show(const Reader *r, const Record *d) {
  uint8_t counts[KINDS][40], *arrays[KINDS];
  memset(counts, 0x2a, sizeof counts);
  for (int k = 0; k < KINDS; k++)
    arrays[k] = counts[k];
  uint32_t kinds = r->Begin(d, arrays);
  printf("kinds %u size %u.%u arrays %d\n", kinds, r->Size() / 10, r->Size() % 10, arrays[0] == counts[0]);
  for (uint32_t k = 0; k < KINDS; k++)
    for (uint32_t s = 0; s < d->NumValueSites[k]; s++) {
      uint32_t n = r->Values(k, s);
      printf(" kind %u site %u: %u %u", k, s, counts[k][s], n);
      Pair p[40];
      Node *next = NULL;
      for (uint32_t got = 0; got < n; got += 2) {
        next = r->Pairs(k, s, p + got, next, n - got < 2 ? n - got : 2);
        printf(next ? " more" : " end");
      }
      for (uint32_t i = 0; i < n; i++)
        printf(" %c%d*%d.%d", k ? 'n' : 'f', k ? (int)p[i].Value : index_of(p[i].Value), (int)(p[i].Count / 10), (int)(p[i].Count % 10));
      p[0].Value = 7;
      printf(" %d %d\n", n > 0 && r->Pairs(k, s, p, NULL, 0) != NULL, (int)p[0].Value);
    }
  printf("behind %d %d\n", counts[0][d->NumValueSites[0]], counts[1][d->NumValueSites[1]]);
}

HIDE static void *thread(void *unused) {
  works(30, 1);
  return NULL;
}

HIDE int main(int argc, char **argv) {
  const Reader *r = lprofGetVPDataReader();
  const Record *d = most();
  printf("%d %d\n", r == lprofGetVPDataReader(), (int)((char *)r->First(from) - from));
  for (uint32_t k = 0; k < 12; k++)
    printf("%u ", r->HeaderSize(k));
  printf("\n");
  show(r, d);
  printf("%d\n", works(20, argc));
  show(r, d);
  if (argc > 1) {
    // One after the other: the compiler's counters are not counted atomically, so their sums would differ from run to run.
    for (int i = 0; i < 3; i++) {
      pthread_t one;
      pthread_create(&one, NULL, thread, NULL);
      pthread_join(one, NULL);
    }
    show(r, d);
  }
  Record none = {0};
  uint8_t bytes[8] = {9, 9, 9, 9, 9, 9, 9, 9}, *arrays[KINDS] = {bytes, bytes};
  printf("none %u %u\n", r->Begin(&none, arrays), r->Size());
  none.NumValueSites[0] = 3;
  printf("no heads %u %u ", r->Begin(&none, arrays), r->Size());
  printf("%d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3]);
#ifdef NODES
  const char *nodes = (const char *)lprofValueProfNodes;
  printf("in pool %d end %d aligned %d\n", nodes >= __llvm_profile_begin_vnodes(),
         nodes + sizeof lprofValueProfNodes <= __llvm_profile_end_vnodes(), (uintptr_t)nodes % 16 == 0);
#endif
  return 0;
}
