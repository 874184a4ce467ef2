// What linkers do to the sections of the profile: garbage collection by start and stop symbols, sorting, packing, alignment.
// profrt: flags -fprofile-generate -ffunction-sections -fdata-sections
// profrt: variant start-stop-gc
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections -Wl,-z,start-stop-gc
// profrt: variant nostart-stop-gc
// profrt: lflags -fuse-ld=lld -Wl,--gc-sections -Wl,-z,nostart-stop-gc
// profrt: variant separate-code
// profrt: lflags -Wl,-z,separate-code
// profrt: variant noseparate-code
// profrt: lflags -Wl,-z,noseparate-code
// profrt: variant relr
// profrt: lflags -fuse-ld=lld -static-pie -Wl,--pack-dyn-relocs=relr
// profrt: variant huge-pages
// profrt: lflags -Wl,-z,max-page-size=0x200000
// profrt: variant rosegment
// profrt: lflags -fuse-ld=lld -Wl,--no-rosegment
// profrt: variant print-icf-safe
// profrt: lflags -fuse-ld=lld -Wl,--icf=safe
// profrt: variant execstack-free
// profrt: run main; readelf -lW $BIN/main | grep -c 'GNU_STACK.*RW '
// profrt: variant symbol-ordering-sort
// profrt: lflags -Wl,--sort-section=alignment
// profrt: variant emit-relocs
// profrt: lflags -Wl,--emit-relocs
#include <stdio.h>

__attribute__((noinline)) static int kept(int x) { return x > 1 ? x : 1; }
__attribute__((noinline)) int dropped(int x) { return x > 2 ? x : 2; }
__attribute__((noinline)) int dropped_twin(int x) { return x > 2 ? x : 2; }

int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += kept(i + argc);
  printf("%d\n", sum);
  return 0;
}
