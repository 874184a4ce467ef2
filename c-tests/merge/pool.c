// %4m: four files, by the process's number; nothing is lost and nothing counted twice.
// profrt: variant runs
// profrt: flags -fprofile-instr-generate
// Numbers of processes may come in steps of two or four, so something else takes one now and then.
// profrt: run n=0; while test $n -lt 24 || test $(ls p*.profraw | wc -l) -lt 4 -a $n -lt 1000; do LLVM_PROFILE_FILE=p%4m.profraw main || exit; n=$((n+1)); test $((RANDOM % 2)) = 0 || (:); done; test $(ls p*.profraw | wc -l) = 4 && $PROFDATA merge p*.profraw -o x.profdata && $SRC/count.sh x.profdata main $n && rm p*.profraw x.profdata
// profrt: run LLVM_PROFILE_FILE=p%1m.profraw main
// profrt: variant with-process
// profrt: flags -fprofile-instr-generate
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=%p-%m.profraw main || exit; done
// profrt: variant directories
// profrt: flags -fprofile-instr-generate
// profrt: run for i in 1 2; do LLVM_PROFILE_FILE=a/b/%m.profraw main || exit; done
// profrt: variant compiled-in
// profrt: flags -fprofile-instr-generate=in/%2m.profraw
// profrt: run for i in $(seq 8); do main || exit; done; $PROFDATA merge in/* -o x.profdata && $SRC/count.sh x.profdata main 8 && rm -r in x.profdata
// profrt: run LLVM_PROFILE_FILE=x%m.profraw main
// profrt: variant default-of-pgo
// profrt: flags -fprofile-generate
// profrt: run for i in 1 2 3; do main || exit; done
int main(void) { return 0; }
