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
first=$(grep -n "$pool" trace | head -1 | cut -d: -f1)
last=$(grep -n '^rename' trace | cut -d: -f1)
bad=0 told=0 done=0

# What must come of an error: `told` (and all as before), `done`, or `warned` (done, with a warning).
expected() {
  case $1 in
    # Interrupted calls are made again.
    *:EINTR) echo done ;;
    # A file without a name cannot be had, or not be named: one with a name is made.
    openat-tmpfile:EOPNOTSUPP | linkat:*) echo done ;;
    fcntl:*) echo warned ;;
    # Some of the memory makes it faster only.
    mmap:*) echo either ;;
    # Whether there is a limit, what is given back, whether it is still the same file: one can go on without an answer.
    stat-again:* | prlimit64:* | munmap:* | fchmod:* | fchown:* | exchange:*) echo done ;;
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
  [ "$(ls -A p)" = "${pool#p/}" ] || { echo "$at: beside the file:"; ls -A p; bad=1; }
  want=$(expected "$4:$3")
  if cmp -s "$pool" saved/1; then
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
    newfstatat*"$pool"*)
      errors=EIO kind=stat
      # Later ones ask whether it is still the same file; it is looked at again.
      [ "$n" = "$first" ] || kind=stat-again
      ;;
    # The new file's owner and mode.
    newfstatat\(4,* | fstat\(4,*) errors=EIO kind=stat-again ;;
    newfstatat* | fstat*) errors=EIO kind=fstat ;;
    readlink*) errors="EIO EINTR" ;;
    openat*TMPFILE*) errors="EACCES EROFS ENOSPC EDQUOT EMFILE EOPNOTSUPP EINTR" kind=openat-tmpfile ;;
    openat*O_CREAT*) errors="EACCES EROFS ENOSPC EDQUOT EMFILE" ;;
    openat*) errors="EACCES EIO ESTALE EMFILE EINTR" ;;
    # A network file system says that the disk is full when the file is closed: asked before it gets its name.
    fcntl*DUPFD*) errors=EMFILE kind=dup ;;
    close*) errors="EDQUOT EIO EINTR" ;;
    fcntl*) errors="ENOLCK EINVAL EIO EINTR" ;;
    pread64*) errors="EIO ESTALE EINTR" ;;
    mmap*) errors="ENOMEM ENODEV" ;;
    munmap* | prlimit64*) errors=EINVAL ;;
    writev*) errors="ENOSPC EDQUOT EIO EFBIG EINTR" ;;
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
[ $told -gt 10 ] && [ $done -gt 10 ] || { echo "only $told errors and $done ways around"; bad=1; }
rm -rf p saved trace killed err
exit $bad
