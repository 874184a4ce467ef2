// The helper functions of the runtime: paths, prefixes, host, marks, locks.
// profrt: flags -fprofile-instr-generate
// profrt: variant default
// profrt: run main
// profrt: run GCOV_PREFIX=/pre GCOV_PREFIX_STRIP=2 main
// profrt: run GCOV_PREFIX=/pre/ main
// profrt: run GCOV_PREFIX=pre GCOV_PREFIX_STRIP=1 main
// profrt: run GCOV_PREFIX= GCOV_PREFIX_STRIP=1 main
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *lprofFindFirstDirSeparator(const char *), *lprofFindLastDirSeparator(const char *);
const char *lprofGetPathPrefix(int *, size_t *);
void lprofApplyPathPrefix(char *, const char *, const char *, size_t, int);
int lprofGetHostName(char *, int);
unsigned lprofProfileDumped(void);
void lprofSetProfileDumped(unsigned);
int lprofLockFd(int), lprofUnlockFd(int);
int lprofSuspendSigKill(void);
int lprofReleaseMemoryPagesToOS(uintptr_t, uintptr_t);
unsigned __llvm_profile_get_dir_mode(void);
void __llvm_profile_set_dir_mode(unsigned);
void __llvm_profile_recursive_mkdir(char *);

static int at(const char *from, const char *to) { return to ? (int)(to - from) : -1; }

int main(void) {
  for (const char *const *p = (const char *const[]){"", "a", "/a", "a/b/c", "/", "//x", 0}; *p; p++)
    printf("%s %d %d\n", *p, at(*p, lprofFindFirstDirSeparator(*p)), at(*p, lprofFindLastDirSeparator(*p)));
  int strip = 77;
  size_t len = 77;
  const char *prefix = lprofGetPathPrefix(&strip, &len);
  printf("prefix %s %d %zu\n", prefix ? prefix : "(null)", prefix ? strip : 0, prefix ? len : 0);
  if (prefix)
    for (const char *const *p = (const char *const[]){"/a/b/c.x", "/c.x", "c.x", "a/b.x", 0}; *p; p++) {
      char to[100];
      lprofApplyPathPrefix(to, *p, prefix, len, strip);
      printf("%s -> %s\n", *p, to);
    }
  char host[300], own[300];
  gethostname(own, sizeof own);
  printf("host %d %d\n", lprofGetHostName(host, sizeof host), strcmp(host, own));
  printf("dumped %u", lprofProfileDumped());
  lprofSetProfileDumped(1);
  printf(" %u", lprofProfileDumped());
  lprofSetProfileDumped(0);
  printf(" %u\n", lprofProfileDumped());
  int fd = open("lock", O_RDWR | O_CREAT, 0600);
  printf("lock %d %d\n", lprofLockFd(fd), lprofUnlockFd(fd));
  unlink("lock");
  printf("kill %d\n", lprofSuspendSigKill());
  static char pages[4 * 4096] __attribute__((aligned(4096)));
  memset(pages, 1, sizeof pages);
  int released = lprofReleaseMemoryPagesToOS((uintptr_t)pages + 1, (uintptr_t)pages + 3 * 4096 + 1);
  printf("pages %d %d %d %d %d\n", released, pages[0], pages[4096], pages[2 * 4096], pages[3 * 4096]);
  printf("mode %o", __llvm_profile_get_dir_mode());
  __llvm_profile_set_dir_mode(0700);
  printf(" %o\n", __llvm_profile_get_dir_mode());
  char path[] = "x/y/z.profraw";
  __llvm_profile_recursive_mkdir(path);
  printf("%s %d %d\n", path, access("x/y", F_OK), rmdir("x/y") | rmdir("x"));
  return 0;
}
