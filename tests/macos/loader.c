// Runs a program for macOS (x86-64) on Linux: maps its segments, binds the functions of libSystem to those of glibc, and calls its initializers and
// `main`. What differs between the systems in the calls of the runtime is translated here: flags, numbers of errors, layouts. What a program calls
// besides has to be the same in both.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char *image; // The header of the program.
static size_t size; // Of all segments.

// Errors: those up to 34 have the same numbers, but for EAGAIN, which Linux has in the place of EDEADLK.
static _Thread_local int darwin_errno;
static int *error_place(void) { return &darwin_errno; }
static long checked(long result) {
  static const short pairs[][2] = {{EAGAIN, 35}, {ENAMETOOLONG, 63}, {ELOOP, 62}, {EOPNOTSUPP, 45}, {ENOSYS, 78}, {ENOTEMPTY, 66}, {ENOLCK, 77},
                                   {EDQUOT, 69}, {ESTALE, 70}, {EOVERFLOW, 84}};
  if (result == -1) {
    darwin_errno = errno;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
      if (pairs[i][0] == errno)
        darwin_errno = pairs[i][1];
  }
  return result;
}

// Flags: pairs of Linux's and Darwin's.
static const int open_flags[][2] = {{O_NONBLOCK, 0x4}, {O_APPEND, 0x8}, {O_NOFOLLOW, 0x100}, {O_CREAT, 0x200}, {O_TRUNC, 0x400}, {O_EXCL, 0x800},
                                    {O_NOCTTY, 0x20000}, {O_DIRECTORY, 0x100000}, {O_CLOEXEC, 0x1000000}};
static int translated(int flags, int from) {
  int result = flags & O_ACCMODE;
  for (size_t i = 0; i < sizeof open_flags / sizeof *open_flags; i++)
    if (flags & open_flags[i][from])
      result |= open_flags[i][!from];
  return result;
}
static int at(int directory) { return directory == -2 ? AT_FDCWD : directory; }

// `SLOW`: others come between what a process has read and its new file.
static int my_openat(int directory, const char *name, int flags, int mode) {
  if (flags & 0x800 && getenv("SLOW"))
    usleep(20000);
  return checked(openat(at(directory), name, translated(flags, 1), mode));
}
static int my_mkdirat(int directory, const char *name, int mode) { return checked(mkdirat(at(directory), name, mode)); }
static int my_unlinkat(int directory, const char *name, int flags) { return checked(unlinkat(at(directory), name, flags)); }
static long my_readlinkat(int directory, const char *name, char *to, size_t len) { return checked(readlinkat(at(directory), name, to, len)); }
static int my_linkat(int from, const char *old, int to, const char *new, int flags) { return checked(linkat(at(from), old, at(to), new, flags)); }
// `NO_RENAME` leaves exchanges only, `NO_SWAP` stands for file systems without. The flag of an exchange is the same.
static int my_renameat(int from, const char *old, int to, const char *new) {
  if (getenv("NO_RENAME"))
    return errno = EPERM, checked(-1);
  return checked(renameat(at(from), old, at(to), new));
}
static int my_renameatx(int from, const char *old, int to, const char *new, unsigned flags) {
  if (getenv("NO_SWAP"))
    return errno = EOPNOTSUPP, checked(-1);
  return checked(renameat2(at(from), old, at(to), new, flags));
}
static int my_flock(int fd, int how) { return checked(getenv("NO_LOCK") ? (errno = EOPNOTSUPP, -1) : flock(fd, how)); }
static int my_fcntl(int fd, int command, long argument) {
  struct darwin_lock { int64_t start, len; int pid; short type, whence; } *lock = (void *)argument;
  static const short types[] = {0, F_RDLCK, F_UNLCK, F_WRLCK};
  switch (command) {
  case 3: {
    int flags = checked(fcntl(fd, F_GETFL));
    return flags < 0 ? flags : translated(flags, 0);
  }
  case 4: return checked(fcntl(fd, F_SETFL, translated((int)argument, 1)));
  case 9: {
    struct flock ours = {.l_type = types[lock->type], .l_whence = lock->whence, .l_start = lock->start, .l_len = lock->len};
    return checked(fcntl(fd, F_SETLKW, &ours));
  }
  case 67: return checked(fcntl(fd, F_DUPFD_CLOEXEC, argument));
  default: return errno = EINVAL, checked(-1);
  }
}

struct darwin_stat {
  int32_t device;
  uint16_t mode, links;
  uint64_t inode;
  uint32_t user, group;
  int32_t kind, padding;
  struct timespec times[4];
  int64_t size, blocks;
  uint32_t block, flags, generation, spare;
  int64_t spares[2];
};
static int filled(int result, const struct stat *from, struct darwin_stat *to) {
  if (result == 0)
    *to = (struct darwin_stat){.device = (int32_t)from->st_dev, .mode = (uint16_t)from->st_mode, .links = (uint16_t)from->st_nlink,
                               .inode = from->st_ino, .user = from->st_uid, .group = from->st_gid, .size = from->st_size};
  return checked(result);
}
static int my_fstat(int fd, struct darwin_stat *to) {
  struct stat found;
  return filled(fstat(fd, &found), &found, to);
}
static int my_fstatat(int directory, const char *name, struct darwin_stat *to, int flags) {
  struct stat found;
  return filled(fstatat(at(directory), name, &found, flags & 0x20 ? AT_SYMLINK_NOFOLLOW : 0), &found, to);
}

static long my_pread(int fd, void *to, size_t len, off_t from) { return checked(pread(fd, to, len, from)); }
static long my_writev(int fd, const struct iovec *list, int len) { return checked(writev(fd, list, len)); }
static long my_pwritev(int fd, const struct iovec *list, int len, off_t to) { return checked(pwritev(fd, list, len, to)); }
static int my_ftruncate(int fd, off_t len) { return checked(ftruncate(fd, len)); }
static void *my_mmap(void *where, size_t len, int access, int flags, int fd, off_t from) {
  return (void *)checked((long)mmap(where, len, access, (flags & ~0x1000) | (flags & 0x1000 ? MAP_ANONYMOUS : 0), fd, from));
}
static int my_clock_gettime(int clock, struct timespec *now) { return clock_gettime(clock == 6 ? CLOCK_MONOTONIC : CLOCK_REALTIME, now); }
static int my_uname(char names[5][256]) { return gethostname(names[1], 256); }
static int my_issetugid(void) { return getenv("SET_USER_ID") != NULL; }
static char ***my_environ(void) { return &environ; }
static char *my_header(uint32_t index) { return index == 0 ? image : NULL; }
static int my_atexit(void (*function)(void)) { return atexit(function); }
static int my_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) { return pthread_atfork(before, parent, child); }
static int my_cancel_state(int state, int *old) { return pthread_setcancelstate(!state, old); }

// Signals: SIGTERM and the like have the same numbers; masks pass unchanged.
static int my_sigmask(int how, const uint32_t *set, uint32_t *old) {
  sigset_t linux_set = {{set ? *set : 0}}, before;
  int result = pthread_sigmask(how - 1, set ? &linux_set : NULL, &before);
  if (old)
    memcpy(old, &before, sizeof *old);
  return result;
}
struct darwin_action { void (*handler)(int); uint32_t mask; int flags; };
static int my_sigaction(int number, const struct darwin_action *new, struct darwin_action *old) {
  static const unsigned flags[][2] = {{SA_ONSTACK, 1}, {SA_RESTART, 2}, {SA_RESETHAND, 4}, {SA_NODEFER, 0x10}, {SA_SIGINFO, 0x40}};
  struct sigaction to = {.sa_handler = new ? new->handler : SIG_DFL}, from;
  for (int i = 0; new && i < 5; i++)
    to.sa_flags |= (unsigned)new->flags & flags[i][1] ? (int)flags[i][0] : 0;
  if (new)
    memcpy(&to.sa_mask, &new->mask, sizeof new->mask);
  if (sigaction(number, new ? &to : NULL, &from) != 0)
    return checked(-1);
  *old = (struct darwin_action){.handler = from.sa_handler};
  memcpy(&old->mask, &from.sa_mask, sizeof old->mask);
  for (int i = 0; i < 5; i++)
    old->flags |= (unsigned)from.sa_flags & flags[i][0] ? (int)flags[i][1] : 0;
  return 0;
}
// The loader knows one object. (The rest of the answer is names, which nobody reads then.)
static int my_dladdr(const char *address, void **object) {
  object[1] = image;
  return address >= image && address < image + size;
}

#define MINE(name, function) {"_" name, (void *)(function)}
static const struct { const char *name; void *function; } ours[] = {
    MINE("__error", error_place), MINE("openat", my_openat), MINE("mkdirat", my_mkdirat), MINE("unlinkat", my_unlinkat),
    MINE("readlinkat", my_readlinkat), MINE("linkat", my_linkat), MINE("renameat", my_renameat), MINE("renameatx_np", my_renameatx),
    MINE("flock", my_flock), MINE("fcntl", my_fcntl), MINE("fstat$INODE64", my_fstat), MINE("fstatat$INODE64", my_fstatat),
    MINE("pread", my_pread), MINE("writev", my_writev), MINE("pwritev", my_pwritev), MINE("ftruncate", my_ftruncate), MINE("mmap", my_mmap),
    MINE("clock_gettime", my_clock_gettime), MINE("uname", my_uname), MINE("issetugid", my_issetugid), MINE("_NSGetEnviron", my_environ),
    MINE("_dyld_get_image_header", my_header), MINE("atexit", my_atexit), MINE("pthread_atfork", my_atfork), MINE("__bzero", bzero),
    MINE("pthread_setcancelstate", my_cancel_state), MINE("close$NOCANCEL", close), MINE("pthread_sigmask", my_sigmask),
    MINE("sigaction", my_sigaction), MINE("dladdr", my_dladdr), MINE("__stdoutp", &stdout), MINE("__stderrp", &stderr)};

static void fail(const char *why, const char *what) {
  fprintf(stderr, "loader: %s: %s\n", why, what);
  exit(126);
}
static void *find(const char *name) {
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (!strcmp(ours[i].name, name))
      return ours[i].function;
  void *found = dlsym(RTLD_DEFAULT, name + 1);
  if (!found)
    fail("libSystem is here without", name);
  return found;
}

// The file, after Apple's <mach-o/loader.h> and <mach-o/fixup-chains.h>.
struct command { uint32_t kind, size; };
struct segment { struct command command; char name[16]; uint64_t address, size, offset, file_size; int max, access; uint32_t sections, flags; };
struct section { char name[16], segment[16]; uint64_t address, size; uint32_t offset, align, relocations, count, flags, reserved[3]; };
struct chains { uint32_t version, starts, imports, symbols, count, format, symbols_format; };
struct starts { uint32_t size; uint16_t page, format; uint64_t offset; uint32_t max; uint16_t count, first[]; };

// Each page has a list of places: bit 63 is a bind; 12 bits from 51 on are the distance to the next place, in words of 4 bytes.
static void fix(const char *data, uint64_t base) {
  const struct chains *chains = (const void *)data;
  const uint32_t *segments = (const void *)(data + chains->starts), *imports = (const void *)(data + chains->imports);
  if (chains->format != 1)
    fail("unknown", "imports");
  for (uint32_t i = 1; i <= segments[0]; i++) {
    const struct starts *starts = (const void *)(data + chains->starts + segments[i]);
    for (int page = 0; segments[i] && page < starts->count; page++) {
      char *place = image + starts->offset + (size_t)page * starts->page + starts->first[page];
      for (uint64_t word = 1ull << 51; starts->first[page] != 0xffff && word >> 51 & 0xfff; place += (word >> 51 & 0xfff) * 4) {
        memcpy(&word, place, 8);
        uint64_t to = (word & 0xfffffffff) - (starts->format == 2 ? base : 0) + (uint64_t)image;
        if (word >> 63)
          to = (uint64_t)find(data + chains->symbols + (imports[word & 0xffffff] >> 9)) + (word >> 24 & 0xff);
        memcpy(place, &to, 8);
      }
    }
  }
}

int main(int argc, char **argv, char **environment) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file)
    fail("cannot read", argc > 1 ? argv[1] : "nothing");
  uint32_t header[8];
  char commands[1 << 16];
  if (fread(header, 32, 1, file) != 1 || header[0] != 0xfeedfacf || header[5] > sizeof commands || fread(commands, header[5], 1, file) != 1)
    fail("no program for macOS", argv[1]);
#define EACH(each) (struct command *each = (void *)commands; (char *)each < commands + header[5]; each = (void *)((char *)each + each->size))
  uint64_t base = 0;
  for EACH(each) {
    struct segment *segment = (void *)each;
    if (each->kind == 0x19 && !strcmp(segment->name, "__TEXT"))
      base = segment->address;
    if (each->kind == 0x19 && segment->address >= base)
      size = segment->address + segment->size - base;
  }
  image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for EACH(each) {
    struct segment *segment = (void *)each;
    if (each->kind == 0x19 && segment->file_size && pread(fileno(file), image + segment->address - base, segment->file_size, (off_t)segment->offset) < 0)
      fail("cannot read", segment->name);
  }
  int (*program)(int, char **, char **, char **) = NULL;
  for EACH(each) {
    const uint32_t *words = (void *)each;
    if (each->kind == 0x80000034) {
      char *data = malloc(words[3]);
      if (pread(fileno(file), data, words[3], words[2]) != words[3])
        fail("cannot read", "fixups");
      fix(data, base);
    }
    if (each->kind == 0x80000028)
      program = (void *)(image + *(uint64_t *)&words[2]);
  }
  for EACH(each) {
    struct segment *segment = (void *)each;
    if (each->kind == 0x19 && segment->address >= base)
      mprotect(image + segment->address - base, segment->size, segment->access);
  }
  for EACH(each) {
    struct segment *segment = (void *)each;
    struct section *sections = (void *)(segment + 1);
    for (uint32_t i = 0; each->kind == 0x19 && i < segment->sections; i++) {
      char *start = image + sections[i].address - base, *end = start + sections[i].size;
      for (; (sections[i].flags & 0xff) == 0x9 && start < end; start += 8)
        (*(void (**)(int, char **, char **))start)(argc - 1, argv + 1, environment);
      for (; (sections[i].flags & 0xff) == 0x16 && start < end; start += 4)
        ((void (*)(int, char **, char **))(image + *(uint32_t *)start))(argc - 1, argv + 1, environment);
    }
  }
  exit(program(argc - 1, argv + 1, environment, NULL));
}
