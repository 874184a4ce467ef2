// Reports of `llvm-cov gcov` of each release, and what GCC reads in a file of its own version, from files of both runtimes. (GCC's gcov
// itself ends by a signal on some `.gcno` files of clang.)
// profrt: no-profile
// profrt: variant llvm-cov
// profrt: run bash $SRC/reports.sh 408* $COV gcov -b -c -f
// profrt: run bash $SRC/reports.sh B11* $COV gcov -b -c -f
// profrt: variant gcc
// profrt: needs gcov-dump-12: reads the files of its version
// profrt: run bash $SRC/reports.sh B22* gcov-dump-12 -l -r
int main(void) { return 0; }
