// A program whose counters are on the pages of its file loads a library that has LLVM's runtime (libtool, for one, drops `-resource-dir` when it
// links a library): that begins no file anew which its process, or the parent of that, has begun.
// profrt: only-ours: the other side has LLVM's archive in both
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate
// profrt: cflags -w
// profrt: object main.o language.c
// profrt: object lib.o language.c -DLIBRARY=one -fPIC
// profrt: shared libone.so lib.o bare -u__llvm_profile_runtime {official}
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: program unmapped main.o -ldl -lpthread
// profrt: cov main
// profrt: variant pid
// It cannot map its own counters either, says so, and loses them.
// profrt: run for name in x%c-%p.profraw x%p%c.profraw; do rm -f x*; LLVM_PROFILE_FILE=$name main work=5 load=$BIN/libone.so call=7 work=6 2>told; test $? = 0 && grep -q 'Neither __llvm_profile_counter_bias' told && bash $SRC/counts.sh 'x*.profraw' work 11 || exit; rm told; done
// profrt: variant plain-name
// profrt: run LLVM_PROFILE_FILE=x%c.profraw main work=5 load=$BIN/libone.so call=7 work=6 2>told; test $? = 0 && rm told && bash $SRC/counts.sh 'x*.profraw' work 11
// profrt: variant killed
// profrt: run LLVM_PROFILE_FILE=x%c-%p.profraw main work=5 load=$BIN/libone.so call=7 work=6 kill 2>told; test $? = 137 && rm told && bash $SRC/counts.sh 'x*.profraw' work 11
// profrt: variant not-mapped
// Without %c both have all of theirs.
// profrt: run LLVM_PROFILE_FILE=x-%p.profraw unmapped work=5 write load=$BIN/libone.so call=7 work=6; bash $SRC/counts.sh 'x*.profraw' work 11 one 7
