// Functions in a header that two object files include: each object file has a .gcda file of its own.
// profrt: no-profile
// profrt: flags --coverage
// profrt: object main.o
// profrt: object other.o -DOTHER
// profrt: object third.o -DTHIRD
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main; bash $SRC/show.sh
// profrt: variant plain
// profrt: variant twice
// profrt: run export GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99; main; main; bash $SRC/show.sh
// profrt: variant gc-sections
// profrt: flags -ffunction-sections -fdata-sections
// profrt: lflags -Wl,--gc-sections
// profrt: variant old-version
// profrt: cflags -Xclang -coverage-version=402*
#include "headers.h"

#if defined(OTHER)
int other(int n) { return twice(n) + shared_inline(n); }
#elif defined(THIRD)
int third_is_never_called(int n) { return twice(n); }
int data = 3;
#else
int other(int n);
int main(void) { return other(3) + shared_inline(2) + twice(1) == 0; }
#endif
