// The calls of `llvm_gcda_*`, made by a program: files of all versions, records without a file, files without a summary, and the sum of two
// processes. The steps are arguments: `start NAME VERSION STAMP`, `function IDENT SUM SUM`, `counters N COUNT...`, `summary`, `end`.
// profrt: no-profile
// profrt: program main main.o --coverage
// profrt: variant versions
// profrt: run set -f; for v in 402* 406* 407* 408* 412* 417* 500* 801* 899* 900* A01* A46* A47* A80* A90* A97* B11* B23* C00* 4*7* zzzz; do main start $v.gcda "$v" 0x11223344 function 7 0xaabbccdd 0x55667788 counters 2 5 0x100000009 function 9 1 2 counters 0 summary end; done; set +f; bash $SRC/show.sh
// profrt: variant merged
// profrt: run set -f; for v in 402* 408* B11*; do for i in 1 2 3; do main start $v.gcda "$v" 5 function 7 1 2 counters 3 5 0x100000009 0x1000000000000000 summary end || exit; done; done; set +f; bash $SRC/show.sh
// profrt: variant saturated
// LLVM's runtime wraps.
// profrt: ours for i in 1 2; do main start a.gcda 408* 5 function 7 1 2 counters 2 0xffffffffffffffff 1 summary end; done; od -An -tx4 -j40 -N16 a.gcda | grep -q 'ffffffff ffffffff 00000002 00000000' && rm a.gcda
// profrt: official for i in 1 2; do main start a.gcda 408* 5 function 7 1 2 counters 2 0xffffffffffffffff 1 summary end; done; od -An -tx4 -j40 -N16 a.gcda | grep -q 'fffffffe ffffffff 00000002 00000000' && rm a.gcda
// profrt: variant nothing-begun
// profrt: run main function 7 1 2 counters 1 1 summary end; bash $SRC/show.sh
// profrt: variant no-summary
// profrt: run main start a.gcda 408* 5 function 7 1 2 counters 1 1 end; bash $SRC/show.sh
// profrt: run main start a.gcda 408* 5 summary end; bash $SRC/show.sh
// profrt: variant several-files
// A run is counted in the first file of a process that has a summary.
// profrt: run for i in 1 2; do main start a.gcda 408* 5 function 7 1 2 counters 1 1 summary end start b.gcda 408* 6 function 8 1 2 counters 2 1 3 summary end start a.gcda 408* 5 function 7 1 2 counters 1 1 summary end; done; bash $SRC/show.sh
// profrt: variant unfinished
// LLVM's runtime leaves an empty file, ours none.
// profrt: ours main start a.gcda 408* 5 function 7 1 2 counters 1 1; test ! -e a.gcda
// profrt: official main start a.gcda 408* 5 function 7 1 2 counters 1 1; rm a.gcda
// profrt: variant large
// profrt: run main start a.gcda 408* 5 many 20000 summary end; main start a.gcda 408* 5 many 20000 summary end; md5sum < a.gcda | tr '0-9' 'g-p'; rm a.gcda
// profrt: variant long-name
// profrt: run mkdir -p $(printf 'd%.0s' $(seq 200))/$(printf 'e%.0s' $(seq 200)); main start $(printf 'd%.0s' $(seq 200))/$(printf 'e%.0s' $(seq 200))/$(printf 'f%.0s' $(seq 200)) 408* 5 summary end; find . -type f | wc -c; rm -r d*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void llvm_gcda_start_file(const char *name, uint32_t version, uint32_t stamp);
void llvm_gcda_emit_function(uint32_t ident, uint32_t line_sum, uint32_t flow_sum);
void llvm_gcda_emit_arcs(uint32_t count, uint64_t *counters);
void llvm_gcda_summary_info(void);
void llvm_gcda_end_file(void);

static uint32_t number(const char *text) { return (uint32_t)strtoul(text, NULL, 0); }

int main(int argc, char **argv) {
  static uint64_t counters[16];
  for (int i = 1; i < argc;) {
    const char *step = argv[i++];
    if (!strcmp(step, "start")) {
      const unsigned char *v = (const unsigned char *)argv[i + 1];
      llvm_gcda_start_file(argv[i], (uint32_t)v[0] << 24 | v[1] << 16 | v[2] << 8 | v[3], number(argv[i + 2]));
      i += 3;
    } else if (!strcmp(step, "function")) {
      llvm_gcda_emit_function(number(argv[i]), number(argv[i + 1]), number(argv[i + 2]));
      i += 3;
    } else if (!strcmp(step, "counters")) {
      uint32_t count = number(argv[i++]);
      for (uint32_t n = 0; n < count; n++)
        counters[n] = strtoull(argv[i++], NULL, 0);
      llvm_gcda_emit_arcs(count, counters);
    } else if (!strcmp(step, "many")) {
      for (uint32_t n = 0, all = number(argv[i++]); n < all; n++) {
        // LLVM's runtime adds the counts of the file to these.
        for (uint32_t k = 0; k < 16; k++)
          counters[k] = n * k;
        llvm_gcda_emit_function(n, n * 7, n * 11);
        llvm_gcda_emit_arcs(n % 16, counters);
      }
    } else if (!strcmp(step, "summary")) {
      llvm_gcda_summary_info();
    } else if (!strcmp(step, "end")) {
      llvm_gcda_end_file();
    }
  }
  return 0;
}
