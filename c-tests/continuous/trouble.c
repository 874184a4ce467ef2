// What can go wrong is told with the path and the reason, and the profile is written at exit where that can be.
// profrt: only-ours: LLVM's runtime says nothing, or needs a flag of the compiler
// profrt: object main.o language.c
// profrt: program main main.o {resources}/lib/linux/profrt-continuous.o -ldl -lpthread
// profrt: cflags -w
// profrt: flags -fprofile-instr-generate
// profrt: variant file-in-use
// A program whose counters cannot be mapped, under the name of one that runs: a file of its own, and nobody waits.
// profrt: object plain.o bare language.c -fprofile-instr-generate -w
// profrt: program plain plain.o -ldl -lpthread
// profrt: run LLVM_PROFILE_FILE=a%c.profraw main work=3 'system=timeout 20 plain work=50 write work=500 2>told' work=1; rm told && test $(ls | wc -l) = 2 && bash $SRC/counts.sh a.profraw work 4 && bash $SRC/counts.sh a-1.profraw work 550
// profrt: variant no-directory
// profrt: no-profile
// profrt: run touch file; LLVM_PROFILE_FILE=file/a%c.profraw main work=3 enabled 2>told; grep -q 'Error: Continuous mode (%c) has failed, the profile is written when the program ends: ".*file/a.profraw": Not a directory' told && grep -q 'Failed to write file ".*file/a.profraw": Not a directory' told && rm told file
// profrt: variant proc
// profrt: no-profile
// profrt: run LLVM_PROFILE_FILE=/proc/a%c.profraw main work=3 2>told; grep -q 'Error: Continuous mode (%c) has failed.*"/proc/a.profraw": ' told && rm told
// profrt: variant device
// profrt: run LLVM_PROFILE_FILE=/dev/stdout%c main work=3 2>told | cat >a.profraw; grep -q 'Error: Continuous mode (%c) has failed.*"/dev/stdout": it is no regular file' told && bash $SRC/counts.sh a.profraw work 3 && rm told
// profrt: variant new-directories
// profrt: run=137 LLVM_PROFILE_FILE=d/e/a%c.profraw main work=3 kill
// profrt: run bash $SRC/counts.sh d/e/a.profraw work 3
// profrt: variant limit
// profrt: no-profile
// The file is larger than may be: told twice, and no signal.
// profrt: run ulimit -f 2; LLVM_PROFILE_FILE=a%c.profraw main work=3 2>told; grep -q 'Error: Continuous mode (%c) has failed.*a.profraw": File too large' told && rm told
// profrt: variant full-disk
// profrt: needs root mount: a file system of 8 KiB
// There is no room for pages, but for the profile.
// profrt: run mkdir d && mount -t tmpfs -o size=8k none d && { LLVM_PROFILE_FILE=d/a%c.profraw main work=3 2>told; cp d/a.profraw .; umount d; }; grep -q 'No space left on device' told && bash $SRC/counts.sh a.profraw work 3 && rm -r told d
// profrt: variant tmpfs
// profrt: needs root mount: a file system of its own
// profrt: run mkdir d && mount -t tmpfs none d && { LLVM_PROFILE_FILE=d/a%c.profraw main work=3 kill 2>/dev/null; cp d/a.profraw .; umount d; }; bash $SRC/counts.sh a.profraw work 3 && rm -r d
// profrt: variant link
// Written at exit, in place.
// profrt: run mkdir d; ln -s d/b.profraw a.profraw; LLVM_PROFILE_FILE=a%c.profraw main work=3 2>told; grep -q 'it is no regular file' told && rm told && test -L a.profraw && bash $SRC/counts.sh d/b.profraw work 3
// profrt: variant stream
// profrt: run exec 0<&- 2>&-; LLVM_PROFILE_FILE=a%c.profraw main work=3 kill; bash $SRC/counts.sh a.profraw work 3
// profrt: variant fork-fails
// profrt: run LLVM_PROFILE_FILE=d/a%c.profraw main work=10 'system=mv d e; touch d' fork work=100 parent wait work=1 2>told; grep -q 'Warning: This process counts into the file of its parent' told && bash $SRC/counts.sh e/a.profraw work 111 && rm told d
