#!/usr/bin/env bash
# hostile.sh WHAT: a stranger prepares a directory, then the victim runs `main` there. Exit code 1 and a line for each thing that
# the stranger has gained or destroyed.
set -u
victim=65533 stranger=65534 bad=0 what=
say() { echo "$what: $*"; bad=1; }
as() { local user=$1; shift; setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"; }
run() { # USER NAME: the messages are in `err`.
  as "$1" env LLVM_PROFILE_FILE="$2" main 2> err
  [ $? = 7 ] || say "exit code"
}
counts() { bash "$SRC/counts.sh" work="$1" "$2" || say "counts of $2"; }
# What a file is: owner, group, mode. One that is not there is `-`.
is() { stat -c '%u:%g %a' "$1" 2> /dev/null || echo -; }
expect() { # FILE OWNER:GROUP MODE
  [ "$(is "$1")" = "$2 $3" ] || say "$1 is $(is "$1"), not $2 $3"
}
plant() { # FILE OWNER:GROUP MODE
  : > "$1"
  chown "$2" "$1"
  chmod "$3" "$1"
}

# Everybody may write in `d`, which belongs to the stranger.
directory() { # MODE [OWNER:GROUP]
  rm -rf d
  mkdir d
  chown "${2:-$stranger:$stranger}" d
  chmod "$1" d
}

owner() {
  umask 022
  # Otherwise the start removes a file without %m.
  export __LLVM_PROFILE_RT_INIT_ONCE=1
  for name in x.profraw %m.profraw; do
    file=d/x.profraw
    [ $name = x.profraw ] || { directory 777; run $victim d/$name; file=$(echo d/*); }
    for mode in 4777 6777 1777 2676 666; do
      what="$name $mode of a stranger"
      directory 777
      plant "$file" $stranger:$stranger $mode
      run $victim d/$name
      # The victim's own now: with no more rights than a new file has.
      expect "$file" $victim:$victim 644
      counts 1 "$file"
      # The superuser can leave it to the stranger.
      what="$name $mode of a stranger, run by the superuser"
      plant "$file" $stranger:$stranger $mode
      run 0 d/$name
      expect "$file" $stranger:$stranger "${mode: -3}"
    done
    what="$name of a stranger, not for its new owner"
    directory 777
    plant "$file" $stranger:$stranger 006
    run $victim d/$name
    expect "$file" $victim:$victim 604
    what="$name: own bits, not those beyond permissions"
    plant "$file" $victim:$victim 4600
    run $victim d/$name
    expect "$file" $victim:$victim 600
    plant "$file" $victim:$victim 666
    run $victim d/$name
    expect "$file" $victim:$victim 666
    what="$name: own file, of a group that cannot be kept"
    plant "$file" $victim:12345 660
    run $victim d/$name
    expect "$file" $victim:$victim 640
    plant "$file" $victim:12345 606
    run $victim d/$name
    expect "$file" $victim:$victim 606
    what="$name: own file, of a group that can be kept"
    plant "$file" $victim:12345 660
    setpriv --reuid $victim --regid $victim --groups 12345 -- env LLVM_PROFILE_FILE=d/$name main
    expect "$file" $victim:12345 660
    what="$name: a stranger's, of a group that can be kept"
    plant "$file" $stranger:12345 664
    setpriv --reuid $victim --regid $victim --groups 12345 -- env LLVM_PROFILE_FILE=d/$name main
    expect "$file" $victim:12345 644
  done
  what="sticky"
  directory 1777
  plant d/x.profraw $stranger:$stranger 4777
  run $victim d/x.profraw
  # Not ours to replace: written in place, and the kernel takes the bits away.
  expect d/x.profraw $stranger:$stranger 777
  counts 1 d/x.profraw
  [ "$(ls -A d)" = x.profraw ] || say "$(ls -A d)"
}

users_unknown() {
  umask 022
  export __LLVM_PROFILE_RT_INIT_ONCE=1
  # Some systems allow no namespaces to ordinary users.
  as $victim unshare -U true 2> /dev/null || return
  for name in x.profraw %m.profraw; do
    file=d/x.profraw
    [ $name = x.profraw ] || { directory 777; run $victim d/$name; file=$(echo d/*); }
    what="$name of a stranger, in a namespace"
    directory 777
    plant "$file" $stranger:$stranger 4777
    as $victim unshare -U env LLVM_PROFILE_FILE=d/$name main 2> err
    expect "$file" $victim:$victim 644
    counts 1 "$file"
    what="$name of the victim, in a namespace"
    rm "$file"
    as $victim unshare -U env LLVM_PROFILE_FILE=d/$name main 2> err
    as $victim unshare -U env LLVM_PROFILE_FILE=d/$name main 2> err
    expect "$file" $victim:$victim 644
  done
}

# The victim's: a directory, a file, and a profile of the same program.
precious() {
  rm -rf home
  mkdir home home/precious.d
  echo precious > home/precious.d/file
  echo precious > home/notes
  chown -R $victim:$victim home
  chmod 700 home
}
untouched() {
  [ "$(cat home/precious.d/file home/notes 2>&1)" = "precious
precious" ] || say "$(ls -R home; cat err)"
  [ "$(ls -A home | sort | xargs)" = "notes precious.d" ] || say "$(ls -A home; cat err)"
}

links() {
  home=$PWD/home
  directory 777
  run $victim d/%m.profraw
  pool=$(echo d/*)
  directory 777
  run $victim d/%c%m.profraw
  for user in $victim 0; do
    for name in %m.profraw %c%m.profraw x.profraw x%c.profraw; do
      case $name in
        *%m.profraw) file=$pool ;;
        *) file=d/x.profraw ;;
      esac
      for target in precious.d notes; do
        for mode in 777 1777; do
          what="user $user, $name, link to $target in a directory of mode $mode"
          precious
          directory $mode
          ln -s "$home/$target" "$file"
          chown -h $stranger:$stranger "$file"
          run $user "d/$name"
          untouched
          [ -L "$file" ] || say "no link any more"
          grep -q 'Failed to write file\|is locked\|goes to' err || [ "$(ls d | wc -l)" -gt 1 ] || say "not told: $(cat err)"
        done
      done
    done
  done

  for place in 'mine 755 65533' 'sticky 1777 65533' 'others 757 65533' 'the_group 775 65533' 'the_stranger 755 65534'; do
    read -r whose mode owner <<< "$place"
    what="a link of the victim in a directory that $whose can change"
    directory "$mode" "$owner:$owner"
    rm -f made
    ln -s ../made d/x.profraw
    chown -h $victim:$victim d/x.profraw
    chmod 777 .
    run $victim d/x.profraw
    case $whose in
      mine | sticky) counts 1 made ;;
      *) [ -e made ] && say "followed"; grep -q 'it is no regular file' err || say "not told: $(cat err)" ;;
    esac
    chmod 755 .
  done
  what="a socket of a stranger"
  directory 777
  python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("d/x.profraw")'
  chown $stranger:$stranger d/x.profraw
  as $victim env LLVM_PROFILE_FILE=d/x.profraw timeout 20 main 2> err
  grep -q 'goes to "d/x-[0-9]*.profraw"' err || say "not told: $(cat err)"

  what="a directory in the pool's place"
  for name in %m.profraw %c%m.profraw; do
    directory 755 $victim:$victim
    mkdir $pool
    echo precious > $pool/file
    chown -R $victim:$victim d
    run $victim d/$name
    [ "$(cat $pool/file)" = precious ] || say "moved: $(ls -R d)"
    grep -q "$pool.*Is a directory" err || say "$(cat err)"
  done

  # It is left alone, and the profile goes elsewhere.
  for name in %m.profraw %c%m.profraw; do
    what="a damaged file, $name"
    directory 755 "$victim:$victim"
    echo 'this is no profile' > $pool
    chown $victim:$victim $pool
    run $victim d/$name
    [ "$(cat $pool)" = 'this is no profile' ] || say "changed"
    grep -q "it is no raw profile" err || say "$(cat err)"
    rm $pool
    counts 1 d/*
  done

  what="a link to a profile, of the victim's own"
  rm -rf e
  directory 755 $victim:$victim
  mkdir e
  chown $victim:$victim e
  ln -s ../e/pool $pool
  for name in %m.profraw %m.profraw %c%m.profraw; do run $victim d/$name; done
  [ -L $pool ] || say "no link any more"
  counts 2 e/pool
  [ "$(ls -A e)" = pool ] || say "$(ls -A e)"
  rm $pool
  counts 1 d/*
  rm -rf home d e err
}

# Links of strangers in sticky directories are not followed, whether or not the kernel's protection is on.
protected() {
  local switch=/proc/sys/fs/protected_symlinks
  exec 9< $switch
  flock 9
  local before=$(cat $switch)
  trap "echo $before > $switch" EXIT
  for on in 0 1; do
    echo $on > $switch
    links
    directory 1777 0:0
    mkdir e
    chown $victim:$victim e
    for name in x.profraw x%c.profraw; do
      for target in "" old; do
        what="protected_symlinks $on, $name, target $target"
        rm -rf e/*
        [ -z "$target" ] || { echo old > e/x; chown $victim:$victim e/x; }
        rm -f d/x.profraw
        ln -s ../e/x d/x.profraw
        chown -h $stranger:$stranger d/x.profraw
        run $victim d/$name
        [ "$(cat e/* 2> /dev/null)" = "$target" ] || say "written through the link"
        counts 1 d/x-*
        rm d/x-*
      done
    done
    rm -rf d e err
  done
}

no_proc() {
  directory 755 0:0
  what=link
  ln -s target d/x.profraw
  run 0 d/x.profraw
  [ -L d/x.profraw ] || say "no link any more"
  counts 1 d/target
  what=pool
  rm d/*
  run 0 d/%m.profraw
  run 0 d/%m.profraw
  pool=$(echo d/*)
  counts 2 $pool
  mv $pool d/target
  ln -s target $pool
  run 0 d/%m.profraw
  [ -L $pool ] || say "no link any more"
  counts 3 d/target
}

"$1"
rm -rf d err
exit $bad
