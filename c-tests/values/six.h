// Six functions and whatever else `MORE` says, to be called indirectly.
static int a(int x) { return x + 1; }
static int b(int x) { return x + 2; }
static int c(int x) { return x + 3; }
static int d(int x) { return x + 4; }
static int e(int x) { return x + 5; }
static int f(int x) { return x + 6; }
#ifndef MORE
#define MORE
#endif
static int (*volatile ops[])(int) = {a, b, c, d, e, f, MORE};
