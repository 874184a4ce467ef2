#!/usr/bin/env bash
# users.sh CASE: runs that may not replace the pool's file. LLVM: the archive writes no files beside it.
set -u
umask 0
export LLVM_PROFILE_FILE=p/%m.profraw
# Others have to get here, and to the program.
chmod a+rx . "$(dirname "$(command -v main)")"
bad=0
say() { echo "$*"; bad=1; }
ours() { [ -z "${LLVM:-}" ]; }

# run STEPS...: a run with one line for every process that had to write beside the file, as many as `$elsewhere`.
elsewhere=0
run() {
  # LLVM's archive would count everything again with a second write.
  ours || set -- $(printf '%s\n' "$@" | grep -vx dump)
  "${as[@]}" main "$@" 2> err
  code=$?
  [ $code = 7 ] || say "exit code $code of: ${as[*]} main $*"
  ours || return
  local line="LLVM Profile Warning: \"$pool\" cannot be merged into: $reason, the profile goes to \"${pool%.profraw}-[0-9]+\.profraw\"\."
  [ "$(grep -Ecx "$line" err)" = "$elsewhere" ] && [ "$(wc -l < err)" = "$elsewhere" ] || say "$*: $(cat err)"
}

# Every file is a profile, all files together have `one` this often, and these are so many.
check() {
  [ "$(find p -type f ! -name '*.profraw')" = '' ] || say "left: $(ls -lA p)"
  "$PROFDATA" merge p -o x.profdata || bad=1
  if [ -n "${VALUES:-}" ]; then
    "$PROFDATA" show --ic-targets --function=main x.profdata | grep -Eq "[ :]one, *$1 " || say "not $1: $("$PROFDATA" show --ic-targets --function=main x.profdata)"
  else
    "$SRC/count.sh" x.profdata one "$1" || bad=1
  fi
  ! ours || [ "$(ls -A p | wc -l)" = "$2" ] || say "not $2 files: $(ls -A p)"
}

as=(env)
mkdir p
main one 2> err || [ $? = 7 ] || exit 1
pool=$(echo p/*.profraw)
case $1 in
  sticky-directory)
    # Only the owner renames.
    chmod 1777 p
    reason=
    run nobody one
    run nobody one dump one dump one
    check 5 1
    # The child has its parent's counts.
    run nobody one fork one
    run one
    check 10 1
    ;;
  other-owner)
    chmod 644 "$pool"
    chmod 777 p
    reason='Permission denied' elsewhere=1
    run nobody one
    run nobody one dump one
    check 4 3
    ;;
  daemon)
    # What the pool has got before must not come again.
    chmod 777 p
    rm "$pool"
    (umask 022; main 2> err)
    reason='Permission denied' elsewhere=1
    run one dump nobody one dump one one
    check 4 2
    # Four processes, of which each child has its parent's counts: the first has given one of three to the pool's file.
    elsewhere=4
    run one dump nobody fork one fork one
    check 16 6
    ;;
  group-directory)
    rm "$pool"
    chmod 770 p
    chgrp 4000 p
    umask 002
    as=(setpriv --reuid 4001 --regid 4001 --groups 4000)
    reason= elsewhere=0
    run one
    as=(setpriv --reuid 4002 --regid 4002 --groups 4000)
    reason='Permission denied' elsewhere=1
    run one
    as=(setpriv --reuid 4001 --regid 4001 --groups 4000)
    reason= elsewhere=0
    run one
    as=(env)
    check 3 2
    ;;
  sandbox)
    main sandbox 2> err
    # Before Linux 5.13 there is nothing to be tried.
    [ $? != 2 ] || { rm -rf p err; exit 0; }
    rm p/*
    reason=
    run one
    run sandbox one
    run sandbox one dump one
    # The new file may not be removed either, and is empty.
    ! ours || { [ -e "p/.${pool#p/}.profrt" ] && [ ! -s "p/.${pool#p/}.profrt" ]; } || say "not emptied: $(ls -lA p)"
    run one
    check 5 1
    ;;
  mount-point | read-only-file)
    mount --bind "$pool" "$pool" || exit 1
    reason= files=1
    if [ "$1" = read-only-file ]; then
      mount -o remount,bind,ro "$pool" || exit 1
      reason='Read-only file system' elsewhere=1 files=3
    fi
    run one
    run one dump one
    check 4 $files
    umount "$pool"
    ;;
  in-the-way)
    # What has the name is no profile of this program, and cannot be moved.
    chmod 1777 p
    reason='it is no raw profile' elsewhere=1
    echo 'no profile' > "$pool"
    chmod 666 "$pool"
    run nobody one
    rm "$pool"
    mkdir "$pool"
    reason='Is a directory'
    run nobody one
    rmdir "$pool"
    check 2 2
    # What is no regular file: nobody reads the pipe, and what goes to devices is lost.
    sum=2 reason='it is no regular file'
    for what in pipe /dev/null /dev/stdout; do
      case $what in
        pipe) mkfifo -m 666 "$pool" ;;
        *) ln -s $what "$pool" ;;
      esac
      run nobody one > out
      [ ! -s out ] || say "written to standard output: $(cat out)"
      rm "$pool" out
      sum=$((sum + 1))
      check $sum $sum
    done
    # failed REASON COMMAND...: one line, and nothing is written.
    failed() {
      local reason=$1
      shift
      "$@" 2> err
      grep -qx "LLVM Profile Error: Failed to write file \"$pool\": $reason" err && [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
    }
    ln -s nowhere/x "$pool"
    failed 'No such file or directory' main nobody one
    rm "$pool"
    ln -s /etc/passwd/x "$pool"
    failed 'Not a directory' main nobody one
    rm "$pool"
    # The name with the number of the process can be guessed.
    mkdir "$pool"
    failed 'Is a directory' bash -c 'mkdir ${0%.profraw}-$$.profraw && exec main nobody one' "$pool"
    find p -mindepth 1 -type d -delete
    check $sum $sum
    ;;
  nothing-works)
    # One line, for the file that was meant.
    chmod 755 p
    chmod 644 "$pool"
    main nobody one 2> err
    grep -qx "LLVM Profile Error: Failed to write file \"$pool\": Permission denied" err && [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
    check 1 1
    chmod 666 "$pool"
    reason=
    run nobody one
    check 2 1
    ;;
esac
rm -rf p err x.profdata
exit $bad
