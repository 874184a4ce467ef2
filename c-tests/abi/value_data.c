// The functions of the public header on value data: sizes, walks, serialising through a closure.
// profrt: flags -fprofile-instr-generate
// profrt: variant default
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t Value, Count; } Pair;
typedef struct { uint32_t TotalSize, NumValueKinds; } Data;
typedef struct { uint32_t Kind, NumValueSites; uint8_t SiteCountArray[1]; } Record;
typedef struct {
  const void *Record;
  uint32_t (*GetNumValueKinds)(const void *);
  uint32_t (*GetNumValueSites)(const void *, uint32_t);
  uint32_t (*GetNumValueData)(const void *, uint32_t);
  uint32_t (*GetNumValueDataForSite)(const void *, uint32_t, uint32_t);
  uint64_t (*RemapValueData)(uint32_t, uint64_t);
  void (*GetValueForSite)(const void *, Pair *, uint32_t, uint32_t);
  Data *(*AllocValueProfData)(size_t);
} Closure;

uint32_t getValueProfDataSize(Closure *);
uint32_t getValueProfRecordHeaderSize(uint32_t);
uint32_t getValueProfRecordSize(uint32_t, uint32_t);
uint32_t getValueProfRecordNumValueData(Record *);
Record *getFirstValueProfRecord(Data *);
Record *getValueProfRecordNext(Record *);
Pair *getValueProfRecordValueData(Record *);
Data *serializeValueProfDataFrom(Closure *, Data *);
void serializeValueProfRecordFrom(Record *, Closure *, uint32_t, uint32_t);
uint64_t InstrProfGetRangeRepValue(uint64_t);
unsigned InstrProfIsSingleValRange(uint64_t);
int InstProfClzll(unsigned long long);
int InstProfPopcountll(unsigned long long);

// Kind 0 has 3 sites with 1, 0 and 4 values; kind 1 has 9 sites with (site % 3) values each.
static uint32_t kinds(const void *r) { return 2; }
static uint32_t sites(const void *r, uint32_t k) { return k == 0 ? 3 : k == 1 ? 9 : 0; }
static uint32_t at(const void *r, uint32_t k, uint32_t s) { return k == 0 ? (s == 0 ? 1 : s == 1 ? 0 : 4) : s % 3; }
static uint32_t all(const void *r, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < sites(r, k); s++)
    n += at(r, k, s);
  return n;
}
static void get(const void *r, Pair *to, uint32_t k, uint32_t s) {
  for (uint32_t i = 0; i < at(r, k, s); i++)
    to[i] = (Pair){1000 * k + 10 * s + i, 7 * i + 1};
}
static Data *alloc(size_t n) { return calloc(1, n); }

int main(void) {
  Closure c = {"", kinds, sites, all, at, 0, get, alloc};
  printf("size %u\n", getValueProfDataSize(&c));
  for (uint32_t n = 0; n < 20; n++)
    printf("%u %u ", getValueProfRecordHeaderSize(n), getValueProfRecordSize(n, n / 2));
  Data *d = serializeValueProfDataFrom(&c, 0);
  printf("\n%u %u\n", d->TotalSize, d->NumValueKinds);
  Record *r = getFirstValueProfRecord(d);
  for (uint32_t k = 0; k < d->NumValueKinds; k++, r = getValueProfRecordNext(r)) {
    Pair *p = getValueProfRecordValueData(r);
    printf("kind %u sites %u pairs %u at %d:", r->Kind, r->NumValueSites, getValueProfRecordNumValueData(r),
           (int)((char *)p - (char *)d));
    for (uint32_t i = 0; i < getValueProfRecordNumValueData(r); i++)
      printf(" %lu:%lu", p[i].Value, p[i].Count);
    printf("\n");
  }
  printf("end %d\n", (int)((char *)r - (char *)d));
  Data *given = calloc(1, 1000);
  given->TotalSize = getValueProfDataSize(&c);
  printf("same %d\n", serializeValueProfDataFrom(&c, given) == given && memcmp(d, given, d->TotalSize) == 0);
  char one[500] = {0};
  serializeValueProfRecordFrom((Record *)one, &c, 1, 9);
  printf("record %u\n", getValueProfRecordNumValueData((Record *)one));
  for (uint64_t size = 0; size < 600; size++)
    printf("%lu%s ", InstrProfGetRangeRepValue(size), InstrProfIsSingleValRange(size) ? "" : "+");
  printf("\n%lu %u %d %d\n", InstrProfGetRangeRepValue(1ull << 40), InstrProfIsSingleValRange(1ull << 40),
         InstProfClzll(1ull << 40), InstProfPopcountll(0xf0f0ull));
  return 0;
}
