// Calls of the C library as other file systems answer them. The program's own definitions win over the C library's.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define UNCOUNTED __attribute__((no_profile_instrument_function))

static long UNCOUNTED argument(va_list list) {
  long value = va_arg(list, long);
  va_end(list);
  return value;
}

#ifdef NAMED
// There are no files without a name.
int UNCOUNTED open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  long mode = argument(list);
  if ((flags & 020200000) == 020200000) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
#endif

#ifdef LOCKLESS
// There are no locks.
int UNCOUNTED fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  long value = argument(list);
  if (command == 37 || command == 38) {
    errno = ENOLCK;
    return -1;
  }
  return syscall(SYS_fcntl, fd, command, value);
}
#endif

#ifdef SHORT
// A write takes seven bytes at most.
ssize_t UNCOUNTED write(int fd, const void *bytes, size_t size) {
  return syscall(SYS_write, fd, bytes, size < 7 ? size : 7);
}
ssize_t UNCOUNTED writev(int fd, const struct iovec *list, int length) {
  for (int i = 0; i < length; i++)
    if (list[i].iov_len)
      return write(fd, list[i].iov_base, list[i].iov_len);
  return 0;
}
#endif
