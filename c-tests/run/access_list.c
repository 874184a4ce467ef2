// A file with an access control list, in whose mode the bits of the group stand for the list: the new file gives them to nobody.
// profrt: only-ours: LLVM's runtime writes into the old file
// profrt: clang 22..
// profrt: flags -fprofile-instr-generate
// profrt: no-profile
// profrt: run export __LLVM_PROFILE_RT_INIT_ONCE=1; export LLVM_PROFILE_FILE=%m.profraw; main; file=$(echo *); LLVM_PROFILE_FILE=y main $file || exit 0; test "$(stat -c %a $file)" = 660 || exit 1; rm y; main; test "$(stat -c %a $file)" = 600 || exit 1; rm *
#include <stdint.h>
#include <sys/xattr.h>

struct entry {
  uint16_t tag, permissions;
  uint32_t id;
};

int main(int argc, char **argv) {
  struct {
    uint32_t version;
    struct entry entries[5];
  } list = {2, {{1, 6, -1}, {2, 6, 65534}, {4, 0, -1}, {16, 6, -1}, {32, 0, -1}}};
  // Not every file system has such lists.
  return argc > 1 && setxattr(argv[1], "system.posix_acl_access", &list, sizeof list, 0) != 0;
}
