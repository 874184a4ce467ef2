#!/usr/bin/env bash
# many_images.sh counts|killed [exit|signal|unload]
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

case $1 in
  counts)
    expected=0
    [ "$2" != signal ] || expected=143
    main "$2" 20 images
    code=$?
    [ $code = $expected ] || say "exit code $code"
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
    readable() { "$PROFDATA" show x.profraw > /dev/null && echo yes; }
    looked() {
      if [ ! -e x.profraw ]; then
        [ "$1" = no ] || [ -z "${__LLVM_PROFILE_RT_INIT_ONCE:-}" ] || wrong "the old file is gone"
      else
        [ "$(asked x.profraw readable)" = yes ] || wrong "the file is torn"
      fi
      [ "$(find . -maxdepth 1 -type f ! -name '.*' ! -name stops | xargs)" = "$(ls -d ./x.profraw 2> /dev/null)" ] || wrong "$(ls -A)"
    }
    LAST=125 each_stop prepare looked main exit 3 images
    ;;
esac
rm -rf images x*.profraw
exit $bad
