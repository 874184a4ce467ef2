// The name leads no longer to the mapped file when the program ends: it was renamed, or its directory, or the program has another root. The counts
// are in the file, once, and nothing is created. One that was removed is created again.
// profrt: object main.o language.c
// profrt: lflags -ldl -lpthread
// profrt: cflags -w -mllvm -runtime-counter-relocation
// profrt: flags -fprofile-instr-generate
// profrt: skip header: LLVM's runtime has no paddings of pages on ELF
// profrt: variant renamed
// profrt: run LLVM_PROFILE_FILE=d/a%c.profraw main work=7 'system=mv d e' work=3; bash $SRC/counts.sh 'e/*' work 10
// profrt: run LLVM_PROFILE_FILE=f/a%c.profraw main work=7 'system=mv f/a.profraw b.profraw' work=3; bash $SRC/counts.sh b.profraw work 10; rmdir f
// Another file has the name.
// profrt: run LLVM_PROFILE_FILE=g/a%c.profraw main work=7 'system=mv g h; cp -r h g' work=3; bash $SRC/counts.sh h/a.profraw work 10 && bash $SRC/counts.sh g/a.profraw work 7
// profrt: variant renamed-closed
// profrt: run LLVM_PROFILE_FILE=d/a%c.profraw main work=7 replace_descriptors 'system=mv d e' work=3; bash $SRC/counts.sh 'e/*' work 10
// profrt: variant root
// profrt: needs root: changes the root
// profrt: run mkdir jail; LLVM_PROFILE_FILE=d/a%c.profraw main work=7 chroot=jail work=3; bash $SRC/counts.sh 'd/*' work 10 && rmdir jail
// The jail has the directory, too.
// profrt: run mkdir -p jail$PWD/e; LLVM_PROFILE_FILE=e/a%c.profraw main work=7 chroot=jail work=3; bash $SRC/counts.sh 'e/*' work 10 && rmdir -p jail$PWD/e
// profrt: variant root-closed
// profrt: needs root: changes the root
// profrt: run mkdir jail; LLVM_PROFILE_FILE=d/a%c.profraw main work=7 replace_descriptors chroot=jail work=3; bash $SRC/counts.sh 'd/*' work 10 && rmdir jail
// profrt: variant values
// Values are not in the pages: one line says that they are lost.
// profrt: only-ours: LLVM's runtime has no values in this mode
// profrt: cflags -fno-profile-instr-generate -fprofile-generate
// profrt: run LLVM_PROFILE_FILE=d/a%c.profraw main work=7 values=5 'system=mv d e' work=3 2>told; bash $SRC/counts.sh 'e/*' work 10 && test $(wc -l <told) = 1 && grep -q 'Values were not written; all counters are in ".*/d/a.profraw"' told && test ! -e d && rm told
// profrt: variant removed
// profrt: only-ours: the counts are lost under LLVM's runtime
// profrt: run export LLVM_PROFILE_FILE=d/a%c.profraw; for close in '' replace_descriptors; do main work=7 ${close:+$close} remove=d/a.profraw work=3; bash $SRC/counts.sh 'd/*' work 10 && rm d/* || exit; done; main work=7 'system=rm -r d' work=3; bash $SRC/counts.sh 'd/*' work 10
// A directory has its name then.
// profrt: run LLVM_PROFILE_FILE=e/a%c.profraw main work=7 'system=rm e/a.profraw; mkdir e/a.profraw' work=3; rmdir e/a.profraw && bash $SRC/counts.sh 'e/*' work 10
// profrt: variant removed-named
// The same where files have names from the start.
// profrt: only-ours: the counts are lost under LLVM's runtime
// profrt: cflags -DNAMED
// profrt: run for d in d%c e%m%c; do LLVM_PROFILE_FILE=${d%%%*}/$d.profraw main work=7 "system=rm ${d%%%*}/*" work=3; test $(ls ${d%%%*} | wc -l) = 1 && bash $SRC/counts.sh "${d%%%*}/*" work 10 || exit; done
// profrt: variant child
// A child that has no file of its own, as a daemon that gave up its rights, counts into its parent's, wherever that is.
// profrt: needs root: changes users
// profrt: only-ours: LLVM's child asks for no file of its own
// profrt: run mkdir -m 755 d && LLVM_PROFILE_FILE=$PWD/d/a%c.profraw main work=5 user=65534 fork 'system=while test -e d/a.profraw; do sleep 0.05; done' work=10 parent 'fork' parent wait 2>told & while ! grep -q 'of its parent' told 2>/dev/null; do sleep 0.05; done; mv d/a.profraw b.profraw; wait; ! grep -q Error told && bash $SRC/counts.sh b.profraw work 15 && rm -r d told
