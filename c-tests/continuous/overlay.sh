#!/usr/bin/env bash
# overlay.sh COMMAND COUNT [NAME]...: mounts an overlay, runs the command in its directory with each name, and compares the counts of `work`.
set -u
mkdir m && mount -t tmpfs none m && mkdir m/{lower,upper,work,over} || exit
mount -t overlay overlay -o lowerdir=m/lower,upperdir=m/upper,workdir=m/work m/over && cd m/over || exit
command=$1 count=$2
shift 2
for name in "${@:-%c}" ${1:+} %c%m; do
  mkdir d && (export LLVM_PROFILE_FILE=d/x$name.profraw; eval "$command") && : || [ $? = 137 ] || exit 1
  bash "$SRC/counts.sh" 'd/*.profraw' work "$count" || exit 1
  rm -r d
done
cd ../.. && umount m/over m && rmdir m
