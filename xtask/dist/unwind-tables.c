/* Answers the question that GCC's unwinder asks glibc: where the unwind tables for an address are. A static program has one set of tables. */
#include <elf.h>
#include <link.h>

struct dl_find_object {
    unsigned long long flags;
    void *start, *end, *map;
    void *tables;
};

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

int _dl_find_object(void *code, struct dl_find_object *found) {
    const char *image = (const char *)&__ehdr_start;
    const ElfW(Phdr) *part = (const ElfW(Phdr) *)(image + __ehdr_start.e_phoff);
    for (int left = __ehdr_start.e_phnum; left > 0; left--, part++) {
        if (part->p_type == PT_GNU_EH_FRAME) {
            /* The program is not position-independent. */
            found->tables = (void *)part->p_vaddr;
            return 0;
        }
    }
    return -1;
}
