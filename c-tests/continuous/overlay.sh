#!/usr/bin/env bash
# overlay.sh COMMAND COUNT [NAME]...: mounts an overlay, runs the command in it with profiles of each name in the directory `d`, and
# compares the counts of `work`.
set -u
mkdir m && mount -t tmpfs none m && mkdir m/{lower,upper,work,over} || exit
mount -t overlay overlay -o lowerdir=m/lower,upperdir=m/upper,workdir=m/work m/over && cd m/over || exit
command=$1 count=$2
shift 2
[ $# != 0 ] || set -- %c %c%m
for name; do
  mkdir d
  (export LLVM_PROFILE_FILE=d/x$name.profraw; eval "$command")
  bash "$SRC/counts.sh" 'd/*.profraw' work "$count" || exit 1
  rm -r d
done
cd ../.. && umount m/over m && rmdir m
