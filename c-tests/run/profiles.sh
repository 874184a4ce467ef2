#!/usr/bin/env bash
# profiles.sh NUMBER FUNCTION=COUNT FILE: the file consists of so many profiles, in which the function has this count in all. Removes it.
found=$(LC_ALL=C grep -oUaP '\x81[rR]forpl\xff' "$3" | wc -l)
[ "$found" = "$1" ] || { echo "$3: $found profiles instead of $1"; exit 1; }
bash "$SRC/counts.sh" "$2" "$3" && rm "$3"
