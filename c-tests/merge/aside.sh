#!/usr/bin/env bash
# aside.sh: `main` meets all kinds of wrong files where its own should be.
set -u
export LLVM_PROFILE_FILE=p/%m.profraw
main
pool=$(echo p/*.profraw)
name=${pool#p/}
mv "$pool" good
LLVM_PROFILE_FILE=foreign other
bad=0
say() { echo "$what: $*"; bad=1; }

begin() { rm -rf p; mkdir p; }

# Two runs on top of what is there: a warning by the first and none by the second, what was there under another name, count 2.
check() {
  main 2> err
  [ $? = 7 ] || say "exit code"
  grep -Eqx "LLVM Profile Warning: \"$pool\" cannot be merged: .*[a-z]\. It is now \"$pool\.corrupt-[0-9]+\", and counting begins anew\." err || say "$(cat err)"
  [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
  main 2> err
  [ ! -s err ] || say "again: $(cat err)"
  "$SRC/count.sh" "$pool" main 2 || bad=1
  aside=$(echo "$pool".corrupt-*)
  [ "$(ls -A p | wc -l)" = 2 ] || say "$(ls -A p)"
  if [ -d wrong ]; then diff -r "$aside" wrong || say "changed"; else cmp "$aside" wrong || say "changed"; fi
}

size=$(stat -c %s good)
patched() { # OFFSET BYTES
  cp good wrong
  printf "$2" | dd of=wrong bs=1 seek="$1" conv=notrunc 2> /dev/null
}
for what in text zeros short one-byte cut longer twice foreign magic version-8 other-version endless-counters directory; do
  rm -rf wrong
  case $what in
    text) echo 'this is no profile' > wrong ;;
    zeros) head -c "$size" /dev/zero > wrong ;;
    short) head -c 100 good > wrong ;;
    one-byte) printf x > wrong ;;
    cut) head -c $((size - 1)) good > wrong ;;
    longer) { cat good; printf xxxxxxxx; } > wrong ;;
    twice) cat good good > wrong ;;
    foreign) cp foreign wrong ;;
    magic) patched 0 '\x80' ;;
    version-8) patched 8 "$([ "$RAW" = 8 ] && echo '\x09' || echo '\x08')" ;;
    other-version) patched 8 '\x63' ;;
    endless-counters) patched 40 '\xff\xff\xff\xff\xff\xff\xff\xff' ;;
    directory) mkdir wrong; echo precious > wrong/file ;;
  esac
  begin
  cp -r wrong "$pool"
  check
done

# An empty file has nothing to be moved: there is no message.
what=empty
begin
: > "$pool"
main 2> err
[ ! -s err ] || say "$(cat err)"
main
"$SRC/count.sh" "$pool" main 2 || bad=1

# A link leads to the wrong file: that one is moved, in its own directory.
what=link
begin
mkdir p/elsewhere
echo 'this is no profile' > p/elsewhere/file
ln -s elsewhere/file "$pool"
main 2> err
grep -q 'It is now "p/elsewhere/file.corrupt-' err || say "$(cat err)"
"$SRC/count.sh" "$pool" main 1 || bad=1
[ -L "$pool" ] || say "no link any more"

# A name like the one that it would get is taken: that file stays too.
what=taken
begin
echo 'this is no profile' > "$pool"
main squat 2> err
"$SRC/count.sh" "$pool" main 1 || bad=1
[ "$(cat "$pool".corrupt-*[0-9] | sort | paste -sd ' ')" = "minethis is no profile" ] || say "$(ls p; cat p/*corrupt*)"

# It cannot be moved: a message, and it stays as it is.
what=stuck
rm -rf wrong
for call in renameat2 renameat; do
  begin
  echo 'this is no profile' > "$pool"
  cp "$pool" wrong
  # Of the first also the way around.
  [ $call = renameat ] && also='-e inject=renameat2:error=EINVAL' || also=
  strace -qq -o /dev/null -e trace=renameat2,renameat $also -e inject=$call:error=EACCES main 2> err
  [ $? = 7 ] || say "exit code"
  cmp "$pool" wrong || say "changed"
  grep -qx "LLVM Profile Error: Failed to write file \"$pool\": it is no raw profile" err || say "$(cat err)"
  [ "$(ls -A p)" = "$name" ] || say "$(ls -A p)"
done
what=around
begin
echo 'this is no profile' > "$pool"
strace -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EINVAL main 2> err
"$SRC/count.sh" "$pool" main 1 || bad=1
[ "$(ls p | wc -l)" = 2 ] || say "$(ls p)"
rm -rf p good foreign wrong err
exit $bad
