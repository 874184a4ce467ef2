#!/usr/bin/env bash
# leftover.sh CASE: what a run does with files that are called as temporary files are.
set -u
umask 022
export LLVM_PROFILE_FILE=p/%m.profraw
chmod a+rx . "$(dirname "$(command -v main)")"
left=p/.profrt-0123456789abcdef
bad=0
say() { echo "$*"; bad=1; }
run() { main "$@"; [ $? = 7 ] || say "exit code of main $*"; }
# The directory, as readers see it, and what is in it besides the pool's file.
check() {
  "$PROFDATA" merge p -o x.profdata || bad=1
  "$SRC/count.sh" x.profdata one "$1" || bad=1
  shift
  [ "$(ls -A p | grep -v '\.profraw$' | paste -sd ' ')" = "$*" ] || say "$(ls -lA p)"
}

run
pool=$(echo p/*.profraw)
case $1 in
  removed)
    # Found by a run that merges, by one that makes a file, and among many others.
    cp "$pool" $left
    cp "$pool" p/.profrt-fedcba9876543210
    run
    check 2
    cp "$pool" $left
    LLVM_PROFILE_FILE=p/%p.profraw run
    check 3
    (cd p && for n in $(seq 300); do : > empty-$n; done)
    cp "$pool" $left
    run
    [ ! -e $left ] || say "left among others"
    rm p/empty-*
    check 4
    # In the directory that a run is in, too.
    cp "$pool" .profrt-0123456789abcdef
    LLVM_PROFILE_FILE=x%m.profraw run
    [ ! -e .profrt-0123456789abcdef ] || say "left here"
    rm x*.profraw
    # Another name of the profile itself: the file stays.
    ln "$pool" $left
    run
    check 5
    ;;
  kept)
    # A writer that lives.
    cp "$pool" $left
    trap 'kill -9 $!' EXIT
    main hold $left &
    until [ -e held ]; do sleep 0.02; done
    run
    [ -s $left ] || say "a live writer's file is gone"
    kill -9 $!
    wait $! 2> /dev/null
    trap - EXIT
    run
    check 3
    # What is not ours: other kinds of files, other names.
    echo precious > precious
    ln -s ../precious $left
    mkfifo p/.profrt-0000000000000000
    mkdir p/.profrt-1111111111111111
    : > p/.profrt-222222222222222
    : > p/.profrt-33333333333333333
    : > p/.profrt-AAAAAAAAAAAAAAAA
    : > p/profrt-4444444444444444
    ls -A p > before
    run
    ls -A p | diff before - || say "removed"
    rm "$left" p/.profrt-0000000000000000
    # A second name goes, the file stays.
    ln precious $left
    run
    [ ! -e $left ] && [ "$(cat precious)" = precious ] || say "precious"
    rm -r precious before held p/.profrt* p/profrt*
    check 5
    ;;
  without-locks)
    cp "$pool" $left
    main 2> err
    [ -s $left ] || say "removed without a lock"
    ;;
  other-users)
    chmod 777 p
    cp "$pool" $left
    chmod 666 $left
    setpriv --reuid 65534 --regid 65534 --clear-groups env LLVM_PROFILE_FILE=p/x%p.profraw main
    [ -s $left ] || say "removed another user's file"
    chown 65534 $left
    run
    check 3
    ;;
  sandbox)
    main sandbox 2> err
    # Before Linux 5.13 there is nothing to be tried.
    [ $? != 2 ] || { rm -rf p err; exit 0; }
    rm p/*
    run
    cp "$pool" $left
    main sandbox 2> err
    [ $? = 7 ] || say "exit code"
    [ ! -s $left ] || say "counted twice"
    run
    "$PROFDATA" merge p -o x.profdata || bad=1
    "$SRC/count.sh" x.profdata one 3 || bad=1
    ;;
  crowd)
    # Writers that live are let be, also before they have locked their file.
    for n in $(seq 30); do main & done
    wait
    check 31
    ;;
esac
rm -rf p err x.profdata
exit $bad
