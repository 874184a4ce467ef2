// How programs with --coverage are linked, alone and with source-based coverage, also with LLVM's archive behind ours.
// profrt: flags --coverage
// profrt: run main; bash $SRC/show.sh
// profrt: run main 1; main 1 2; bash $SRC/show.sh
// profrt: no-profile
// profrt: variant plain
// profrt: variant static
// profrt: lflags -static
// profrt: variant static-pie
// profrt: cflags -fPIE
// profrt: lflags -static-pie
// profrt: variant no-pie
// profrt: cflags -fno-pie
// profrt: lflags -no-pie
// profrt: variant gold
// profrt: lflags -fuse-ld=gold
// profrt: variant lld
// profrt: lflags -fuse-ld=lld
// profrt: variant gc-sections
// profrt: lflags -Wl,--gc-sections
// profrt: variant exported
// profrt: lflags -rdynamic
// profrt: variant now
// profrt: lflags -Wl,-z,now,-z,relro
// profrt: variant threads
// profrt: cflags -fprofile-update=atomic -DTHREADS
// profrt: lflags -pthread
// profrt: variant official-behind
// profrt: program main main.o bare {resources}/lib/linux/libclang_rt.profile-x86_64.a {official}
// profrt: variant official-behind-a-library
// GNU ld has searched our archive before it finds the `fork` of the library.
// profrt: object part.o -DPART -DFORKS
// profrt: object main.o -DUSES_PART
// profrt: archive libpart.a part.o
// profrt: program main main.o bare {resources}/lib/linux/libclang_rt.profile-x86_64.a libpart.a {official}
// profrt: variant archive-of-objects
// An object file of an archive that nothing but `main` pulls.
// profrt: object part.o -DPART
// profrt: object main.o -DUSES_PART
// profrt: archive libpart.a part.o
// profrt: program main main.o libpart.a
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int part(int n);
#ifdef PART
int part(int n) {
#ifdef FORKS
  if (!fork())
    _exit(0);
  wait(NULL);
#endif
  return n > 1 ? n : -n;
}
#else

static void *counted(void *argument) {
  for (int i = 0; i < 1000; i++)
    if (i % 3)
      __asm__ volatile("");
  return argument;
}

int main(int argc, char **argv) {
#ifdef THREADS
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, counted, NULL);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
#endif
#ifdef USES_PART
  argc += part(argc);
#endif
  counted(argv);
  return argc < 0;
}
#endif
