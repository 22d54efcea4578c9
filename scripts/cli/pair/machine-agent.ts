/**
 * The resource agent `ocf:pbxd:machine`, on both machines: it gives the other what is needed to judge whether this one may take over (version,
 * files of the pair, clock), and the daemon how the pair stands. Pacemaker carries it, so machines of a pair need no access to each other.
 */
import { machineAttributes, witnessMark } from '../../../daemon/pair/standing.ts'
import { agentHead } from './agent.ts'
import { activeMark, pairState } from './units.ts'

/** The property of the cluster: the version that has written the store last. */
export const storeVersion = 'pbxd-store-version'

/** What a machine does without a majority: it stops, unless a person has said that the other one is off. Then this holds until there is one again. */
export const quorumPolicy = { name: 'no-quorum-policy', usual: 'stop', alone: 'ignore' } as const

/** Seconds between two looks. */
export const lookSeconds = 10

/** Files that are the same on both machines of a pair. */
const compared = '/etc/corosync/corosync.conf /etc/drbd.d/pbxd.res /etc/pbxd-pair/cib.xml /usr/lib/ocf/resource.d/pbxd/*'

export function machineAgent(): string {
  return `${agentHead({
    name: 'machine',
    what: 'a machine of a pair of pbxd',
    long: 'Whether this machine of a pair may serve: its version reads the store.',
    actions: { start: 20, stop: 20, monitor: 20 },
  })}
here=/run/pbxd-pair/machine

publish() { attrd_updater --name "$1" --update "$2"; }
# Of no concern to Pacemaker's rules, which it would apply again at each change.
note() { attrd_updater --name "$1" --update "$2" --private; }

version() { sed -n 's/^ *"version": *"\\([^"]*\\)".*/\\1/p' /usr/lib/pbxd/current/package.json 2>/dev/null | head -n 1; }

# The machine that serves says which version the store has; one with an older version does not become primary.
look() {
  mkdir -p /run/pbxd-pair
  own=$(version)
  store=$(crm_attribute --type crm_config --name ${storeVersion} --query --quiet 2>/dev/null)
  if [ -e ${activeMark} ] && [ "$own" != "$store" ]; then
    crm_attribute --type crm_config --name ${storeVersion} --update "$own"
    store=$own
  fi
  fit=1
  [ -n "$own" ] || fit=0
  [ -z "$store" ] || [ "$(printf '%s\\n%s\\n' "$store" "$own" | sort -V | tail -n 1)" = "$own" ] || fit=0
  publish ${machineAttributes.fit} "$fit"
  publish ${machineAttributes.version} "\${own:-none}"
  publish ${machineAttributes.files} "$(cat ${compared} 2>/dev/null | sha256sum | cut -c 1-16)"
  note ${machineAttributes.clock} "$(date +%s)"
  {
    crm_mon --one-shot --output-as=xml --inactive
    echo "<!-- ${witnessMark} $(corosync-qdevice-tool -s 2>/dev/null | sed -n 's/^State:[[:space:]]*//p') -->"
  } >${pairState}.new 2>/dev/null && chmod 0644 ${pairState}.new && mv ${pairState}.new ${pairState}
  if grep -q 'with_quorum="true"' ${pairState} 2>/dev/null &&
    [ "$(crm_attribute --type crm_config --name ${quorumPolicy.name} --query --quiet 2>/dev/null)" = ${quorumPolicy.alone} ]; then
    crm_attribute --type crm_config --name ${quorumPolicy.name} --update ${quorumPolicy.usual}
  fi
  return "$OCF_SUCCESS"
}

case \${1:-} in
  meta-data) metadata ;;
  start) look; : >"$here" ;;
  stop) rm -f "$here" ;;
  monitor | status)
    [ -e "$here" ] || exit "$OCF_NOT_RUNNING"
    look
    ;;
  validate-all) exit "$OCF_SUCCESS" ;;
  *) exit "$OCF_ERR_UNIMPLEMENTED" ;;
esac
`
}
