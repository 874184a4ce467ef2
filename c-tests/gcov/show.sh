#!/usr/bin/env bash
# Prints the bytes of each .gcda file below the working directory, and removes it.
find . -name '*.gcda' | LC_ALL=C sort | while read -r file; do
  echo "$file"
  od -An -v -tx1 -w4 "$file" | sed 's/ //' | paste -sd'|' -
  rm "$file"
done
