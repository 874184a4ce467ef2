#!/usr/bin/env bash
# The metadata of vtables.cpp must hold each of these.
set -eu
. "${0%/*}/demand.sh"
demand 'call function: !{!"function_entry_count", i64 1000}'
demand "call call: !{!\"VP\", i32 0, i64 1000, i64 $(id _ZN5First5valueEi), i64 900, i64 $(id _ZN6Second5valueEi), i64 90, i64 $(id _ZN4Base5valueEi), i64 10}"
demand "call load: !{!\"VP\", i32 2, i64 1000, i64 $(id _ZTV5First), i64 900, i64 $(id _ZTV6Second), i64 90, i64 $(id _ZTV4Base), i64 10}"
