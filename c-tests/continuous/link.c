// Every linker and kind of image, both orders and the whole archive: killed, the file has every count.
// profrt: object main.o language.c
// profrt: cflags -w -ffunction-sections
// profrt: variant pie
// profrt: flags -fprofile-instr-generate -fPIE
// profrt: lflags -pie
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant no-pie
// profrt: flags -fprofile-instr-generate -fno-pie
// profrt: lflags -no-pie
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant static
// profrt: flags -fprofile-instr-generate
// profrt: lflags -static
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant static-pie
// profrt: flags -fprofile-instr-generate -fPIE
// profrt: lflags -static-pie
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant gc-bfd
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=bfd -Wl,--gc-sections
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant gold
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=gold
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant gc-gold
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=gold -Wl,--gc-sections
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant lld
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=lld
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant gc-lld
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant static-lld
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=lld -static
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant relro
// profrt: flags -fprofile-instr-generate
// profrt: lflags -Wl,-z,relro,-z,now
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant strip
// profrt: flags -fprofile-instr-generate
// profrt: lflags -s
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant ir-gc-lld
// profrt: flags -fprofile-generate
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant lto-bfd
// profrt: flags -fprofile-instr-generate -flto
// profrt: lflags -fuse-ld=bfd
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant lto-lld
// profrt: flags -fprofile-instr-generate -flto
// profrt: lflags -fuse-ld=lld -Wl,-T,{root}/linker-scripts/continuous.x
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant script-bfd
// profrt: flags -fprofile-instr-generate
// profrt: lflags -fuse-ld=bfd -Wl,-T,{root}/linker-scripts/continuous.x
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main main.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-gold
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: lflags -fuse-ld=gold
// profrt: program main main.o -ldl -lpthread
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-gc-lld
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections
// profrt: program main main.o -ldl -lpthread
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-static-pie
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation -fPIE
// profrt: lflags -static-pie
// profrt: program main main.o -ldl -lpthread
// profrt: differs header, sections: counters have pages of their own in the file; COMPATIBILITY: %c
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-archive-first
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's own weak bias is taken, so that nothing is mapped
// profrt: program main {resources}/lib/linux/libclang_rt.profile-x86_64.a main.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-whole-archive
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's own weak bias is taken, so that nothing is mapped
// profrt: program main main.o -Wl,--whole-archive {resources}/lib/linux/libclang_rt.profile-x86_64.a -Wl,--no-whole-archive -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant moved-whole-archive-first
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: only-ours: LLVM's own weak bias is taken, so that nothing is mapped
// profrt: program main -Wl,--whole-archive {resources}/lib/linux/libclang_rt.profile-x86_64.a -Wl,--no-whole-archive main.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant defect-13
// profrt: flags -fprofile-instr-generate -mllvm -runtime-counter-relocation
// profrt: program main -Wl,--whole-archive {resources}/lib/linux/libclang_rt.profile-x86_64.a -Wl,--no-whole-archive main.o -ldl -lpthread
// profrt: differs stderr, files, profile: LLVM's own weak bias is taken, so that nothing is mapped; COMPATIBILITY: bias
// profrt: no-profile official
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: ours bash $SRC/counts.sh a.profraw work 1000
// profrt: official ! bash $SRC/counts.sh a.profraw work 1000 >/dev/null 2>&1 && rm a.profraw
// profrt: variant whole-archive
// profrt: flags -fprofile-instr-generate
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: program main -Wl,--whole-archive {resources}/lib/linux/libclang_rt.profile-x86_64.a -Wl,--no-whole-archive main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 kill
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant object-first
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate
// profrt: program main {resources}/lib/linux/profrt-continuous.o main.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=1000 enabled 2>told; grep -q 'Warning: Continuous mode (%c) is not possible.*Link profrt-continuous.o behind' told && rm told
// profrt: run bash $SRC/counts.sh a.profraw work 1000
// profrt: variant no-padding-for-others
// profrt: flags -fprofile-instr-generate
// profrt: program main main.o -ldl -lpthread
// profrt: run main work=1
// profrt: variant mixed
// profrt: only-ours: what was compiled without the flag is not in LLVM's file
// profrt: flags -fprofile-instr-generate
// profrt: object main.o language.c -DLIBRARIES
// profrt: object one.o language.c -DLIBRARY=one -mllvm -runtime-counter-relocation
// profrt: object two.o language.c -DLIBRARY=two -Dcall=other
// profrt: program main main.o one.o two.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=10 one=20 two=30
// profrt: run bash $SRC/counts.sh a.profraw work 10 one 20 two 30
// profrt: variant address
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fsanitize=address
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 fork work=1 parent wait kill
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 1001
// profrt: variant thread
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fsanitize=thread
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 fork work=1 parent wait kill
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 1001
// profrt: variant undefined
// profrt: clang 19..
// profrt: only-ours: LLVM's runtime needs a flag of the compiler
// profrt: flags -fprofile-instr-generate -fsanitize=undefined
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: run=137 LLVM_PROFILE_FILE=a%c.profraw main work=1000 fork work=1 parent wait kill
// profrt: run bash $SRC/counts.sh 'a*.profraw' work 1001
