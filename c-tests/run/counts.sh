# counts.sh FUNCTION=COUNT... FILE...: all files together say that the functions were called so often; or FUNCTION=LEAST..MOST.
set -u
wanted=() files=()
for arg; do
  case $arg in *=*) wanted+=("$arg") ;; *) files+=("$arg") ;; esac
done
"$PROFDATA" merge "${files[@]}" -o ../merged 2>../complaint || { cat ../complaint; exit 1; }
wrong=0
for one in "${wanted[@]}"; do
  count=$("$PROFDATA" show --counts --function="${one%=*}" ../merged |
    awk -v name="${one%=*}:" '/^  [^ ]/ { inside = $1 == name } inside && /Function count:|Block counts:/ { gsub(/[^0-9,]/, ""); split($0, all, ","); print all[1]; exit }')
  range=${one#*=}
  if [ -z "$count" ] || [ "$count" -lt "${range%..*}" ] || [ "$count" -gt "${range#*..}" ]; then
    echo "${one%=*} was called $range times, the profile says '$count'"
    wrong=1
  fi
done
rm -f ../merged ../complaint
exit $wrong
