#!/usr/bin/env bash
# aside.sh: `main` meets all kinds of wrong files where its own should be.
set -u
export LLVM_PROFILE_FILE=p/%m.profraw
main
pool=$(echo p/*.profraw)
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
  cmp "$aside" wrong || say "changed"
}

size=$(stat -c %s good)
patched() { # OFFSET BYTES
  cp good wrong
  printf "$2" | dd of=wrong bs=1 seek="$1" conv=notrunc 2> /dev/null
}
for what in text zeros short one-byte cut longer twice foreign magic version-8 other-version endless-counters; do
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

# A link leads to the wrong file, or a directory has the name: nothing is moved, for who has laid it there may mean us to.
what=link
begin
mkdir p/elsewhere
echo 'this is no profile' > p/elsewhere/file
ln -s elsewhere/file "$pool"
main 2> err
grep -qx "LLVM Profile Warning: \"$pool\" cannot be merged: it is no raw profile\. It is not moved aside: the name is a symbolic link\." err || say "$(cat err)"
[ "$(cat p/elsewhere/file)" = 'this is no profile' ] || say "changed"
[ "$(ls -A p/elsewhere)" = file ] || say "$(ls -A p/elsewhere)"
[ -L "$pool" ] || say "no link any more"
what=directory
begin
mkdir "$pool"
echo precious > "$pool/file"
main 2> err
grep -q "\"$pool\".*: Is a directory" err || say "$(cat err)"
[ "$(cat "$pool/file")" = precious ] || say "moved"

# A name like the one that it would get is taken: that file stays too.
what=taken
begin
echo 'this is no profile' > "$pool"
main squat 2> err
"$SRC/count.sh" "$pool" main 1 || bad=1
[ "$(cat "$pool".corrupt-*[0-9] | sort | paste -sd ' ')" = "minethis is no profile" ] || say "$(ls p; cat p/*corrupt*)"

# It cannot be moved: it stays as it is, and the profile goes to another file of the pool.
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
  other=$(ls p/*_[1-9]*.profraw)
  grep -qx "LLVM Profile Warning: \"$pool\" cannot be merged into: it is no raw profile, the profile goes to \"$other\"\." err || say "$(cat err)"
  "$SRC/count.sh" "$other" main 1 || bad=1
  [ "$(ls -A p | wc -l)" = 2 ] || say "$(ls -A p)"
done
what=around
begin
echo 'this is no profile' > "$pool"
strace -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EINVAL main 2> err
"$SRC/count.sh" "$pool" main 1 || bad=1
[ "$(ls p | wc -l)" = 2 ] || say "$(ls p)"
rm -rf p good foreign wrong err
exit $bad
