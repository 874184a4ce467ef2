// Value data into the sites of a function: what is the function's own, and what is not.
// profrt: flags -fprofile-generate
// profrt: variant good
// profrt: run main good
// profrt: variant live
// Into the live sites of this program: its values count twice in the profile.
// profrt: run main live
// profrt: variant by-kind
// profrt: no-profile
// profrt: ours main kinds && rm default*.profraw
// profrt: official ! main kinds && rm -f default*.profraw
// profrt: variant damaged
// profrt: no-profile
// profrt: ours main damaged && rm default*.profraw
// profrt: official ! main damaged && rm -f default*.profraw
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void lprofMergeValueProfData(void *, Record *);
Record *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);

static Record record;
static int wrong;

// Sites that have seen nothing. Always other ones: a site does not forget.
HIDE static Node **fresh(void) {
  static Node *heads[100][5];
  static int used;
  return heads[used++];
}

// The sites of the record as text, and fresh ones.
HIDE static void check(const char *what, const char *expected) {
  char text[1000] = "";
  size_t at = 0;
  for (int s = 0; s < 5; s++) {
    at += (size_t)sprintf(text + at, "|");
    for (Node *n = record.Values ? record.Values[s] : NULL; n; n = n->Next)
      at += (size_t)sprintf(text + at, "%d*%d%s", (int)n->Value, (int)n->Count, n->Next ? " " : "");
  }
  printf("%s: %s\n", what, text);
  if (expected && strcmp(text, expected)) {
    printf("  and not %s\n", expected);
    wrong = 1;
  }
  record.Values = fresh();
}

static uint64_t data[200];
static int at;
HIDE static void begin(uint32_t kinds) {
  memset(data, 0, sizeof data);
  data[0] = (uint64_t)kinds << 32;
  at = 1;
}
HIDE static void kind(uint32_t k, uint32_t sites, uint64_t counts) {
  data[at++] = k | (uint64_t)sites << 32;
  data[at++] = counts;
}
HIDE static void pair(uint64_t value, uint64_t count) {
  data[at++] = value;
  data[at++] = count;
}
HIDE static void merge(const char *what, uint32_t size, const char *expected) {
  uint32_t whole = (uint32_t)at * 8;
  size = size ? size : whole;
  memcpy(data, &size, 4);
  // Nothing may be read behind what is there: the next page is not.
  char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + 4096, 4096, PROT_NONE);
  uint32_t there = size < whole ? size : whole;
  char *copy = pages + 4096 - (there + 7) / 8 * 8;
  memcpy(copy, data, there);
  lprofMergeValueProfData(copy, &record);
  munmap(pages, 8192);
  check(what, expected);
}

HIDE static void good(void) {
  begin(2), kind(0, 2, 0x0201), pair(10, 5), pair(20, 6), pair(21, 7), kind(1, 3, 0x010001), pair(8, 1), pair(11, 9);
  merge("both kinds", 0, "|10*5|20*6 21*7|8*1||11*9");
  begin(2), kind(0, 2, 0x0201), pair(10, 5), pair(20, 6), pair(21, 7), kind(1, 3, 0x010001), pair(8, 1), pair(11, 9);
  record.Values = NULL;
  merge("no heads yet", 0, "|10*5|20*6 21*7|8*1||11*9");
  begin(1), kind(0, 2, 1), pair(10, 0);
  merge("seen no times", 0, "|||||");
  begin(1), kind(0, 2, 2), pair(10, 1), pair(10, 2);
  merge("one value twice", 0, "|10*3||||");
  begin(1), kind(0, 1, 0x01), pair(10, 1);
  merge("fewer sites", 0, "|10*1||||");
  begin(0);
  merge("no kinds", 0, "|||||");
  begin(1), kind(0, 2, 26);
  for (uint64_t i = 0; i < 26; i++)
    pair(i, i < 24 ? 3 : 4);
  merge("more than a site holds", 0, NULL);
}

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int (*volatile ops[])(int) = {inc, dec};
__attribute__((noinline)) static int work(int n, int x) {
  for (int i = 0; i < n; i++)
    x = ops[i % 3 == 0](x);
  return x;
}

HIDE static void live(void) {
  printf("%d\n", work(9, 1));
  begin(1), kind(0, 1, 2), pair((uint64_t)inc, 6), pair((uint64_t)dec, 3);
  data[0] |= (uint64_t)at * 8;
  for (Record *r = __llvm_profile_begin_data(); r < __llvm_profile_end_data(); r++)
    if (r->NumValueSites[0] > 0)
      lprofMergeValueProfData(data, r);
}

// A kind without a site before it, and what the function does not have.
HIDE static void kinds(void) {
  begin(1), kind(1, 3, 0x010001), pair(8, 1), pair(11, 9);
  merge("second kind only", 0, "|||8*1||11*9");
  begin(2), kind(0, 4, 0x01010101), pair(10, 1), pair(11, 2), pair(12, 3), pair(13, 4), kind(1, 1, 1), pair(14, 5);
  merge("more sites than there are", 0, "|10*1|11*2|14*5||");
  begin(2), kind(7, 2, 0x0101), pair(10, 1), pair(11, 2), kind(0, 1, 1), pair(12, 3);
  merge("a kind that is none", 0, "|12*3||||");
}

// What contradicts itself: nothing of it is taken.
HIDE static void damaged(void) {
  for (uint32_t size = 1; size < 56; size++) {
    begin(1), kind(0, 2, 0x0101), pair(10, 1), pair(11, 2);
    merge("cut short", size, "|||||");
  }
  begin(2), kind(0, 2, 0x0101), pair(10, 1), pair(11, 2);
  merge("one kind of two", 0, "|||||");
  begin(~0u), kind(0, 2, 0x0101), pair(10, 1), pair(11, 2);
  merge("kinds without end", 0, "|||||");
  begin(1), kind(0, ~0u, 0x0101), pair(10, 1), pair(11, 2);
  merge("sites without end", 0, "|||||");
  begin(1), kind(0, 2, 0x01ff), pair(10, 1), pair(11, 2);
  merge("pairs without end", 0, "|||||");
}

HIDE int main(int argc, char **argv) {
  record = (Record){.NumCounters = 1, .NumValueSites = {2, 3}, .Values = fresh()};
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "good"))
    good();
  else if (!strcmp(what, "live"))
    live();
  else if (!strcmp(what, "kinds"))
    kinds();
  else
    damaged();
  return wrong;
}
