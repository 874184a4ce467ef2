# Sourced: reads the lines of metadata.sh from the standard input, and demands some of them.
metadata=$(cat)
md5() { printf %s "$1" | md5sum | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\).*/0x\8\7\6\5\4\3\2\1/'; }
# As LLVM writes it: a signed number.
id() { echo $(($(md5 "$1"))); }
demand() { grep -qxF "$1" <<<"$metadata" || { echo "missing: $1"; echo "$metadata"; exit 1; }; }
