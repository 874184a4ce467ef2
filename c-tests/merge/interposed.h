// System calls as other file systems answer them: the runtime's own calls go through one function, and a program's definition of
// that wins over the archive's.
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define UNCOUNTED __attribute__((no_profile_instrument_function))

static long UNCOUNTED enter(long number, long a, long b, long c, long d, long e, long f) {
  long result = syscall(number, a, b, c, d, e, f);
  return result == -1 ? -errno : result;
}

#if defined(NAMED) || defined(LOCKLESS) || defined(SHORT) || defined(IMPATIENT) || defined(REFUSED) || defined(BY_PROC)
__attribute__((visibility("hidden"))) long UNCOUNTED profrt_system_call(long number, long a, long b, long c, long d, long e,
                                                                         long f) {
#ifdef NAMED
  // There are no files without a name.
  if (number == SYS_openat && (c & 020200000) == 020200000)
    return -EOPNOTSUPP;
#endif
#ifdef REFUSED
  // There are no files without a name, for this reason.
  if (number == SYS_openat && (c & 020200000) == 020200000)
    return -REFUSED;
#endif
#ifdef BY_PROC
  // A file without a name gets one by its name in /proc only, as before Linux 6.10 without privileges, and none is made with a name.
  if (number == SYS_linkat && e & 0x1000)
    return -ENOENT;
  if (number == SYS_openat && c & O_CREAT)
    return -EACCES;
#endif
#ifdef FILLED
  // Another process writes into a file as soon as that has its name.
  if (number == SYS_openat && c & O_EXCL && *(const char *)b != '.') {
    long file = enter(number, a, b, c, d, 0, 0);
    if (file >= 0)
      enter(SYS_write, file, (long)"what is no profile", 18, 0, 0, 0);
    return file;
  }
#endif
#ifdef ONLY_PROFILES
  // No file is made whose name begins with a dot.
  if (number == SYS_openat && c & O_CREAT && *(const char *)b == '.')
    return -EACCES;
#endif
#ifdef LOCKLESS
  // There are no locks.
  if (number == SYS_fcntl && (b == 37 || b == 38))
    return -ENOLCK;
#endif
#ifdef IMPATIENT
  // Time goes by as fast as it is waited for.
  static long slept;
  if (number == SYS_nanosleep) {
    const struct timespec *nap = (const struct timespec *)a;
    slept += nap->tv_sec * 1000000000 + nap->tv_nsec;
    return 0;
  }
  if (number == SYS_clock_gettime && a == CLOCK_MONOTONIC) {
    struct timespec *now = (struct timespec *)b;
    long result = enter(number, a, b, 0, 0, 0, 0);
    now->tv_sec += slept / 1000000000;
    now->tv_nsec += slept % 1000000000;
    return result;
  }
#endif
#ifdef SHORT
  // A write takes seven bytes at most.
  if (number == SYS_writev) {
    const struct iovec *list = (const struct iovec *)b;
    while (c > 1 && !list->iov_len) {
      list++;
      c--;
    }
    return enter(SYS_write, a, (long)list->iov_base, list->iov_len < 7 ? list->iov_len : 7, 0, 0, 0);
  }
  if (number == SYS_write && c > 7)
    c = 7;
#endif
  return enter(number, a, b, c, d, e, f);
}
#endif
