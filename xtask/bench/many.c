// What `cargo xtask bench` measures dumps and merges of many counters with; linked with sections of generated records.
//
//     many dump FILE ROUNDS FILL        prints nanoseconds: the first dump, the medians of dumps and of write(2), and the page
//                                      faults of the first dump
//     many merge FILE ROUNDS FILL       prints nanoseconds: the write at exit, then the medians of adding counters in place, and of
//                                      reading a file of the profile's size and giving its name to a new one, which is what it
//                                      takes to have the old file or the new one at any time
//     many values FILE ROUNDS COUNT     the same after COUNT values were seen, 80 at each function
//     many now FILE ROUNDS FILL         writes in its course; prints the same
//     many values-now FILE ROUNDS COUNT
//     many again FILE ROUNDS FILL       dumps, then counts a little more and dumps again in each round; prints the nanoseconds of the
//                                      first dump, and the median of the others
//     many values-again FILE ROUNDS COUNT
//     many exit FILE 0 FILL             writes at exit, and no more
//
// FILL: which counters the program has counted with: `cold` every twentieth function, and there three of four; `full` all.
// The beginning and the end of what is counted (instructions, system calls) are writes to descriptor -1.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_profile_instrument_function, noinline))

void __llvm_profile_set_filename(const char *);
int __llvm_profile_write_file(void);
void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);

// The generated sections.
extern uint64_t many_counters[], many_counters_end[];
extern char many_records[];
extern const uint32_t many_functions;

PLAIN static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

PLAIN static long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

PLAIN static int ascending(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

PLAIN static long median(long *numbers, int count) {
  qsort(numbers, count, sizeof *numbers, ascending);
  return numbers[count / 2];
}

PLAIN static void fill(int full) {
  size_t each = (many_counters_end - many_counters) / many_functions;
  uint32_t random = 1;
  for (uint32_t f = 0; f < many_functions; f++) {
    random = random * 1664525u + 1013904223u;
    if (!full && (random >> 8) % 20)
      continue;
    for (size_t i = 0; i < each; i++)
      if (full || i % 4)
        many_counters[f * each + i] += f + i + 1;
  }
}

// Counts once more in every fiftieth function that has counted.
PLAIN static void fill_more(int full) {
  size_t each = (many_counters_end - many_counters) / many_functions;
  for (uint32_t f = 0; f < many_functions; f += full ? 50 : 1)
    // The second counter has counted where any has.
    if (many_counters[f * each + 1] && (full || f % 50 < 2))
      for (size_t i = 1; i < each; i++)
        many_counters[f * each + i] += i % 4 != 0;
}

PLAIN static void see(long count) {
  for (uint32_t f = 0; count > 0; f++)
    for (int site = 0; site < 5; site++)
      // Addresses in the program, as those of functions are.
      for (int value = 0; value < 16 && count > 0; value++, count--)
        __llvm_profile_instrument_target((uint64_t)many_records + value, many_records + 64 * (f % many_functions), site);
}

PLAIN static long dump(void) {
  write(-1, "begin", 5);
  long start = now();
  if (__llvm_profile_write_file())
    _exit(3);
  long time = now() - start;
  write(-1, "end", 3);
  return time;
}

// One write(2) of the file's bytes into a new file.
PLAIN static long one_write(const char *name, const char *bytes, size_t size) {
  char beside[4096];
  snprintf(beside, sizeof beside, "%s.beside", name);
  unlink(beside);
  long start = now();
  int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (size_t done = 0; done < size;) {
    ssize_t some = write(fd, bytes + done, size - done);
    if (some <= 0)
      _exit(6);
    done += some;
  }
  close(fd);
  long time = now() - start;
  unlink(beside);
  return time;
}

// Adds the counters to those of a file of the same size, through a shared mapping.
PLAIN static long add_in_place(const char *name) {
  size_t size = (char *)many_counters_end - (char *)many_counters;
  long start = now();
  int fd = open(name, O_RDWR);
  uint64_t *there = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (there == MAP_FAILED)
    _exit(7);
  for (size_t i = 0; i < size / 8; i++)
    there[i] += many_counters[i];
  munmap(there, size);
  close(fd);
  return now() - start;
}

// Reads a file and puts a new one in its place.
PLAIN static long replace(const char *name, char *bytes, size_t size) {
  char other[4096];
  snprintf(other, sizeof other, "%s.new", name);
  long start = now();
  int old = open(name, O_RDONLY), fd = open(other, O_WRONLY | O_CREAT | O_EXCL, 0666);
  // Takes a third off the write where the file system can.
  fallocate(fd, 0, 0, size);
  if (read(old, bytes, size) != (ssize_t)size || write(fd, bytes, size) != (ssize_t)size)
    _exit(8);
  close(fd);
  // A rename has ext4 write the new file to the disk at once; not all file systems can exchange.
  if (!syscall(SYS_renameat2, AT_FDCWD, other, AT_FDCWD, name, RENAME_EXCHANGE))
    unlink(other);
  else if (rename(other, name))
    _exit(9);
  close(old);
  return now() - start;
}

PLAIN static char *contents(const char *name, size_t *size) {
  struct stat file;
  if (stat(name, &file))
    _exit(4);
  char *bytes = malloc(file.st_size);
  int fd = open(name, O_RDONLY);
  for (size_t done = 0; done < (size_t)file.st_size;) {
    ssize_t some = read(fd, bytes + done, file.st_size - done);
    if (some <= 0)
      _exit(5);
    done += some;
  }
  close(fd);
  *size = file.st_size;
  return bytes;
}

// Gives the bytes of this program's profile a function with a counter, so that the compiler adds what each object has.
__attribute__((noinline)) void seen(void) { __asm__ volatile(""); }

static const char *name;
static int rounds;
static long begun, wrote;

PLAIN static void begin(void) {
  write(-1, "begin", 5);
  begun = now();
}

PLAIN static void report(void) {
  char beside[4096];
  snprintf(beside, sizeof beside, "%s.beside", name);
  int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  write(fd, many_counters, (char *)many_counters_end - (char *)many_counters);
  close(fd);
  long *adds = calloc(rounds + 1, sizeof *adds), *new = calloc(rounds + 1, sizeof *new);
  // Counters and records. Without rounds instructions are counted, and these are none of them.
  size_t size = (char *)many_counters_end - (char *)many_counters + 64 * (size_t)many_functions;
  char *bytes = rounds ? memset(malloc(size), 1, size) : 0;
  for (int i = 0; i < rounds; i++)
    adds[i] = add_in_place(beside);
  unlink(beside);
  for (int i = 0; i < rounds; i++) {
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    write(fd, bytes, size);
    close(fd);
    new[i] = replace(beside, bytes, size);
  }
  unlink(beside);
  printf("%ld %ld %ld\n", wrote, rounds ? median(adds, rounds) : 0, rounds ? median(new, rounds) : 0);
  fflush(stdout);
  _exit(0);
}

PLAIN static void end(void) {
  wrote = now() - begun;
  write(-1, "end", 3);
  if (begun)
    report();
}

// Exit handlers run last to first: this one after the runtime's, which is registered later.
PLAIN __attribute__((constructor(101))) static void early(void) { atexit(end); }

PLAIN static void dumps(void) {
  long *dumps = calloc(rounds + 1, sizeof *dumps), *writes = calloc(rounds + 1, sizeof *writes);
  long before = faults(), first = dump();
  before = faults() - before;
  for (int i = 0; i < rounds; i++) {
    size_t size;
    char *bytes = contents(name, &size);
    writes[i] = one_write(name, bytes, size);
    free(bytes);
    unlink(name);
    dumps[i] = dump();
  }
  printf("%ld %ld %ld %ld\n", first, rounds ? median(dumps, rounds) : 0, rounds ? median(writes, rounds) : 0, before);
  fflush(stdout);
  // The exit handler would write once more.
  _exit(0);
}

// A name to count the instructions of all dumps but the first by.
__attribute__((no_profile_instrument_function, noinline)) long dump_again(void) { return dump(); }

PLAIN static void dumps_again(int values, const char *detail) {
  long *dumps = calloc(rounds + 1, sizeof *dumps), first = dump();
  for (int i = 0; i < rounds; i++) {
    if (values)
      see(1000);
    else
      fill_more(!strcmp(detail, "full"));
    dumps[i] = dump_again();
  }
  printf("%ld %ld\n", first, median(dumps, rounds));
  fflush(stdout);
  _exit(0);
}

PLAIN int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  const char *what = argv[1];
  name = argv[2];
  rounds = atoi(argv[3]);
  seen();
  if (!strncmp(what, "values", 6))
    see(atol(argv[4]));
  else
    fill(!strcmp(argv[4], "full"));
  __llvm_profile_set_filename(name);
  if (!strcmp(what, "dump"))
    dumps();
  if (strstr(what, "now")) {
    wrote = dump();
    report();
  }
  if (strstr(what, "again"))
    dumps_again(what[0] == 'v', argv[4]);
  // Behind all other handlers.
  if (strcmp(what, "exit"))
    atexit(begin);
  return 0;
}
