# counts.sh FUNCTION=COUNT... FILE...: all files together say that the functions were called so often; or FUNCTION=LEAST..MOST.
set -u
wanted=() files=()
for arg; do
  case $arg in *=*) wanted+=("$arg") ;; *) files+=("$arg") ;; esac
done
text=$("$PROFDATA" merge --text "${files[@]}" -o - 2>../complaint) || { cat ../complaint; exit 1; }
wrong=0
for one in "${wanted[@]}"; do
  # The first number behind the line that says what follows.
  count=$(awk -v name="${one%=*}" '$0 == name { inside = 1 } inside && counts { print; exit } inside && /^# Counter Values/ { counts = 1 }' <<< "$text")
  range=${one#*=}
  if [ -z "$count" ] || [ "$count" -lt "${range%..*}" ] || [ "$count" -gt "${range#*..}" ]; then
    echo "${one%=*} was called $range times, the profile says '$count'"
    wrong=1
  fi
done
rm -f ../complaint
exit $wrong
