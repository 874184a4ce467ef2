// Places that are not plain files, and files that were there before.
// profrt: flags -fprofile-instr-generate
// profrt: variant replaces-old
// profrt: run echo not a profile > x.profraw; LLVM_PROFILE_FILE=x.profraw main
// profrt: variant replaces-longer
// profrt: run head -c 100000 /dev/zero > x.profraw; LLVM_PROFILE_FILE=x.profraw main
// profrt: variant follows-link
// profrt: run ln -s target.profraw x.profraw; LLVM_PROFILE_FILE=x.profraw main; test -L x.profraw && test -f target.profraw
// profrt: variant follows-link-to-old
// profrt: run mkdir d; LLVM_PROFILE_FILE=d/t.profraw main; ln -s d/t.profraw x.profraw; LLVM_PROFILE_FILE=x.profraw main; test -L x.profraw
// profrt: variant keeps-mode
// That of a file of the same run.
// profrt: run export LLVM_PROFILE_FILE=x.profraw __LLVM_PROFILE_RT_INIT_ONCE=1; for mode in 600 666; do touch x.profraw; chmod $mode x.profraw; main; stat -c %a x.profraw; done
// profrt: variant keeps-hard-link
// profrt: run echo old > x.profraw; ln x.profraw y; LLVM_PROFILE_FILE=x.profraw main; rm y
// profrt: variant null-device
// profrt: no-profile
// profrt: run mknod null c 1 3 2>/dev/null || ln -s /dev/null null; LLVM_PROFILE_FILE=null main
// profrt: variant standard-output-file
// profrt: run ln -s /proc/self/fd/1 out; LLVM_PROFILE_FILE=out main > x.profraw
// profrt: variant standard-output-pipe
// profrt: clang ..17
// profrt: run ln -s /proc/self/fd/1 out; LLVM_PROFILE_FILE=out main | cat > x.profraw
// profrt: variant standard-output-pipe-new
// profrt: clang 18..
// profrt: differs stderr, files, profile: paddings are written, not skipped by seeking, which a pipe cannot; COMPATIBILITY: pipes
// profrt: no-profile official
// profrt: run ln -s /proc/self/fd/1 out; LLVM_PROFILE_FILE=out main | cat > x.profraw
// profrt: official ! $PROFDATA show x.profraw >/dev/null 2>&1 && rm x.profraw
// profrt: variant closed-descriptors
// profrt: run LLVM_PROFILE_FILE=x.profraw main 0<&- 1>&- 2>&-
// profrt: variant closed-output
// profrt: run LLVM_PROFILE_FILE=x.profraw main 1>&-
// profrt: variant odd-name
// profrt: run LLVM_PROFILE_FILE='a b"c'\''d.profraw' main
// profrt: variant dot-names
// profrt: run mkdir d; LLVM_PROFILE_FILE=./d/../d/./x.profraw main; LLVM_PROFILE_FILE=.profraw main
// profrt: variant double-slash
// profrt: run LLVM_PROFILE_FILE=d//e//x.profraw main
// profrt: variant trailing-slash
// profrt: run LLVM_PROFILE_FILE=d/e/ main
// profrt: no-profile
// profrt: variant utf8
// profrt: run LLVM_PROFILE_FILE=größe.profraw main
// profrt: variant long
// profrt: run LLVM_PROFILE_FILE=$(printf 'abcdefghi/%.0s' $(seq 60))x.profraw main
// profrt: variant many-variables
// profrt: run for i in $(seq 2000); do export V$i=$i; done; LLVM_PROFILE_FILE=x.profraw main
// profrt: variant little-memory
// profrt: run ulimit -v 20000; LLVM_PROFILE_FILE=d/x.profraw main
// profrt: variant small-stack
// profrt: run ulimit -s 64; LLVM_PROFILE_FILE=d/x.profraw main
// The kernel follows links and makes no directories on the way.
// profrt: variant link-into-missing-directory
// profrt: no-profile
// profrt: run ln -s gone/deep/t.profraw x.profraw; LLVM_PROFILE_FILE=x.profraw main; test ! -e gone
int main(int argc, char **argv) {
  (void)argv;
  return argc > 3;
}
