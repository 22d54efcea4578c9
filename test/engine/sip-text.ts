/** Bodies and credentials for the messages of a SipPeer. */
import { createHash } from 'node:crypto'
import type { SipMessage } from './sip-peer.ts'

export function sdp(
  port: number,
  { address = '127.0.0.1', codecs = '0 101', direction = 'sendrecv', version = 1, more = [] as string[] } = {},
): string {
  const maps: Record<string, string> = { 0: 'PCMU/8000', 8: 'PCMA/8000', 9: 'G722/8000', 101: 'telephone-event/8000' }
  const family = address.includes(':') ? 'IP6' : 'IP4'
  return [
    'v=0',
    `o=- 1 ${version} IN ${family} ${address}`,
    's=-',
    `c=IN ${family} ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP ${codecs}`,
    ...codecs.split(' ').map((c) => `a=rtpmap:${c} ${maps[c] ?? 'x/8000'}`),
    `a=${direction}`,
    ...more,
    '',
  ].join('\r\n')
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** The Authorization header for a challenge; `name` Proxy-Authorization for 407. */
export function authorization(
  challenge: SipMessage,
  method: string,
  uri: string,
  user: string,
  password: string,
  { nc = 1, cnonce = 'abc', name = 'Authorization' } = {},
): string {
  const given = challenge.headers(name === 'Authorization' ? 'WWW-Authenticate' : 'Proxy-Authenticate')[0] ?? ''
  const of = (field: string): string => new RegExp(`${field}="?([^",]+)"?`).exec(given)?.[1] ?? ''
  const count = nc.toString(16).padStart(8, '0')
  const secret = md5(`${user}:${of('realm')}:${password}`)
  const response = md5(`${secret}:${of('nonce')}:${count}:${cnonce}:auth:${md5(`${method}:${uri}`)}`)
  return `${name}: Digest username="${user}", realm="${of('realm')}", nonce="${of('nonce')}", uri="${uri}", response="${response}", algorithm=MD5, cnonce="${cnonce}", qop=auth, nc=${count}`
}
