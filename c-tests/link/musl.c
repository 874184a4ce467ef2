// Another C library: nothing of ours needs glibc. musl's constructors get no arguments, and threads are not told from one.
// profrt: only-ours: LLVM's archive as Debian builds it needs functions of glibc
// profrt: needs musl-gcc: the C library musl
// profrt: clang 22
// profrt: flags -fprofile-generate
// profrt: cflags --target=x86_64-linux-musl -nostdlibinc -isystem /usr/include/x86_64-linux-musl
// profrt: variant static
// profrt: program main bare main.o -nostdlib -static -no-pie -L/usr/lib/x86_64-linux-musl -l:crt1.o -l:crti.o -Wl,-u,__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a -lc -l:crtn.o
// profrt: run LLVM_PROFILE_FILE=dir/named.profraw main; bash $SRC/../run/counts.sh one=1001 two=1000 dir/named.profraw
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=united-%m.profraw main; done; bash $SRC/../run/counts.sh one=3003 two=3000 united-*.profraw
// profrt: run $PROFDATA show --function=run --ic-targets dir/named.profraw > shown; grep -q 'one, *500 ]' shown && grep -q 'two, *500 ]' shown && rm shown
// profrt: variant dynamic
// profrt: program main bare main.o -nostdlib -pie -Wl,-dynamic-linker,/lib/ld-musl-x86_64.so.1 -L/usr/lib/x86_64-linux-musl -l:Scrt1.o -l:crti.o -Wl,-u,__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a -lc -l:crtn.o
// profrt: run LLVM_PROFILE_FILE=dir/named.profraw main; bash $SRC/../run/counts.sh one=1001 two=1000 dir/named.profraw
// profrt: run for i in 1 2 3; do LLVM_PROFILE_FILE=united-%m.profraw main; done; bash $SRC/../run/counts.sh one=3003 two=3000 united-*.profraw
// profrt: run $PROFDATA show --function=run --ic-targets dir/named.profraw > shown; grep -q 'one, *500 ]' shown && grep -q 'two, *500 ]' shown && rm shown
// profrt: variant without-proc
// The vector behind the environment is known without /proc, or the name would be ignored (before Linux 6.4 it is).
// profrt: needs root chroot: a directory without /proc
// profrt: program main bare main.o -nostdlib -static -no-pie -L/usr/lib/x86_64-linux-musl -l:crt1.o -l:crti.o -Wl,-u,__llvm_profile_runtime {resources}/lib/linux/libclang_rt.profile-x86_64.a -lc -l:crtn.o
// profrt: run mkdir root; cp $BIN/main root; LLVM_PROFILE_FILE=/named.profraw chroot root /main; rm root/main; [ -e root/named.profraw ] || ! printf '6.4\n%s\n' "$(uname -r)" | sort -CV
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int one(int x) { return x + 1; }
int two(int x) { return x * 2; }
static int (*volatile table[2])(int) = {one, two};

static void *run(void *unused) {
  long sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += table[i & 1](i);
  return (void *)sum;
}

int main(void) {
  void *sum;
  pthread_t thread;
  if (pthread_create(&thread, 0, run, 0) || pthread_join(thread, &sum))
    return 1;
  printf("%ld\n", (long)sum);
  fflush(stdout);
  pid_t child = fork();
  if (!child)
    return table[0](1);
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
