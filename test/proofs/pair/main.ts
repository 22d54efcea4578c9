/**
 * Two machines that are one box, played in namespaces with Debian's Corosync, Pacemaker and qnetd and the files of `pbx cluster render`: deaths,
 * a cable, a daemon that stands still, switches, a lost majority, a full disk. Root. A folder that is mounted on one machine at a time stands for
 * the disk that DRBD mirrors, small programs for systemd and for a switched strip (stand-ins.ts).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const needed = ['corosync', 'corosync-qdevice', 'pacemakerd', 'crm_mon', 'corosync-qdevice-net-certutil'].map((name) => `/usr/sbin/${name}`)

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'namespaces need root'
  const missing = [...needed, '/usr/bin/corosync-qnetd', '/usr/lib/ocf/resource.d/heartbeat/IPaddr2'].filter((file) => !existsSync(file))
  if (missing.length === 0) return null
  return `${missing.join(', ')} is not there: apt-get install corosync corosync-qdevice corosync-qnetd pacemaker resource-agents libnss3-tools curl`
}

const reason = whyNot()
if (reason === null) {
  const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
  const words = [...apart, process.execPath, join(import.meta.dirname, 'inside.ts'), dir, ...process.argv.slice(2)]
  const { status } = spawnSync('unshare', words, { stdio: 'inherit' })
  process.exit(status ?? 1)
}
console.log(reason)
