// What `cargo xtask bench` measures a dump with; linked with generated functions that `visit` calls.
//
//     dump FILE ROUNDS     prints the nanoseconds of a dump and of one write(2) of as many bytes, medians of the rounds
//
// The system calls of a dump stand between two writes to descriptor -1.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

void __llvm_profile_set_filename(const char *);
int __llvm_profile_write_file(void);
// Calls all generated functions.
void visit(void);

PLAIN static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

PLAIN static int ascending(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

PLAIN int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  int rounds = atoi(argv[2]);
  long *dumps = calloc(rounds, sizeof *dumps), *writes = calloc(rounds, sizeof *writes);
  visit();
  __llvm_profile_set_filename(argv[1]);
  for (int i = 0; i < rounds; i++) {
    unlink(argv[1]);
    write(-1, "begin", 5);
    long start = now();
    if (__llvm_profile_write_file())
      return 3;
    dumps[i] = now() - start;
    write(-1, "end", 3);

    struct stat file;
    if (stat(argv[1], &file))
      return 4;
    char *bytes = malloc(file.st_size), *beside = malloc(4096);
    int fd = open(argv[1], O_RDONLY);
    if (read(fd, bytes, file.st_size) != file.st_size)
      return 5;
    close(fd);
    snprintf(beside, 4096, "%s.beside", argv[1]);
    unlink(beside);
    start = now();
    fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (write(fd, bytes, file.st_size) != file.st_size)
      return 6;
    close(fd);
    writes[i] = now() - start;
    free(bytes);
    free(beside);
  }
  qsort(dumps, rounds, sizeof *dumps, ascending);
  qsort(writes, rounds, sizeof *writes, ascending);
  printf("%ld %ld\n", dumps[rounds / 2], writes[rounds / 2]);
  fflush(stdout);
  // The exit handler would write once more.
  _exit(0);
}
