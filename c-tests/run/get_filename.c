// Who owns the results of get_filename and get_path_prefix: the first is a copy from malloc, the second stays the runtime's.
// profrt: flags -fprofile-instr-generate
// profrt: lflags -lpthread
// profrt: cflags -w
// profrt: variant dynamic
// profrt: run main
// profrt: official rm -f default.profraw
// profrt: variant static
// profrt: lflags -static
// profrt: run main
// profrt: official rm -f default.profraw
// profrt: variant address
// (LLVM 14 to 19 do allocate the empty name under this sanitizer.)
// profrt: cflags -fsanitize=address -DNOT_EMPTY
// profrt: lflags -fsanitize=address
// LLVM gives nobody back the path prefix, which may be seen as a leak.
// profrt: run ASAN_OPTIONS=detect_leaks=0 main
// profrt: official rm -f default.profraw
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *__llvm_profile_get_filename(void), *__llvm_profile_get_path_prefix(void);
void __llvm_profile_set_filename(const char *);

static int wrong;

// Several threads count without atomics.
__attribute__((no_profile_instrument_function)) static void *ask(void *expected) {
  for (int i = 0; i < 2000; i++) {
    char *name = (char *)__llvm_profile_get_filename();
    if (strcmp(name, expected) || strcmp(__llvm_profile_get_path_prefix(), "some/directory/"))
      wrong = 1;
    free(name);
  }
  return NULL;
}

int main(void) {
  char *names[3];
  names[0] = (char *)__llvm_profile_get_filename();
  __llvm_profile_set_filename("first.profraw");
  names[1] = (char *)__llvm_profile_get_filename();
  __llvm_profile_set_filename("%h%%second.profraw");
  names[2] = (char *)__llvm_profile_get_filename();
  for (int i = 0; i < 3; i++) {
    char *end = strstr(names[i], "second");
    puts(end ? end : names[i]);
    strcpy(names[i], "ours");
    free(names[i]);
  }
#ifndef NOT_EMPTY
  __llvm_profile_set_filename("");
  printf("empty: \"%s\" %d\n", __llvm_profile_get_filename(), __llvm_profile_get_filename() == __llvm_profile_get_filename());
#endif
  char name[] = "some/directory/x.profraw";
  __llvm_profile_set_filename(name);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, ask, name);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  printf("threads %d\n", wrong);
  __llvm_profile_set_filename("last.profraw");
  return 0;
}
