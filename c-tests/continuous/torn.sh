#!/usr/bin/env bash
# torn.sh PROGRAM STEPS...: runs it and kills it at each system call for files and memory in turn, with no profile there and with
# one of an earlier run. Each time there is no file, the old one, or a whole one that counts `work` 0, 3 or 7 times.
set -u
calls=openat,open,write,writev,pwrite64,rename,renameat2,ftruncate,fallocate,mmap,munmap,mremap,link,linkat,unlink,fchmod,fchown,fcntl,newfstatat,fstat,close,exit_group
export LLVM_PROFILE_FILE=a%c.profraw
mkdir runs
cd runs
"$@" || exit 1
mv a.profraw ../old
strace -qq -o ../trace -e "trace=$calls" "$@" || exit 1
bad=0
for call in $(sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' ../trace | sort -u); do
  for n in $(seq "$(grep -c "^$call(" ../trace)"); do
    for old in no yes; do
      rm -rf ../runs/* ../runs/.p*
      [ $old = no ] || cp ../old a.profraw
      { strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$n" "$@"; } >/dev/null 2>&1
      if [ -e a.profraw ]; then
        cmp -s a.profraw ../old && continue
        # Names of other functions, and of their files, may contain the name.
        counts=$("$PROFDATA" show --counts --function=work a.profraw 2>&1 | awk '
          /^  [^ ].*:$/ { ours = $0 ~ /^  (.*[:;])?work:$/ }
          ours && /(Function count: |Block counts: \[)[0-9]/ { gsub(/[^0-9 ]/, ""); print $1; exit }')
        case $counts in 0 | 3 | 7) continue ;; esac
        echo "killed at $call $n, old file $old: counts $counts"
        bad=1
      elif [ $old = yes ]; then
        echo "killed at $call $n: the old file is gone"
        bad=1
      fi
    done
  done
done
cd ..
rm -rf runs old trace
exit $bad
