# The counts of all values that llvm-profdata shows add up to the number in the last file.
/^[ \t]*\[/ { split($0, part, ","); split(part[3], number, " "); sum += number[1]; next }
FILENAME == "counted" { expected = $1 }
END { if (sum != expected) { print sum " instead of " expected; exit 1 } }
