// Buffers of programs with value sites. Each buffer ends where a page begins that nobody may touch. The steps are the arguments.
// profrt: only-ours: the official archive leaves the value data out, and readers refuse what it wrote
// profrt: flags -fprofile-generate
// A program that keeps the size, as it may with LLVM's runtime, while another part of it asks again.
// profrt: variant cached
// profrt: ours main calls=1 ask calls=8 ask write=first && $PROFDATA show --all-functions --ic-targets out.profraw | grep -q 'f0, *2 ]'
// profrt: ours main ask calls=8 ask write=first && $PROFDATA show --all-functions out.profraw >/dev/null
// All of a buffer of the size told last is written, too.
// profrt: ours main calls=1 ask calls=8 ask write=last && $PROFDATA show --all-functions out.profraw >/dev/null
// profrt: variant reset
// profrt: ours main calls=1 ask reset calls=8 ask write=first && $PROFDATA show --all-functions out.profraw >/dev/null
// profrt: ours main calls=8 ask reset write=first && $PROFDATA show --all-functions --ic-targets out.profraw | grep -q 'f7, *0 ]'
// A program that knows the size from elsewhere: the profile says that there are no sites.
// profrt: variant not-asked
// profrt: ours main calls=8 constant write=first && $PROFDATA show --function=use --counts out.profraw | grep -q 'Block counts: .8'
// profrt: ours main calls=8 constant write=first ask write=first && $PROFDATA show --all-functions out.profraw >/dev/null
// profrt: ours main calls=8 constant write=first ask write=last && $PROFDATA show --all-functions out.profraw >/dev/null
// profrt: variant internal
// profrt: ours main calls=8 ask=internal ask write=first && $PROFDATA show --all-functions out.profraw >/dev/null
// profrt: ours main calls=8 ask=internal ask write=last && $PROFDATA show --all-functions out.profraw >/dev/null
// A call that takes the length of the buffer writes what fits into it, whatever was told.
// profrt: variant length
// profrt: ours main calls=1 ask calls=8 whole && $PROFDATA show --all-functions --ic-targets out.profraw | grep -q 'f7, *1 ]'
// profrt: ours main calls=8 every-length && for part in part-*; do $PROFDATA show --all-functions $part >/dev/null || exit 1; done && rm part-*
// A null buffer has no room, whatever the length says.
// profrt: variant null
// profrt: ours main calls=8 null
// profrt: variant codes
// profrt: ours main calls=8 codes counters
// profrt: variant threads
// profrt: lflags -pthread
// profrt: ours main threads
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
void __llvm_profile_reset_counters(void);
/* As profrt.h declares them. */
enum { PROFRT_OK = 0, PROFRT_SINK = 6, PROFRT_FULL = 7 };
int profrt_check(void);
int profrt_write_buffer(void *buffer, size_t size, size_t *written, size_t *needed);
int profrt_dump_buffer(void *buffer, size_t size, size_t *written), profrt_counters_size(size_t *size);
int profrt_dump_counters_buffer(void *buffer, size_t size, size_t *written);
int profrt_dump_callback(int (*)(void *, const void *, size_t), void *), profrt_dump_counters_callback(int (*)(void *, const void *, size_t), void *);
int profrt_dump_frame(int (*)(void *, const void *, size_t), void *, uint32_t), profrt_dump_counters_frame(int (*)(void *, const void *, size_t), void *, uint32_t);

const char *__llvm_profile_begin_data(void), *__llvm_profile_end_data(void);
const char *__llvm_profile_begin_names(void), *__llvm_profile_end_names(void);
const char *__llvm_profile_begin_counters(void), *__llvm_profile_end_counters(void);
#if __clang_major__ > 18
uint64_t __llvm_profile_get_size_for_buffer_internal(const char *, const char *, const char *, const char *, const char *,
                                                     const char *, const char *, const char *, const char *, const char *,
                                                     const char *, const char *);
#define NOTHING(begin_or_end) , (begin_or_end), (begin_or_end)
#else
uint64_t __llvm_profile_get_size_for_buffer_internal(const char *, const char *, const char *, const char *, const char *,
                                                     const char *);
#define NOTHING(begin_or_end)
#endif

#define F(n) __attribute__((noinline)) static int f##n(int x) { return x + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
static int (*volatile calls[])(int) = {f0, f1, f2, f3, f4, f5, f6, f7};

__attribute__((noinline)) static int use(int i) { return calls[i % 8](i); }

enum { PAGE = 4096, ROOM = 64 * PAGE };

static char *guarded(size_t size) {
  char *pages = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || size > ROOM || mprotect(pages + ROOM, PAGE, PROT_NONE) != 0)
    exit(90);
  for (int i = 0; i < ROOM; i++)
    pages[i] = 0x5a;
  return pages + ROOM - size;
}

static void release(char *buffer, size_t size) { munmap(buffer + size - ROOM, ROOM + PAGE); }

static void save(const char *name, const char *bytes, size_t size) {
  FILE *file = fopen(name, "w");
  fwrite(bytes, 1, size, file);
  fclose(file);
}

static size_t needed(void) {
  size_t size = 0;
  if (profrt_write_buffer(NULL, 0, NULL, &size) != PROFRT_FULL)
    exit(91);
  return size;
}

/* What the official archive calls the size, everything but value data, is the least that makes a profile. */
static size_t constant(void) {
  size_t size = 0, written = 0;
  while (written == 0) {
    char *buffer = guarded(++size);
    profrt_write_buffer(buffer, size, &written, NULL);
    release(buffer, size);
  }
  return size;
}

static size_t internal(void) {
  const char *none = __llvm_profile_begin_names();
  (void)none;
  return __llvm_profile_get_size_for_buffer_internal(
      __llvm_profile_begin_data(), __llvm_profile_end_data(), __llvm_profile_begin_counters(),
      __llvm_profile_end_counters() NOTHING(none), __llvm_profile_begin_names(),
      __llvm_profile_end_names() NOTHING(none) NOTHING(none));
}

static void write_to(size_t size) {
  char *buffer = guarded(size);
  if (__llvm_profile_write_buffer(buffer) != 0)
    exit(92);
  /* No byte is left as it was: the last ones hold a name, a count, or zeros. */
  if (memcmp(buffer + size - 4, "\x5a\x5a\x5a\x5a", 4) == 0)
    exit(93);
  save("out.profraw", buffer, size);
  release(buffer, size);
}

static int refuse(void *context, const void *bytes, size_t len) { return 1; }

/* Nothing counts between the calls, so the size is exact. */
__attribute__((no_profile_instrument_function)) static int counters(char *buffer) {
  size_t size, written = 1;
  if (profrt_counters_size(&size) != PROFRT_OK || size > PAGE)
    return 1;
  if (profrt_dump_counters_buffer(buffer, size - 1, &written) != PROFRT_FULL || written != 0)
    return 2;
  return profrt_dump_counters_buffer(buffer, size, &written) != PROFRT_OK || written != size;
}

/* Each failure says why. */
static void codes(void) {
  size_t size = needed(), written = 1;
  char *buffer = guarded(size);
  if (profrt_check() != PROFRT_OK)
    exit(80);
  if (profrt_dump_buffer(buffer, size - 1, &written) != PROFRT_FULL || written != 0)
    exit(81);
  if (profrt_dump_buffer(buffer, size, &written) != PROFRT_OK || written != size)
    exit(82);
  if (profrt_dump_callback(refuse, NULL) != PROFRT_SINK || profrt_dump_counters_callback(refuse, NULL) != PROFRT_SINK)
    exit(83);
  if (profrt_dump_frame(refuse, NULL, 0) != PROFRT_SINK || profrt_dump_counters_frame(refuse, NULL, 0) != PROFRT_SINK)
    exit(84);
  release(buffer, size);
}

static void every_length(void) {
  size_t all = needed(), least = constant(), last = 0;
  for (size_t length = 0; length <= all + 20; length++) {
    char *buffer = guarded(length), name[32];
    size_t now = 0, written = 1;
    int code = profrt_write_buffer(buffer, length, &written, &now);
    if (code != (written == 0 ? PROFRT_FULL : PROFRT_OK))
      exit(85);
    if (now != all || written > length || written < last || (written == 0) != (length < least) ||
        (written == all) != (length >= all))
      exit(94);
    if (written != last) {
      snprintf(name, sizeof name, "part-%zu", written);
      save(name, buffer, written);
    }
    last = written;
    release(buffer, length);
  }
}

static volatile int stop;

static void *count(void *from) {
  int i = (int)(intptr_t)from;
  while (!stop)
    use(i++);
  return NULL;
}

static void *write_always(void *unused) {
  for (int i = 0; i < 300; i++) {
    write_to(__llvm_profile_get_size_for_buffer());
    size_t size = needed(), more;
    char *buffer = guarded(size);
    size_t written;
    profrt_write_buffer(buffer, size, &written, &more);
    if (written == 0 || written > size || more < written)
      exit(95);
    release(buffer, size);
  }
  return unused;
}

static void threads(void) {
  pthread_t counting[2], writing[2];
  for (int i = 0; i < 2; i++) {
    pthread_create(&writing[i], NULL, write_always, NULL);
    pthread_create(&counting[i], NULL, count, (void *)(intptr_t)i);
  }
  for (int i = 0; i < 2; i++)
    pthread_join(writing[i], NULL);
  stop = 1;
  for (int i = 0; i < 2; i++)
    pthread_join(counting[i], NULL);
}

int main(int argc, char **argv) {
  size_t first = 0, last = 0;
  for (int i = 1; i < argc; i++) {
    const char *step = argv[i];
    if (strncmp(step, "calls=", 6) == 0)
      for (int j = 0; j < atoi(step + 6); j++)
        use(j);
    else if (strcmp(step, "ask") == 0)
      last = __llvm_profile_get_size_for_buffer();
    else if (strcmp(step, "ask=internal") == 0)
      last = internal();
    else if (strcmp(step, "constant") == 0)
      last = constant();
    else if (strcmp(step, "reset") == 0)
      __llvm_profile_reset_counters();
    else if (strcmp(step, "write=first") == 0)
      write_to(first);
    else if (strcmp(step, "write=last") == 0)
      write_to(last);
    else if (strcmp(step, "whole") == 0) {
      size_t size = needed();
      char *buffer = guarded(size);
      if (profrt_write_buffer(buffer, size, &size, NULL) != PROFRT_OK || size != needed())
        return 3;
      save("out.profraw", buffer, size);
    } else if (strcmp(step, "every-length") == 0)
      every_length();
    else if (strcmp(step, "null") == 0) {
      size_t size = 0;
      if (profrt_write_buffer(NULL, 100000, NULL, &size) != PROFRT_FULL || size != needed() ||
          profrt_dump_buffer(NULL, 100000, NULL) != PROFRT_FULL ||
          profrt_dump_counters_buffer(NULL, 100000, NULL) != PROFRT_FULL)
        return 4;
    } else if (strcmp(step, "codes") == 0)
      codes();
    else if (strcmp(step, "counters") == 0) {
      char *buffer = guarded(PAGE);
      if (counters(buffer) != 0)
        return 5;
      release(buffer, PAGE);
    } else if (strcmp(step, "threads") == 0)
      threads();
    else
      return 2;
    if (first == 0)
      first = last;
  }
  return 0;
}
