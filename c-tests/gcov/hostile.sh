#!/usr/bin/env bash
# hostile.sh WHAT: a stranger or an earlier run has prepared a directory, then the victim runs `main` there. Prints a line for each thing that
# differs from what it should be.
set -u
victim=65533 stranger=65534 bad=0 what=
export GCOV_PREFIX=d
file=d/main.gcda
chmod a+rx . "$(dirname "$(command -v main)")"
say() { echo "$what: $*"; bad=1; }
as() { local user=$1; shift; setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"; }
# run [COMMAND...]: the messages are in `err`.
run() {
  "$@" main count 2> err
  [ $? = 7 ] || say "exit code"
}
quiet() { [ ! -s err ] || say "$(cat err)"; }
told() { grep -q "$1" err || say "not told $1: $(cat err)"; }
counts() { # COUNT [FILE]
  local found
  found=$(bash "$SRC/counters.sh" "${2:-$file}" 1 | cut -d ' ' -f 1)
  [ "$found" = "$1" ] || say "$found instead of $1"
}
is() { stat -c '%u:%g %a' "$1"; }
expect() { # OWNER:GROUP MODE
  [ "$(is $file)" = "$1 $2" ] || say "$(is $file), not $1 $2"
}
directory() { # MODE [OWNER:GROUP]
  rm -rf d
  mkdir d
  chown "${2:-$stranger:$stranger}" d
  chmod "$1" d
}
# An old file with the count 1.
plant() { # OWNER:GROUP MODE
  cp old $file
  chown "$1" $file
  chmod "$2" $file
}
umask 022
directory 755 0:0
run
cp $file old

owner() {
  for mode in 4777 6777 1777 2676 666; do
    what="$mode of a stranger"
    directory 777
    plant $stranger:$stranger $mode
    run as $victim
    quiet
    # The victim's own now: with no more rights than a new file has.
    expect $victim:$victim 644
    counts 2
    what="$mode of a stranger, run by the superuser"
    plant $stranger:$stranger $mode
    run
    quiet
    # The superuser can leave it to the stranger.
    expect $stranger:$stranger "${mode: -3}"
    counts 2
  done
  what="own bits, not those beyond permissions"
  directory 777
  plant $victim:$victim 4600
  run as $victim
  expect $victim:$victim 600
  what="own file, of a group that cannot be kept"
  plant $victim:12345 660
  run as $victim
  expect $victim:$victim 640
  what="a stranger's, of a group that can be kept"
  plant $stranger:12345 666
  run setpriv --reuid $victim --regid $victim --groups 12345
  expect $victim:12345 644
  what="sticky"
  directory 1777
  plant $stranger:$stranger 4777
  run as $victim
  quiet
  # Not ours to replace: written in place, and the kernel takes the bits away.
  expect $stranger:$stranger 777
  counts 2
  [ "$(ls -A d)" = main.gcda ] || say "$(ls -A d)"
}

links() {
  local home=$PWD/home
  for user in $victim 0; do
    for target in precious.d notes /dev/null/x; do
      for mode in 777 1777 755; do
        what="user $user, link to $target in a directory of mode $mode"
        rm -rf home
        mkdir -p home/precious.d
        echo precious > home/precious.d/file
        echo precious > home/notes
        chown -R $victim:$victim home
        chmod 700 home
        directory $mode
        [ "${target:0:1}" = / ] && ln -s $target $file || ln -s "$home/$target" $file
        chown -h $stranger:$stranger $file
        run as $user
        [ "$(cat home/precious.d/file home/notes 2>&1)" = "precious
precious" ] || say "$(ls -R home)"
        [ "$(ls -A home | sort | xargs)" = "notes precious.d" ] || say "$(ls -A home)"
        [ -L $file ] || say "no link any more"
        [ "$(ls -A d)" = main.gcda ] || say "$(ls -A d)"
        told 'Failed to write file "d/main.gcda": '
      done
    done
  done
  rm -r home
}

# A file of another build in another user's directory: its counts are replaced.
rebuilt() {
  for user in 0 $victim; do
    for mode in 755 775 777 1777; do
      what="user $user, a directory of mode $mode"
      directory $mode
      plant $stranger:$stranger 666
      # The stamp in the header, or the checksum of a function.
      for at in 8 24; do
        printf x | dd of=$file bs=1 seek=$at conv=notrunc status=none
        run as $user
        told 'Its counts are replaced\.$'
        [ "$(wc -l < err)" = 1 ] || say "$(cat err)"
        counts 1
        run as $user
        quiet
        counts 2
        [ "$(ls -A d)" = main.gcda ] || say "$(ls -A d)"
      done
    done
    what="user $user, another size"
    directory 755
    plant $stranger:$stranger 666
    printf x | dd of=$file bs=1 seek=8 conv=notrunc status=none
    head -c 9000 /dev/zero >> $file
    run as $user
    counts 1
    cmp -s $file old || say "not our file"
    what="user $user, through a link"
    plant $victim:$victim 666
    printf x | dd of=$file bs=1 seek=8 conv=notrunc status=none
    mv $file planted
    cp planted before
    ln -s ../planted $file
    run as $user
    # The directory is the stranger's, who could have exchanged the link.
    told 'Failed to write file "d/main.gcda": it is no regular file'
    cmp planted before || say "changed"
    rm planted before
  done
}

in_the_way() {
  for what in text mkdir mkfifo /dev/null nowhere/x; do
    directory 755 0:0
    case $what in
      text) echo 'no profile' > $file ;;
      mk*) $what $file ;;
      *) ln -s $what $file ;;
    esac
    ls -lA d > before
    run timeout 20
    case $what in
      /dev/null) quiet ;;
      *) told 'Failed to write file "d/main.gcda": ' ;;
    esac
    ls -lA d | diff before - || say "changed"
  done
  rm before
}

users() {
  what="a directory of a group"
  umask 002
  directory 2775 0:4000
  run setpriv --reuid 4001 --regid 4001 --groups 4000
  run setpriv --reuid 4002 --regid 4002 --groups 4000
  quiet
  counts 2
  [ "$(stat -c '%g %a' $file)" = '4000 664' ] || say "$(ls -l $file)"
  umask 022
  what="a process that gives up its rights"
  directory 755 0:0
  main count dump nobody count 2> err
  counts 1
  told 'Failed to write file "d/main.gcda": Permission denied'
  chmod 777 d
  chmod 666 $file
  main count dump nobody count dump count 2> err
  quiet
  # What it has written before does not come again.
  counts 4
}

mounted() {
  directory 755 0:0
  cp old $file
  mount --bind $file $file || exit 1
  what="a mount point"
  run
  quiet
  counts 2
  mount -o remount,bind,ro $file || exit 1
  what="a file that cannot be written"
  run
  told 'Failed to write file "d/main.gcda": Read-only file system'
  counts 2
  umount $file
  [ "$(ls -A d)" = main.gcda ] || say "$(ls -A d)"
}

sandbox() {
  directory 755 0:0
  cp old $file
  main sandbox count 2> err
  # Before Linux 5.13 there is nothing to be tried.
  [ $? != 2 ] || return
  what="no file may be renamed"
  quiet
  counts 2
  run
  counts 3
  [ "$(ls -A d)" = main.gcda ] || say "$(ls -A d)"
}

# Its name is absolute, or relative to the directory of its caller.
set_uid() {
  directory 777 0:0
  cd d || exit 1
  cp "$SRC/hostile.c" main.c
  sed -i "s|\"../merge|\"$SRC/../merge|" main.c
  for name in "$PWD/main.gcda" main.gcda; do
    "$CLANG" -w --coverage -Xclang "-coverage-data-file=$name" -c main.c && "$CLANG" -resource-dir "$RESOURCES" --coverage main.o -o program || exit 1
    chown $stranger program
    chmod u+s program
    for steps in count "count exec" "count exec-fails" "count dump"; do
      what="$name: $steps"
      for variable in LLVM_PROFILE_DUMP_SIGNALS=TERM GCOV_PREFIX=evil GCOV_PREFIX=; do
        # The caller has laid a link where the file would be created.
        case $name.$steps in /*dump) ;; *) ln -s precious main.gcda ;; esac
        env GCOV_PREFIX= $variable ./program $steps 2> ../err
        case $name.$steps in
          /*dump) [ -s main.gcda ] && rm -f main.gcda || say "$variable: not written" ;;
          *dump) grep -q 'Failed to write file "main.gcda": a set-uid program' ../err || say "$variable: $(cat ../err)" ;;
          *) [ ! -s ../err ] || say "$variable: $(cat ../err)" ;;
        esac
        [ "$(ls -A | grep -vx main.gcda | xargs)" = "main.c main.gcno main.o program" ] || say "$variable: written: $(ls -A | xargs)"
        rm -rf main.gcda evil precious
      done
    done
    what="$name: after a failed exec"
    env GCOV_PREFIX= ./program count exec-fails count dump 2> ../err
    case $name in /*) counts 2 main.gcda ;; esac
    rm -f main.gcda
  done
  cd ..
}

"$1"
rm -rf d old err
exit $bad
