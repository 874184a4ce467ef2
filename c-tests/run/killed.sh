# Runs `$1` and kills it at each file system call in turn, once with no profile there and once with one of an earlier run.
# ALSO: more than one image writes to the file, so that a killed run may leave the profiles of some.
set -u
calls=openat,open,write,writev,pwrite64,pwritev,rename,renameat,renameat2,ftruncate,truncate,fallocate,mmap,munmap,msync,link,linkat,unlink,unlinkat,symlink,fsync,fdatasync,fchmod,chmod,fchown,fcntl,flock,lseek,mkdir,mkdirat,fstat,newfstatat,stat,close,dup,copy_file_range,sendfile,exit_group
mkdir runs
cd runs
export LLVM_PROFILE_FILE=p.profraw
"$1" || exit 1
mv p.profraw ../old
strace -qq -o ../trace -e "trace=$calls" "$1" || exit 1
# The addresses in a profile of a fixed image do not change between runs.
[ -n "${ALSO:-}" ] || cmp -s p.profraw ../old || exit 1
rm p.profraw
bad=0
for call in $(sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' ../trace | sort -u); do
  count=$(grep -c "^$call(" ../trace)
  for n in $(seq "$count"); do
    for old in no yes; do
      rm -rf ../runs/* ../runs/.p* 2>/dev/null
      [ $old = no ] || cp ../old p.profraw
      { strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$n" "$1"; } 2>/dev/null
      for file in *.profraw; do
        if [ "$file" != '*.profraw' ] && [ "$file" != p.profraw ]; then
          echo "killed at $call $n, old file $old: $file is left"
          bad=1
        fi
      done
      if [ -e p.profraw ]; then
        cmp -s p.profraw ../old && continue
        [ -n "${ALSO:-}" ] && "$PROFDATA" show p.profraw >/dev/null 2>&1 && continue
        echo "killed at $call $n, old file $old: $(stat -c %s p.profraw) bytes of $(stat -c %s ../old)"
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
