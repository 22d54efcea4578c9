/** All files of a cluster, by the machine on which they belong. */
import type { Cluster, EdgeMachine } from '../../../daemon/schema/cluster.ts'
import { haproxyConfig, idsMap, slotsMap, webOf } from './haproxy.ts'
import { dispatcherList, kamailioConfig } from './kamailio.ts'
import { packagesOfPair, pairFiles } from '../pair/files.ts'
import { keepalivedConfig } from './keepalived.ts'

export interface ClusterFile {
  /** Of a machine of the edge, or the id of a box. */
  readonly machine: string
  /** Where it belongs. */
  readonly path: string
  readonly text: string
}

export const mark = 'Written by pbx cluster render from cluster.yaml: change that file, not this one.'

export function clusterFiles(cluster: Cluster): ClusterFile[] {
  return [
    ...cluster.edge.machines.flatMap((machine) => edgeFiles(cluster, machine)),
    ...cluster.boxes.map((box) => boxFile(cluster, box.id)),
    ...(cluster.pair?.machines ?? []).flatMap(({ name }) =>
      pairFiles(cluster.pair!).map(({ path, text }) => ({ machine: name, path, text: marked(text) })),
    ),
  ]
}

/** By the kind of the machine. */
export function allPackages(cluster: Cluster): { readonly of: string; readonly packages: readonly string[] }[] {
  const { edge, pair } = cluster
  return [
    ...(edge.machines.length === 0 ? [] : [{ of: 'Each machine of the edge', packages: packagesOf(cluster) }]),
    ...(pair === undefined
      ? []
      : [
          { of: 'Each machine of the pair', packages: packagesOfPair(pair) },
          { of: 'The witness', packages: ['corosync-qnetd'] },
        ]),
  ]
}

export function packagesOf({ edge }: Cluster): string[] {
  return [
    'kamailio',
    ...(edge.sip.tls === undefined ? [] : ['kamailio-tls-modules']),
    'haproxy',
    ...(edge.machines.length === 1 ? [] : ['keepalived']),
  ]
}

function edgeFiles(cluster: Cluster, machine: EdgeMachine): ClusterFile[] {
  const file = (path: string, text: string): ClusterFile => ({ machine: machine.name, path, text: marked(text) })
  return [
    file('/etc/kamailio/kamailio.cfg', kamailioConfig(cluster, machine)),
    file('/etc/kamailio/dispatcher.list', dispatcherList(cluster)),
    file('/etc/haproxy/haproxy.cfg', haproxyConfig(cluster)),
    file('/etc/haproxy/ids.map', idsMap(cluster)),
    file('/etc/haproxy/slots.map', slotsMap(cluster)),
    ...(cluster.edge.machines.length === 1
      ? []
      : [
          file('/etc/keepalived/keepalived.conf', keepalivedConfig(cluster, machine)),
          file('/etc/sysctl.d/60-pbx-edge.conf', 'net.ipv4.ip_nonlocal_bind = 1'),
        ]),
  ]
}

/** What the configuration of a box says of the cluster; people put it into the rest. */
function boxFile(cluster: Cluster, id: string): ClusterFile {
  const { edge, boxes, inbox = boxes[0]?.id } = cluster
  const [house = ''] = edge.address.split('/')
  const edges = [...new Set([house, ...edge.machines.map(({ address }) => address)])].join(', ')
  const text = `box: { id: "${id}", inbox: "${inbox}" }
${id === inbox ? collected(cluster, id) : ''}http:
  trustedProxies: [${edges}]
sip:
  edges: [${edges}]
# And each trunk: outboundProxy: ${house}`
  return { machine: id, path: '/etc/pbxd/cluster-part.yaml', text: marked(text) }
}

/** The box that programs poll gives them what all others received, too. */
function collected({ edge, boxes }: Cluster, inbox: string): string {
  const others = boxes.filter(({ id }) => id !== inbox)
  if (others.length === 0) return ''
  const ca = edge.http.ca === undefined ? '' : ', ca: /etc/pbxd/boxes.pem'
  const lines = others.map((box) => {
    const api = webOf(box)
    return `    - { id: "${box.id}", api: "${api}", token: { file: /etc/pbxd/collect-${box.id}.token }${api.startsWith('https:') ? ca : ''} }`
  })
  return `collect:\n  boxes:\n${lines.join('\n')}\n`
}

/** Kamailio reads its first line as the kind of the file. */
function marked(text: string): string {
  const ended = text.endsWith('\n') ? text : `${text}\n`
  if (ended.startsWith('<')) return `<!-- ${mark} -->\n${ended}`
  return ended.startsWith('#!') ? ended.replace('\n', `\n# ${mark}\n`) : `# ${mark}\n${ended}`
}
