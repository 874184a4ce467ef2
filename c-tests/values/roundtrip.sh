#!/usr/bin/env bash
# The metadata of roundtrip.c must hold each of these.
set -eu
. "${0%/*}/demand.sh"
demand 'indirect function: !{!"function_entry_count", i64 1000}'
demand 'common function: !{!"function_entry_count", i64 1150}'
demand 'second function: !{!"function_entry_count", i64 847}'
demand 'rare function: !{!"function_entry_count", i64 3}'
demand 'copy function: !{!"function_entry_count", i64 1000}'
demand 'branch branch: !{!"branch_weights", i32 250, i32 750}'
demand "indirect call: !{!\"VP\", i32 0, i64 1000, i64 $(id common), i64 900, i64 $(id second), i64 97, i64 $(id rare), i64 3}"
demand 'copy call: !{!"VP", i32 1, i64 1000, i64 8, i64 800, i64 64, i64 150, i64 513, i64 50}'
