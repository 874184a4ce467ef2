// A name that leads to something the program has open is written to as it is; one that only looks so is the name of a file.
// profrt: flags -fprofile-instr-generate
// profrt: variant only-looks-so
// profrt: run LLVM_PROFILE_FILE=/dev/..$PWD/x.profraw main; LLVM_PROFILE_FILE=/proc/self/cwd/y.profraw main; LLVM_PROFILE_FILE=/dev/../$PWD/d/z.profraw main
// profrt: run LLVM_PROFILE_FILE=/proc/self/cwd/y.profraw main
// profrt: variant replaced-when-it-only-looks-so
// profrt: no-profile
// A new file takes the place of the old one, so that is whole at any time.
// profrt: ours for f in /dev/..$PWD/x /proc/self/cwd/x; do echo old > x; ln x old; LLVM_PROFILE_FILE=$f main; test "$(cat old)" = old && $PROFDATA show x > /dev/null || exit 1; rm x old; done
// profrt: variant open
// profrt: no-profile
// What the program has in its buffer comes behind the profile; LLVM's is overwritten by it.
// profrt: ours ln -s /proc/self/fd/1 link; for f in /dev/stdout /dev/fd/1 /proc/self/fd/1 link; do LLVM_PROFILE_FILE=$f main text > x; test "$(tail -c 5 x)" = text && head -c -5 x > y && $PROFDATA show y > /dev/null || exit 1; done; rm x y link
// profrt: ours for f in /dev/stdout /dev/fd/1; do echo old > x; LLVM_PROFILE_FILE=$f main >> x; test "$(head -c 4 x)" = old && tail -c +5 x > y && $PROFDATA show y > /dev/null || exit 1; done; rm x y
// profrt: ours LLVM_PROFILE_FILE=/dev/fd/3 main 3> x && mv x y && $PROFDATA show y > /dev/null && rm y
// Open for reading only: written at its end.
// profrt: ours : > x; LLVM_PROFILE_FILE=/dev/fd/3 main 3< x && $PROFDATA show x > /dev/null && rm x
// profrt: official LLVM_PROFILE_FILE=/dev/stdout main text > x; ! $PROFDATA show x 2> /dev/null && rm x
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc > 1)
    puts(argv[1]);
  return 0;
}
