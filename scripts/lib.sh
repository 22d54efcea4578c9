# Shared by the shell entries (setup, run, start, test, pbx): where things are, and how progress is shown. POSIX sh.
# UP: from the folder of the entry to the top, where that is not scripts/ itself.
ROOT=$(CDPATH= cd -- "$(dirname -- "$0")/${UP:-..}" && pwd -P)
CACHE="$ROOT/.cache"
NODE_VERSION=22.23.3
case "$(uname -m)" in
  x86_64) NODE_ARCH=x64 ;;
  aarch64) NODE_ARCH=arm64 ;;
  *) NODE_ARCH=unsupported ;;
esac
NODE_HOME="$CACHE/node-$NODE_VERSION/node_modules/node-linux-$NODE_ARCH"
NODE="$NODE_HOME/bin/node"
ENGINE="$CACHE/engine/pbx-engine"

if [ -t 2 ]; then BOLD=$(printf '\033[1m') DIM=$(printf '\033[2m') RED=$(printf '\033[31m') PLAIN=$(printf '\033[0m'); else BOLD= DIM= RED= PLAIN=; fi
say() { printf '%s\n' "$*" >&2; }
die() { printf '%s%s%s\n' "$RED" "$*" "$PLAIN" >&2; exit 1; }

# step "what" command...: runs a command, its output in a log; shows what is done, the seconds taken, and the log's end on failure. The command
# runs in a shell of its own, which is no condition: inside `if`, and next to && or ||, the shell goes on after what failed within a function.
step() {
  attempt "$@"
  [ "$failed" = 0 ] || die "setup stopped at: $what   (whole log: $log)"
}

# optional "what is missing without it" "what" command...: a step that may fail.
optional() {
  without=$1; shift
  attempt "$@"
  [ "$failed" = 0 ] || say "$without; scripts/setup tries again the next time."
}

attempt() {
  what=$1; shift
  mkdir -p "$CACHE/log"
  log="$CACHE/log/$(printf '%s' "$what" | tr -c 'A-Za-z0-9\n' '-' | cut -c1-100).log"
  printf '%s==>%s %s ... ' "$BOLD" "$PLAIN" "$what" >&2
  began=$(date +%s)
  set +e
  (set -e; "$@") >"$log" 2>&1
  failed=$?
  set -e
  if [ "$failed" = 0 ]; then
    printf '%sdone in %ss%s\n' "$DIM" "$(($(date +%s) - began))" "$PLAIN" >&2
  else
    printf '%sfailed%s\n' "$RED" "$PLAIN" >&2
    tail -n 25 "$log" >&2
  fi
}

# The daemon and pbx compiled to JavaScript: without the compiler of TypeScript in its memory it is a third smaller.
PROGRAM="$CACHE/program"
# A small young generation, and one thread next to the loop for V8 (its others cost 7 MB): a box at rest stays small. No debugger by
# signal. What was called 400 times is compiled well, not what was called 3000 times: V8 counts on a compiler between, which Node leaves out.
NODE_FLAGS="--max-semi-space-size=2 --v8-pool-size=1 --invocation-count-for-turbofan=400 --disable-sigusr1"
# What the start needed goes back to the system (4 MB): larger blocks come from it one by one, and a free end is not kept.
NODE_MEMORY="MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=65536"

# For scripts that make packages: the same commit gives the same bytes in every folder, on every day. SOURCE_DATE_EPOCH, or the time of the commit.
same_bytes() {
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null || stat -c %Y "$ROOT/CHANGELOG.md")}
  export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
}
# As dpkg-gencontrol counts: each file in whole kilobytes, everything else as one; a disk's own blocks differ.
kilobytes() { find "$1" -mindepth 1 -path "$1/DEBIAN" -prune -o -type f -printf '%s\n' -o -printf '1\n' | awk '{ total += int(($1 + 1023) / 1024) } END { print total }'; }
