// Compiled for MSVC's libraries, which an SDK would bring, with as much of a C library as it needs; and for others.
typedef unsigned long long size_t;
typedef int (*Function)(void);
void *memcpy(void *to, const void *from, size_t len);
__declspec(noreturn) void exit(int code);
int atexit(void (*function)(void));

#ifdef _MSC_VER
#define UNCOUNTED __attribute__((no_profile_instrument_function))
Function _onexit(Function function);
UNCOUNTED int atexit(void (*function)(void)) { return _onexit((Function)function) ? 0 : -1; }

#pragma section(".CRT$XCA", read)
#pragma section(".CRT$XCZ", read)
__declspec(allocate(".CRT$XCA")) static Function first = 0;
__declspec(allocate(".CRT$XCZ")) static Function last = 0;

int main(void);
UNCOUNTED int start(void) {
  for (Function *function = &first + 1; function < &last; function++)
    if (*function)
      (*function)();
  exit(main());
}
#endif

__attribute__((noinline)) static int one(int x) { return x + 1; }
__attribute__((noinline)) static int two(int x) { return x * 2; }
static int (*volatile table[2])(int) = {one, two};
static char from[4096], to[4096];
static void handler(void) { table[0](7); }

int main(void) {
  int sum = 0;
  atexit(handler);
  for (int i = 0; i < 100; i++) {
    sum += table[i % 5 > 2 && i % 3](i);
    memcpy(to, from, (size_t)(i % 5 * 17));
  }
  return sum == 1;
}
