#!/usr/bin/env bash
# count.sh FILE FUNCTION COUNT: the function was entered that often.
set -eu
seen=$("$PROFDATA" show --counts --function="$2" "$1" | sed -n "/^  $2:/,/Function count/s/.*Function count: //p")
[ "$seen" = "$(($3))" ] && exit
echo "$2: $seen instead of $(($3))"
exit 1
