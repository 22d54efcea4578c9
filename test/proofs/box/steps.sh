# Steps of a proof: a line for each, and the count; sourced.
passed=0 failed=0

stood() { # stood "what" command...
  what=$1; shift
  if out=$("$@" 2>&1); then verdict=stood; passed=$((passed + 1)); else verdict=FELL; failed=$((failed + 1)); fi
  printf '%-6s %-58s %s\n' "$verdict" "$what" "$(printf '%s' "$out" | tail -n 1 | cut -c 1-100)"
  [ "$verdict" = stood ] || printf '%s\n' "$out" | tail -n 15 | sed 's/^/         /'
}
fails() { ! "$@"; }
ended() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
