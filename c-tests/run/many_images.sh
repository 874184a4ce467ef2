#!/usr/bin/env bash
# many_images.sh cost|counts|killed [exit|signal|unload]
set -u
export LLVM_PROFILE_FILE=${LLVM_PROFILE_FILE:-x.profraw}
export DIRECTORY=$PWD/images
mkdir images
for n in $(seq 100); do cp "$BIN/liblib.so" images/$n.so; done
bad=0
say() { echo "$*"; bad=1; }

# Their counts, and where they go to one file that each has one profile there.
check() { # NUMBER
  bash "$SRC/counts.sh" main=1 lib=$(($1 * ($1 + 1) / 2)) x*.profraw || bad=1
  case $LLVM_PROFILE_FILE in
    *%m*) ;;
    *)
      found=$(LC_ALL=C grep -oUaP '\x81[rR]forpl\xff' x.profraw | wc -l)
      [ "$found" = $(($1 + 1)) ] || say "$found profiles of $(($1 + 1)) images"
      ;;
  esac
}

# cost NUMBER WHAT: bytes that are read, written and copied, and calls, from the end of `main` on.
cost() {
  rm -f x*.profraw
  strace -f -o calls -e trace=desc,file,memory main "$2" "$1" images > /dev/null 2>&1
  check "$1"
  # Without what the loader does.
  awk -v directory=images/ '
    index($0, directory) { calls = bytes = 0 }
    /\.so"/ { next }
    { calls++ }
    / (write|writev|pwrite64|pwritev|copy_file_range|sendfile|read|readv|pread64|preadv)\(/ && $NF > 0 { bytes += $NF }
    END { print calls, bytes }' calls
}
case $1 in
  cost)
    few=($(cost 20 "$2"))
    many=($(cost 100 "$2"))
    # Five times as many; seven times is linear enough, and the square is 25 times.
    for i in 0 1; do
      [ "${many[i]}" -le $((${few[i]} * 7)) ] || say "calls and bytes of 20 images: ${few[*]}, of 100: ${many[*]}"
    done
    rm calls
    ;;
  counts)
    main "$2" 20 images || say "exit code $?"
    check 20
    ;;
  killed)
    . "$SRC/stops.sh"
    main exit 3 images || say "exit code $?"
    mv x.profraw images/old
    prepare() {
      rm -f x.profraw
      [ "$1" = no ] || cp images/old x.profraw
    }
    looked() {
      if [ ! -e x.profraw ]; then
        [ "$1" = no ] || [ -z "${__LLVM_PROFILE_RT_INIT_ONCE:-}" ] || wrong "the old file is gone"
      else
        "$PROFDATA" show x.profraw > /dev/null 2>&1 || wrong "the file is torn"
      fi
      [ "$(find . -maxdepth 1 -type f ! -name '.*' ! -name stops | xargs)" = "$(ls -d ./x.profraw 2> /dev/null)" ] || wrong "$(ls -A)"
    }
    LAST=250 each_stop prepare looked main exit 3 images
    ;;
esac
rm -rf images x*.profraw
exit $bad
