#!/usr/bin/env bash
# crowd.sh [some]: `ends` says which processes ended well; process N has called fN once. In the files of `p` those have all their counts,
# the killed ones all or none of theirs. some: all have all or none.
set -eu
"$PROFDATA" merge p/*.profraw -o x.profdata
"$PROFDATA" show --all-functions --counts x.profdata > shown
rm x.profdata
awk -v some="${1:-}" '
  /^ended/ { end[$2] = $3; if ($3 == "well") { well++ } else { killed++ }; next }
  /^  [a-z0-9]*:$/ { name = $1; sub(/:/, "", name) }
  /Function count:/ { count[name] = $3 }
  END {
    for (name in end) {
      if (count[name] != 1 && (!some && end[name] == "well" || count[name] != 0)) { print name, "ended", end[name] ":", count[name]; bad = 1 }
      sum += count[name]
    }
    if (sum != count["main"]) { print "main:", count["main"], "instead of", sum; bad = 1 }
    exit bad
  }' ends shown
rm shown
