// Files of the program: open and lock them, get all their bytes.
// profrt: flags -fprofile-instr-generate
// profrt: variant locks
// profrt: run timeout 20 main locks
// profrt: run ls; cat new && rm new
// profrt: variant held
// The program holds its own profile when that is written.
// profrt: run timeout 20 main held
// profrt: variant content
// profrt: clang 22..
// profrt: run printf 'hello, world' > new; main content; rm new
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

FILE *lprofOpenFileEx(const char *);
int lprofLockFileHandle(FILE *), lprofUnlockFileHandle(FILE *), lprofLockFd(int), lprofUnlockFd(int);

// Whether another process may lock the file.
static const char *other(const char *name) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    struct flock lock = {.l_type = F_WRLCK};
    int fd = open(name, O_RDWR);
    _exit(fcntl(fd, F_SETLK, &lock) == 0 ? 0 : errno == EAGAIN || errno == EACCES ? 1 : 2);
  }
  int status;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status) == 0 ? "free" : WEXITSTATUS(status) == 1 ? "locked" : "error";
}

static void locks(void) {
  printf("missing %d %d\n", lprofOpenFileEx("no/such") == NULL, errno == ENOENT);
  printf("directory %d\n", lprofOpenFileEx(".") == NULL);
  FILE *f = lprofOpenFileEx("new");
  struct stat status;
  printf("new %d %d %o %s\n", f != NULL, stat("new", &status), status.st_mode / 64 & 7, other("new"));
  // The locks are the process's: it does not lock itself out.
  FILE *again = lprofOpenFileEx("new");
  printf("again %d %d %d\n", again != NULL, lprofLockFileHandle(again), lprofLockFd(fileno(f)));
  printf("unlock %d %s", lprofUnlockFileHandle(f), other("new"));
  printf(" lock %d %s", lprofLockFileHandle(f), other("new"));
  printf(" unlock %d %s\n", lprofUnlockFd(fileno(f)), other("new"));
  char text[20] = "";
  int put = fputs("hello, world", f);
  rewind(f);
  size_t got = fread(text, 1, 12, f);
  printf("%d read %zu '%s'\n", put > 0, got, text);
  printf("mode %d append %d\n", fcntl(fileno(f), F_GETFL) & O_ACCMODE, (fcntl(fileno(f), F_GETFL) & O_APPEND) != 0);
  printf("lock %d %s", lprofLockFileHandle(f), other("new"));
  fclose(again);
  fclose(f);
  printf(" closed %s\n", other("new"));
  f = fopen("new", "r");
  printf("read-only %d %d\n", lprofLockFileHandle(f), lprofUnlockFileHandle(f));
  fclose(f);
  printf("none %d %d\n", lprofLockFd(-1), lprofUnlockFd(-1));
  // What is there stays there.
  f = lprofOpenFileEx("new");
  printf("old %zu\n", fread(text, 1, 20, f));
  fclose(f);
}

#if __clang_major__ >= 22
typedef struct { void *Addr; int Status; } Content;
void lprofGetFileContentBuffer(FILE *, uint64_t, Content *);
void lprofReleaseBuffer(Content *, size_t);

static void show(FILE *f, uint64_t length, Content *c) {
  lprofGetFileContentBuffer(f, length, c);
  printf("%d '%.*s' tell %ld\n", c->Status, c->Status ? (int)length : 0, (char *)c->Addr, ftell(f));
  fflush(stdout);
}

static void release(Content *c, size_t length) {
  lprofReleaseBuffer(c, length);
  printf("released %d %d\n", c->Addr == NULL, c->Status);
  fflush(stdout);
}

static void contents(void) {
  FILE *f = fopen("new", "r");
  int fd = open("new", O_RDWR);
  Content c = {"", 9};
  show(f, 12, &c);
  // A mapping sees what is written later.
  pwrite(fd, "J", 1, 0);
  printf("%.5s\n", (char *)c.Addr);
  release(&c, 12);
  show(f, 12, &c);
  release(&c, 12);
  rewind(f);
  show(f, 5, &c);
  release(&c, 5);
  rewind(f);
  show(f, 0, &c);
  rewind(f);
  release(&c, 13);
  c.Status = -7;
  release(&c, 1);
  FILE *null = fopen("/dev/null", "r");
  show(null, 12, &c);
  fclose(null);
  fclose(f);
  close(fd);
}
#endif

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "locks"))
    locks();
  else if (!strcmp(what, "held"))
    printf("%d\n", lprofOpenFileEx("default.profraw") != NULL);
#if __clang_major__ >= 22
  else
    contents();
#endif
  return 0;
}
