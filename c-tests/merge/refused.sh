#!/usr/bin/env bash
# refused.sh PROGRAM: each call that a merging write makes gets each error that it may get, once, by strace.
set -u
export LLVM_PROFILE_FILE=p/%m.profraw
program=$1
mkdir saved
for n in 1 2; do
  "$program"
  cp p/*.profraw saved/$n
done
pool=$(echo p/*.profraw)
cp saved/1 "$pool"
strace -o trace "$program"
# All names are looked up in the directory, which is opened first.
name=${pool#p/}
first=$(grep -n '^openat.*"p/"' trace | head -1 | cut -d: -f1)
last=$(grep -n '^rename' trace | tail -1 | cut -d: -f1)
bad=0 told=0 done=0 elsewhere=0

# What must come of an error: `told` (and all as before), `done`, `warned` (done, with a warning), or `elsewhere` (the pool's file is as
# before, and the profile is beside it).
expected() {
  case $1 in
    # Interrupted calls are made again; a file that somebody has replaced on a server is looked for again.
    *:EINTR | *:ESTALE) echo done ;;
    # A file without a name cannot be had, or not be named: one with a name is made.
    openat-tmpfile:* | linkat:*) echo done ;;
    fcntl:*) echo warned ;;
    # Some of the memory makes it faster only.
    mmap:*) echo either ;;
    # What is given back, whether it is still the same file: one can go on without an answer.
    stat-again:* | munmap:* | fchmod:* | fchown:*) echo done ;;
    *:ENOSPC | *:EDQUOT) echo elsewhere ;;
    # The sum is written into the file that is there.
    *:EACCES | *:EPERM | *:EROFS | *:EBUSY | *:EXDEV | *:ENOSYS | exchange:*) echo done ;;
    *) echo told ;;
  esac
}

try() { # CALL NTH ERROR KIND [MORE CALLS] [MORE INJECTED]
  rm -rf p
  mkdir p
  cp saved/1 "$pool"
  strace -qq -o killed -e trace="$1${5:+,$5}" ${6:+-e inject="$6"} -e inject="$1:error=$3:when=$2" "$program" 2> err
  code=$?
  at="$1 $2 $3"
  [ $code = 7 ] || { echo "$at: exit code $code"; bad=1; }
  want=$(expected "$4:$3")
  other=$(ls -d "${pool%.profraw}"-*.profraw 2> /dev/null)
  [ "$(ls -A p | wc -l)" = $((1 + ($(wc -w <<< "$other")))) ] || { echo "$at: beside the file:"; ls -A p; bad=1; }
  if cmp -s "$pool" saved/1 && [ -n "$other" ]; then
    seen=elsewhere
    cmp "$other" saved/1 || { echo "$at: not the profile"; bad=1; }
    grep -qx "LLVM Profile Warning: \"$pool\" cannot be merged into: [A-Z].*, the profile goes to \"$other\"\." err || { echo "$at: no message"; bad=1; }
    elsewhere=$((elsewhere + 1))
  elif cmp -s "$pool" saved/1; then
    seen=told
    grep -q "^LLVM Profile Error: Failed to write file \"$pool\": [A-Z]" err || { echo "$at: no message"; bad=1; }
    told=$((told + 1))
  elif cmp -s "$pool" saved/2; then
    seen=done
    [ ! -s err ] || seen=warned
    done=$((done + 1))
  else
    echo "$at: the file is torn"
    bad=1
    return
  fi
  [ "$(wc -l < err)" -le 1 ] || { echo "$at: messages:"; cat err; bad=1; }
  [ $seen = "$want" ] || [ "$want" = either ] || { echo "$at: $seen instead of $want: $(cat err)"; bad=1; }
}

for n in $(seq "$first" "$last"); do
  line=$(sed -n "${n}p" trace)
  call=${line%%(*}
  nth=$(head -n "$n" trace | grep -c "^$call(")
  kind=$call errors=
  case $line in
    newfstatat*"$name"*)
      errors="EIO ESTALE" kind=stat
      # Later ones ask whether it is still the same file; it is looked at again.
      [ "$n" = "$((first + 1))" ] || kind=stat-again
      ;;
    # The new file's owner and mode.
    newfstatat\(5,* | fstat\(5,*) errors=EIO kind=stat-again ;;
    newfstatat* | fstat*) errors="EIO ESTALE" kind=fstat ;;
    readlink*) errors="EIO EINTR" ;;
    # The directory: one that may not be read may still be searched.
    openat*O_RDONLY*O_DIRECTORY*) errors="EACCES EIO ESTALE EMFILE EINTR" kind=directory ;;
    openat*TMPFILE*) errors="EACCES EROFS ENOSPC EDQUOT EMFILE EOPNOTSUPP EINTR" kind=openat-tmpfile ;;
    openat*O_CREAT*) errors="EACCES EROFS ENOSPC EDQUOT EMFILE ESTALE EINTR" ;;
    openat*) errors="EACCES EIO ESTALE EMFILE EINTR" ;;
    # A network file system says that the disk is full when the file is closed: asked before it gets its name.
    fcntl*DUPFD*) errors=EMFILE kind=dup ;;
    close*) errors="EDQUOT EIO EINTR" ;;
    fcntl*) errors="ENOLCK EINVAL EIO EINTR ESTALE" ;;
    pread64*) errors="EIO ESTALE EINTR" ;;
    mmap*) errors="ENOMEM ENODEV" ;;
    munmap*) errors=EINVAL ;;
    writev* | pwritev*) errors="ENOSPC EDQUOT EIO EFBIG EINTR" ;;
    ftruncate*) errors="EIO EINTR" ;;
    linkat*) errors="ENOENT EPERM EXDEV" ;;
    # Where names cannot be exchanged, the one takes the other's.
    renameat2*)
      errors="EINVAL ENOSYS EPERM" kind=exchange
      for error in EACCES EPERM EROFS ENOSPC EIO EXDEV EBUSY EINTR; do
        try renameat 1 $error rename renameat2 renameat2:error=EINVAL
      done
      ;;
  esac
  for error in $errors; do
    try "$call" "$nth" "$error" "$kind"
  done
done
# Neither is all of it.
[ $told -gt 5 ] && [ $done -gt 10 ] && [ $elsewhere -gt 3 ] || { echo "only $told errors, $done ways around, $elsewhere elsewhere"; bad=1; }
rm -rf p saved trace killed err
exit $bad
