/** All files of a pair: the same on both machines. Templates of DRBD, Corosync and sbd; the rules of Pacemaker are in cib.ts. */
import type { Pair } from '../../../daemon/schema/cluster.ts'
import { pairAgent } from './agent.ts'
import { pairCib } from './cib.ts'
import { machineAgent } from './machine-agent.ts'
import { dropIns } from './units.ts'

export interface PairFile {
  readonly path: string
  readonly text: string
}

/** Seconds until a machine without a majority resets itself. */
const watchdogSeconds = 3

/**
 * The witness counts a machine as gone after 1.2 times this, and a machine the witness after 1.6 times. By default that is 12 and 16 s: the
 * other machine waits for the first, and a machine that was cut off, without a switched strip, serves until the second.
 */
const witnessMs = 2000

export function pairFiles(pair: Pair): PairFile[] {
  return [
    { path: '/etc/drbd.d/pbxd.res', text: drbdResource(pair) },
    { path: '/etc/corosync/corosync.conf', text: corosyncConf(pair) },
    { path: '/etc/pbxd-pair/cib.xml', text: pairCib(pair) },
    { path: '/usr/lib/ocf/resource.d/pbxd/pbxd', text: pairAgent(pair) },
    { path: '/usr/lib/ocf/resource.d/pbxd/machine', text: machineAgent() },
    ...dropIns(),
    ...(pair.watchdog === undefined ? [] : [{ path: '/etc/default/sbd', text: sbdDefaults(pair.watchdog) }]),
  ]
}

export function packagesOfPair({ watchdog, fence }: Pair): string[] {
  const always = ['drbd-utils', 'pacemaker', 'corosync', 'corosync-qdevice', 'resource-agents', 'curl']
  return [...always, ...(watchdog === undefined ? [] : ['sbd']), ...(fence === undefined ? [] : ['fence-agents'])]
}

/** Protocol C: a write is acknowledged when both disks have it. A machine is fenced before the other writes alone. */
function drbdResource({ machines, disk }: Pair): string {
  const on = ({ name, address }: Pair['machines'][number], id: number): string => `  on ${name} {
    node-id ${id};
    address ipv4 ${address}:7789;
    device /dev/drbd0 minor 0;
    disk ${disk};
    meta-disk internal;
  }`
  return `resource pbxd {
  net {
    protocol C;
    fencing resource-and-stonith;
    after-sb-0pri disconnect;
    after-sb-1pri disconnect;
    after-sb-2pri disconnect;
  }
  disk { on-io-error detach; }
  handlers {
    fence-peer "/usr/lib/drbd/crm-fence-peer.9.sh";
    after-resync-target "/usr/lib/drbd/crm-unfence-peer.9.sh";
  }
${machines.map(on).join('\n')}
}
`
}

function corosyncConf({ machines, witness }: Pair): string {
  const node = ({ name, address }: Pair['machines'][number], at: number): string =>
    `  node {\n    ring0_addr: ${address}\n    name: ${name}\n    nodeid: ${at + 1}\n  }`
  return `totem {
  version: 2
  cluster_name: pbxd
  transport: knet
  token: 1000
  # The key is /etc/corosync/authkey, made by corosync-keygen: without it every device of the network could command the pair.
  crypto_cipher: aes256
  crypto_hash: sha256
}
nodelist {
${machines.map(node).join('\n')}
}
quorum {
  provider: corosync_votequorum
  device {
    model: net
    votes: 1
    timeout: ${witnessMs}
    net {
      host: ${witness}
      algorithm: ffsplit
    }
  }
}
logging {
  to_syslog: yes
}
`
}

function sbdDefaults(watchdog: string): string {
  return `SBD_PACEMAKER=yes
SBD_STARTMODE=always
SBD_WATCHDOG_DEV=${watchdog}
SBD_WATCHDOG_TIMEOUT=${watchdogSeconds}
`
}
