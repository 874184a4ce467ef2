// The buffer in front of a writer: which pieces reach the writer when, and what stands in a stream in the end.
// profrt: flags -fprofile-instr-generate
// profrt: variant writer
// profrt: run main
// profrt: variant stream
// profrt: run main x; od -An -tx1 x; rm x
// profrt: variant binary-id
// The pieces of the entry of a binary id.
// profrt: clang 19..
// profrt: run main
// profrt: cflags -DBINARY_ID
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct { const void *Data; size_t Size, Count; int Zeros; } Piece;
typedef struct Writer { uint32_t (*Write)(struct Writer *, Piece *, uint32_t); void *Context; } Writer;
typedef struct { Writer *Writer; uint32_t Own; uint8_t *Buffer; uint32_t Size, Used; } BufferIO;

BufferIO *lprofCreateBufferIO(Writer *), *lprofCreateBufferIOInternal(void *, uint32_t);
int lprofBufferIOWrite(BufferIO *, const uint8_t *, uint32_t), lprofBufferIOFlush(BufferIO *);
void lprofDeleteBufferIO(BufferIO *);

// Numbers digit by digit: those of three and more are not compared.
static void number(unsigned long n) {
  if (n > 9)
    number(n / 10);
  printf("%s%lu", n > 9 ? "." : "", n % 10);
}

static int left = -1; // The writer refuses the call after so many.
static uint32_t record(Writer *w, Piece *p, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    unsigned sum = 0;
    for (size_t j = 0; p[i].Data && j < p[i].Size * p[i].Count; j++)
      sum = sum * 31 + ((const uint8_t *)p[i].Data)[j];
    printf(" [%s%s", p[i].Data ? "" : "null ", p[i].Zeros ? "zeros " : "");
    number(p[i].Size * p[i].Count);
    printf(" sum ");
    number(sum);
    printf("]");
  }
  return left-- == 0;
}

static uint8_t data[20000];
static void put(BufferIO *io, const uint8_t *from, uint32_t n) {
  int result = lprofBufferIOWrite(io, from, n);
  printf(" write %d used ", result);
  number(io->Used);
  printf("\n");
}
static void flush(BufferIO *io) {
  int result = lprofBufferIOFlush(io);
  printf(" flush %d used ", result);
  number(io->Used);
  printf("\n");
}

static void to_writer(void) {
  Writer w = {record, 0};
  BufferIO *io = lprofCreateBufferIO(&w);
  printf("%d %d %d ", io->Writer == &w, io->Own, io->Used);
  number(io->Size);
  printf("\n");
  static const int sizes[] = {0, -1, 5, 3, -1, -1, 8192, 1, -1, 8000, 192, 1, -1, 8193, 4, 9000, -1, 8191, 1, 0, -1};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    sizes[i] < 0 ? flush(io) : put(io, data + i, (uint32_t)sizes[i]);
  put(io, 0, 9000);
  flush(io);
  // What the writer refuses stays in the buffer; what has not got there is lost.
  left = 0, put(io, data, 9000);
  flush(io);
  put(io, data, 4);
  left = 0, flush(io);
  flush(io);
  put(io, data, 8190);
  left = 0, put(io, data, 6);
  put(io, data, 2);
  flush(io);
  lprofDeleteBufferIO(io);
  put(io = lprofCreateBufferIO(&w), data, 1);
  flush(io);
}

static void to_stream(const char *name) {
  FILE *f = fopen(name, "w+");
  BufferIO *io = lprofCreateBufferIOInternal(f, 16);
  printf("%d %d %d %d\n", io->Writer->Context == f, io->Own, io->Size, io->Used);
  for (int i = 0; i < 4; i++)
    put(io, data, 5);
  put(io, data, 17);
  put(io, 0, 20);
  put(io, data, 2);
  flush(io);
  Piece pieces[] = {{"ab", 1, 2, 0}, {0, 2, 3, 0}, {0, 1, 4, 1}, {"xyz", 3, 1, 1}, {"", 1, 0, 0}, {0, 0, 5, 1}};
  printf("%u", io->Writer->Write(io->Writer, pieces, 6));
  printf(" tell %ld\n", ftell(f));
  lprofDeleteBufferIO(io);
  fclose(f);
  // A large one; and a stream that cannot be written to.
  f = fopen("/dev/null", "r");
  io = lprofCreateBufferIOInternal(f, 100000);
  put(io, data, 20000);
  setvbuf(f, 0, _IONBF, 0);
  flush(io);
  lprofDeleteBufferIO(io);
  fclose(f);
}

#ifdef BINARY_ID
int lprofWriteOneBinaryId(Writer *, uint64_t, const uint8_t *, uint64_t);

// The number of pieces in a call, and all their bytes.
static uint32_t print(Writer *w, Piece *p, uint32_t n) {
  printf("%u:", n);
  for (uint32_t i = 0; i < n; i++)
    for (size_t j = 0; j < p[i].Size * p[i].Count; j++)
      printf(" %x", p[i].Data ? ((const uint8_t *)p[i].Data)[j] : p[i].Zeros ? 0 : 0xee);
  return left-- == 0;
}

int main(void) {
  Writer w = {print, 0};
  for (uint8_t n = 0; n < 20; n++)
    data[n] = n + 1;
  for (uint64_t n = 0; n < 20; n++)
    printf(" %d\n", lprofWriteOneBinaryId(&w, n, data, -n & 7));
  left = 0;
  printf(" %d\n", lprofWriteOneBinaryId(&w, 5, data, 3));
  return 0;
}
#else
int main(int argc, char **argv) {
  for (int i = 0; i < 20000; i++)
    data[i] = (uint8_t)(i % 251);
  if (argc > 1)
    to_stream(argv[1]);
  else
    to_writer();
  return 0;
}
#endif
