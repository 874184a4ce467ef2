// Profiles through a writer of the program, with and without values, with bounds of its own and a table of its own.
// profrt: run main whole out.profraw; rm default*.profraw
// profrt: run main bounds bounds.profraw; rm default*.profraw
// profrt: run main names names.profraw; rm default*.profraw
// profrt: run main bare x; od -An -vtu1 x | wc -w | sed 's/./&./g'; rm default*.profraw x
// profrt: run main refused x; rm default*.profraw x
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: run main doubled doubled.profraw; rm default*.profraw
// profrt: variant own-heads
// profrt: flags -fprofile-generate -mllvm -vp-static-alloc=false
// profrt: run main doubled doubled.profraw; rm default*.profraw
// profrt: variant many-sites
// profrt: flags -fprofile-generate
// profrt: cflags -DSITES=1
// profrt: variant too-many-sites
// profrt: differs sections, merge: a function with more sites than fit on the stack has no values; COMPATIBILITY: many sites
// profrt: flags -fprofile-generate
// profrt: cflags -DSITES=5 -O0
// profrt: ours main whole x && $PROFDATA show --all-functions --ic-targets x | grep -q 'Call Site Count: 5000' && rm default*.profraw x
// profrt: variant bytes
// profrt: flags -fprofile-generate -mllvm -pgo-function-entry-coverage
// profrt: variant mcdc
// profrt: clang 18..
// profrt: flags -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
// profrt: variant version
// profrt: clang 22..
// profrt: flags -fprofile-generate -mllvm -disable-vp
// profrt: run main version version.profraw; rm default*.profraw
// profrt: variant static
// profrt: flags -fprofile-generate
// profrt: lflags -static
// profrt: variant no-build-id
// profrt: flags -fprofile-instr-generate
// profrt: lflags -Wl,--build-id=none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const void *Data; size_t Size, Count; int Zeros; } Piece;
typedef struct Writer { uint32_t (*Write)(struct Writer *, Piece *, uint32_t); void *Context; } Writer;
typedef struct { uint64_t Value, Count; } Pair;
typedef struct {
  uint32_t (*Begin)(const void *, uint8_t **);
  uint32_t (*HeaderSize)(uint32_t);
  void *(*First)(void *);
  uint32_t (*Values)(uint32_t, uint32_t);
  uint32_t (*Size)(void);
  void *(*Pairs)(uint32_t, uint32_t, Pair *, void *, uint32_t);
} Reader;

Reader *lprofGetVPDataReader(void);
int lprofWriteData(Writer *, Reader *, int);

typedef const char *Bound;
Bound __llvm_profile_begin_data(void), __llvm_profile_end_data(void);
Bound __llvm_profile_begin_counters(void), __llvm_profile_end_counters(void);
Bound __llvm_profile_begin_names(void), __llvm_profile_end_names(void);
#if __clang_major__ < 18
int lprofWriteDataImpl(Writer *, Bound, Bound, Bound, Bound, Reader *, Bound, Bound, int);
#else
Bound __llvm_profile_begin_bitmap(void), __llvm_profile_end_bitmap(void);
Bound __llvm_profile_begin_vtables(void), __llvm_profile_end_vtables(void);
Bound __llvm_profile_begin_vtabnames(void), __llvm_profile_end_vtabnames(void);
uint64_t __llvm_profile_get_version(void);
int lprofWriteDataImpl(Writer *, Bound, Bound, Bound, Bound, Bound, Bound, Reader *, Bound, Bound, Bound, Bound, Bound,
                       Bound, int
#if __clang_major__ >= 22
                       , uint64_t
#endif
);
#endif

typedef int (*op)(int);
static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int twice(int x) { return x * 2; }
static op volatile ops[] = {inc, dec, twice};
char from[1024], to[1024];

// Sizes of its own for a site, more than are read at once.
__attribute__((noinline)) static void copy(size_t n) { memcpy(to, from, n); }
__attribute__((noinline)) static int work(int n, int x) {
  for (int i = 0; i < n; i++) {
    x = ops[i % 3](x) & 0xff;
    x = ops[0](x);
    copy((size_t)(i % 300));
  }
  return x;
}

#ifdef SITES
#define TEN(x) x x x x x x x x x x
#define THOUSAND TEN(TEN(TEN(x = ops[0](x);)))
__attribute__((noinline)) static int many(int x) {
  THOUSAND
#if SITES > 1
  THOUSAND THOUSAND THOUSAND THOUSAND
#endif
  return x;
}
#endif

__attribute__((no_profile_instrument_function)) static uint32_t to_file(Writer *w, Piece *p, uint32_t n) {
  static char zeros[10000];
  for (uint32_t i = 0; i < n; i++) {
    size_t len = p[i].Size * p[i].Count;
    if (!p[i].Data && !p[i].Zeros && len > 0 && len != (size_t)(__llvm_profile_end_names() - __llvm_profile_begin_names()))
      return 1;
    // A gap is for the names, which are the same in memory.
    fwrite(p[i].Data ? p[i].Data : p[i].Zeros ? zeros : __llvm_profile_begin_names(), 1, len, w->Context);
    if (!p[i].Data && !p[i].Zeros && len > 0)
      puts("gap");
  }
  return 0;
}

static Reader theirs;
__attribute__((no_profile_instrument_function)) static void *pairs(uint32_t k, uint32_t s, Pair *p, void *node, uint32_t n) {
  node = theirs.Pairs(k, s, p, node, n);
  for (uint32_t i = 0; i < n; i++)
    p[i].Count *= 2;
  return node;
}

static int refusals;
__attribute__((no_profile_instrument_function)) static uint32_t refuse(Writer *w, Piece *p, uint32_t n) {
  return refusals-- == 0;
}

__attribute__((no_profile_instrument_function)) int main(int argc, char **argv) {
  printf("%d\n", work(600, argc));
#ifdef SITES
  printf("%d\n", many(1));
#endif
  const char *what = argv[1];
  FILE *file = fopen(argv[2], "wb");
  Writer w = {to_file, file};
  Reader *reader = lprofGetVPDataReader();
  int result;
  if (!strcmp(what, "whole"))
    result = lprofWriteData(&w, reader, 0);
  else if (!strcmp(what, "bare"))
    result = lprofWriteData(&w, NULL, 0);
  else if (!strcmp(what, "names"))
    result = lprofWriteData(&w, reader, 1);
  else if (!strcmp(what, "doubled")) {
    theirs = *reader;
    Reader own = theirs;
    own.Pairs = pairs;
    result = lprofWriteData(&w, &own, 0);
  } else if (!strcmp(what, "refused")) {
    w.Write = refuse;
    result = lprofWriteData(&w, NULL, 0);
    refusals = 1;
    result = result * 10 + lprofWriteData(&w, reader, 0);
  } else {
    Bound d = __llvm_profile_begin_data(), de = __llvm_profile_end_data();
    Bound c = __llvm_profile_begin_counters(), ce = __llvm_profile_end_counters();
    Bound n = __llvm_profile_begin_names(), ne = __llvm_profile_end_names();
#if __clang_major__ < 18
    result = lprofWriteDataImpl(&w, d, de, c, ce, reader, n, ne, 0);
#else
    Bound b = __llvm_profile_begin_bitmap(), be = __llvm_profile_end_bitmap();
    Bound v = __llvm_profile_begin_vtables(), ve = __llvm_profile_end_vtables();
    Bound vn = __llvm_profile_begin_vtabnames(), vne = __llvm_profile_end_vtabnames();
#if __clang_major__ < 22
    result = lprofWriteDataImpl(&w, d, de, c, ce, b, be, reader, n, ne, v, ve, vn, vne, 0);
#else
    // With bit 58: the first counter of each function is that of its entry.
    uint64_t version = __llvm_profile_get_version() ^ (strcmp(what, "version") ? 0 : 1ull << 58);
    result = lprofWriteDataImpl(&w, d, de, c, ce, b, be, reader, n, ne, v, ve, vn, vne, 0, version);
#endif
#endif
  }
  printf("%s %d\n", what, result);
  fclose(file);
  return 0;
}
