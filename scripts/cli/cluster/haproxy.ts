/** HAProxy of the edge: requests go to the box of their id, of their Idempotency-Key, to the box of the inbox, or to any that is ready. */
import { createHash } from 'node:crypto'
import type { Cluster, ClusterBox } from '../../../daemon/schema/cluster.ts'

const uuid = (box: string): string => `[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]${box}-[0-9a-f]{12}`
const call = (box: string): string => `(CA|MZ)[0-9a-f]{17}${box}[0-9a-f]{12}`
const any = '[0-9a-f]{3}'
const unknown = 'unknown'
export const slotCount = 256

/** Which box an id in a path belongs to; the last line takes the ids of boxes that are not there. */
export function idsMap(cluster: Cluster): string {
  const line = (digits: string, box: string): string => `/(${call(digits)}|${uuid(digits)})([/.?]|$) ${box}`
  return [...cluster.boxes.map(({ id }) => line(id, id)), line(any, unknown)].join('\n')
}

/** Which box a slot of Idempotency-Keys belongs to. A further box takes slots from all, and no other slot moves (rendezvous hashing). */
export function slotsMap(cluster: Cluster): string {
  const weight = (slot: number, id: string): string => createHash('sha256').update(`${slot}/${id}`).digest('hex')
  const boxOf = (slot: number): string =>
    cluster.boxes.map(({ id }) => ({ id, by: weight(slot, id) })).reduce((most, next) => (next.by > most.by ? next : most)).id
  return Array.from({ length: slotCount }, (_, slot) => `${slot} ${boxOf(slot)}`).join('\n')
}

const error = (code: string, message: string): string => JSON.stringify({ code, error: message }).replaceAll('"', '\\"')

export function haproxyConfig(cluster: Cluster): string {
  const { edge, boxes, inbox = boxes[0]?.id ?? '' } = cluster
  const [address = ''] = edge.address.split('/')
  const { cert } = edge.http
  const collects = '{ path_beg /api/inbox }'
  return `global
  log /dev/log local0
  user haproxy
  group haproxy
  maxconn 4000

defaults
  mode http
  log global
  option httplog
  option forwardfor
  option dontlognull
  timeout connect 2s
  timeout client 130s
  timeout server 130s
  timeout tunnel 1h
  timeout http-request 10s
  # A request is sent once: a box that took it may have carried it out.
  retries 0
  default-server check inter 1s fall 2 rise 1 maxconn 500
  http-error status 503 content-type "application/json" hdr Retry-After 5 string "${error('box_unreachable', 'This box cannot be reached now. Send the request again.')}"

frontend pbx
  bind ${address}:${cert === undefined ? '80' : `443 ssl crt ${cert} alpn http/1.1`}
  # Only the edge says whose request it is.
  http-request del-header X-Forwarded-For
  http-request del-header Forwarded
  http-request set-header X-Forwarded-Proto ${cert === undefined ? 'http' : 'https'}
  http-request set-var(txn.box) path,map_reg(/etc/haproxy/ids.map)
  http-request set-var(txn.box) url_param(box) if ${collects} { url_param(box) -m found } !{ var(txn.box) -m found }
  http-request set-var(txn.box) str(${inbox}) if ${collects} !{ var(txn.box) -m found }
  # What another box received is deleted at the box of the inbox, which has it as well and deletes it there.
  http-request set-var(txn.box) str(${inbox}) if ${collects} METH_DELETE
  http-request set-var(txn.box) req.hdr(Idempotency-Key),xxh32,mod(${slotCount}),map(/etc/haproxy/slots.map) if { req.hdr(Idempotency-Key) -m found } !{ var(txn.box) -m found }
  http-request return status 404 content-type "application/json" string "${error('not_found', 'No box of this house has this id.')}" if { var(txn.box) -m found } !{ var(txn.box) -m str ${boxes.map(({ id }) => id).join(' ')} }
${boxes.map(({ id }) => `  use_backend box-${id} if { var(txn.box) -m str ${id} }`).join('\n')}
  default_backend any

# Requests that any box may take: one that is ready.
backend any
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host pbx
  http-check expect status 200
  http-response set-header X-Box %s
${boxes.map((box) => `  ${server(cluster, box)} weight ${box.weight}`).join('\n')}

${boxes.map((box) => ownBackend(cluster, box)).join('\n\n')}
`
}

/** A box that drains still answers for what it has. */
function ownBackend(cluster: Cluster, box: ClusterBox): string {
  return `backend box-${box.id}
  option httpchk
  http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host pbx
  http-check expect status 200
  http-response set-header X-Box %s
  ${server(cluster, box)}`
}

/** The address of its web port. */
export function webOf({ address, http = `https://${address}:8443` }: ClusterBox): string {
  return http
}

function server({ edge }: Cluster, box: ClusterBox): string {
  const { id } = box
  const { protocol, host } = new URL(webOf(box))
  const port = host.includes(':') ? '' : protocol === 'https:' ? ':443' : ':80'
  const { ca } = edge.http
  const tls = protocol === 'http:' ? '' : ca === undefined ? ' ssl verify none' : ` ssl verify required ca-file ${ca}`
  return `server ${id} ${host}${port}${tls}`
}
