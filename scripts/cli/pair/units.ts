/**
 * Which units of systemd serve the box, and the drop-ins by which they start on one machine of a pair alone. The mark lies in /run, so it is gone
 * after a boot: until Pacemaker says so, a machine does not serve, whatever is enabled there, and whatever a package starts.
 */

/** There while this machine serves. */
export const activeMark = '/run/pbxd-pair/active'

/** How the pair stands, as crm_mon says it in XML. The agent of each machine writes it. */
export const pairState = '/run/pbxd-pair/state'

/** In the order in which they start. */
export const serving: readonly string[] = [
  'pbxd-engine.service',
  'pbxd.service',
  'pbxd-backup.timer',
  'pbxd-backup.path',
  'pbxd-certificate.timer',
  'pbxd-certificate.path',
  'pbxd-config.path',
]

/** What they start, which holds the disk too while it runs. */
const started: readonly string[] = ['pbxd-backup.service', 'pbxd-certificate.service', 'pbxd-config.service']

/** All that is stopped before the file system is unmounted, the last to start first. */
export const stopping: readonly string[] = [...serving.slice(2), ...started, 'pbxd.service', 'pbxd-engine.service']

export function dropIns(): { readonly path: string; readonly text: string }[] {
  return [...serving, ...started].map((unit) => ({
    path: `/etc/systemd/system/${unit}.d/pair.conf`,
    text: `[Unit]
# This machine may stand by: Pacemaker starts what serves, through ocf:pbxd:pbxd.
ConditionPathExists=${activeMark}
${unit === 'pbxd.service' ? ofPair : ''}`,
  }))
}

const ofPair = `# Three starts in a minute: the other machine takes over.
StartLimitIntervalSec=60
StartLimitBurst=3

[Service]
# How the pair stands. The daemon of a pair ends calls at once when it is stopped: the other machine waits for the disk.
Environment=PBXD_PAIR=${pairState}
`
