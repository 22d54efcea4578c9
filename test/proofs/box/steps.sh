# Steps of a proof: a line for each, with the minutes of the proof so far, and the count; and the program that runs this project, by which letters
# are made. Sourced, with $ROOT set.
passed=0 failed=0
first_second=$(date +%s)
node=$(ls -d "$ROOT"/.cache/node-*/node_modules/node-linux-*/bin/node | tail -n 1)

stood() { # stood "what" command...
  what=$1; shift
  if out=$("$@" 2>&1); then verdict=stood; passed=$((passed + 1)); else verdict=FELL; failed=$((failed + 1)); fi
  spent=$(($(date +%s) - first_second))
  printf '%-6s %2d:%02d  %-58s %s\n' "$verdict" $((spent / 60)) $((spent % 60)) "$what" "$(printf '%s' "$out" | tail -n 1 | cut -c 1-100)"
  [ "$verdict" = stood ] || printf '%s\n' "$out" | tail -n 15 | sed 's/^/         /'
}
letter() { "$node" --no-warnings "$ROOT/test/proofs/box/letter.ts" "$1"; } # letter PAGES
fails() { ! "$@"; }
ended() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
