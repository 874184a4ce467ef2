#!/usr/bin/env bash
# users.sh CASE: runs that may not replace the pool's file. WITHOUT_MEMBERS: the archive writes in place and has no files of its own.
set -u
umask 0
export LLVM_PROFILE_FILE=p/%m.profraw
# Others have to get here, and to the program.
chmod a+rx . "$(dirname "$(command -v main)")"
bad=0
say() { echo "$*"; bad=1; }
ours() { [ -z "${WITHOUT_MEMBERS:-}" ]; }

# run STEPS...: a run with one line for every process that had to write elsewhere, as many as `$elsewhere`.
elsewhere=0
run() {
  # LLVM's archive would count everything again with a second write.
  ours || set -- $(printf '%s\n' "$@" | grep -vx dump)
  "${as[@]}" main "$@" 2> err
  code=$?
  [ $code = 7 ] || say "exit code $code of: ${as[*]} main $*"
  ours || return
  local line="LLVM Profile Warning: \"${pool%_0.profraw}_[0-9]+\.profraw\" cannot be merged into: $reason, the profile goes to \"${pool%_0.profraw}_[0-9]+\.profraw\"\."
  [ "$(grep -Ecx "$line" err)" = "$elsewhere" ] && [ "$(wc -l < err)" = "$elsewhere" ] || say "$*: $(cat err)"
}

# Every file is a profile, all files together have `one` this often, and the pool's file and members are this many.
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
    reason='Operation not permitted' elsewhere=1
    run nobody one
    run nobody one dump one dump one
    check 5 3
    # One line for the process and one for its child, which has its parent's counts.
    elsewhere=2
    run nobody one fork one
    check 9 5
    # Those are of a pool, too.
    elsewhere=0 reason=
    run one
    check 10 5
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
    reason= elsewhere=0
    run one
    reason='Permission denied' elsewhere=1
    run sandbox one
    # Its own file cannot be replaced either, so what is new goes to another one.
    elsewhere=2
    run sandbox one dump one
    check 4 4
    elsewhere=0 reason=
    run one
    check 5 4
    ;;
  mount-point | read-only-file)
    mount --bind "$pool" "$pool" || exit 1
    reason='Device or resource busy' elsewhere=1
    if [ "$1" = read-only-file ]; then
      mount -o remount,bind,ro "$pool" || exit 1
      reason='Read-only file system'
    fi
    run one
    run one dump one
    check 4 3
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
    sum=2
    for what in pipe /dev/null /dev/stdout nowhere/x /etc/passwd/x; do
      case $what in
        pipe) mkfifo -m 666 "$pool"; reason='it is no regular file' ;;
        /dev/*) ln -s $what "$pool"; reason='it is no regular file' ;;
        nowhere/x) ln -s $what "$pool"; reason='No such file or directory' ;;
        *) ln -s $what "$pool"; reason='Not a directory' ;;
      esac
      run nobody one > out
      [ ! -s out ] || say "written to standard output"
      rm "$pool" out
      sum=$((sum + 1))
      check $sum $sum
    done
    # The name with the number of the process can be guessed.
    mkdir "$pool"
    bash -c 'mkdir ${0%_0.profraw}_$$.profraw && exec main nobody one' "$pool" 2> err
    grep -q 'the profile goes to' err && [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
    find p -mindepth 1 -type d -delete
    check $((sum + 1)) $((sum + 1))
    ;;
  nothing-works)
    # One line, for the file that was meant.
    chmod 755 p
    for mode in 644 666; do
      chmod $mode "$pool"
      main nobody one 2> err
      grep -qx "LLVM Profile Error: Failed to write file \"$pool\": Permission denied" err && [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
    done
    check 1 1
    ;;
esac
rm -rf p err x.profdata
exit $bad
