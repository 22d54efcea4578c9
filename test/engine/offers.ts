/** Session descriptions whose media lines a test names in words, each with what a telephone or a carrier writes there. */
const audio =
  (transport: string, formats: string, ...more: readonly string[]) =>
  (port: number) =>
    [`m=audio ${port} ${transport} ${formats}`, ...more].join('\r\n')
const maps = ['a=rtpmap:0 PCMU/8000', 'a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-16']
const key = 'a=crypto:8 AES_CM_128_HMAC_SHA1_80 inline:dEqpO7RgmMamQxQ8S8WFAVE5FOaOEsexwRz74Ql5'

const lines = {
  plain: audio('RTP/AVP', '0 101', ...maps),
  feedback: audio('RTP/AVPF', '0 101', ...maps),
  encrypted: audio('RTP/SAVP', '0 101', key, ...maps),
  'encrypted without a key': audio('RTP/SAVP', '0 101', ...maps),
  'encrypted in an unknown way': audio(
    'RTP/SAVP',
    '0 101',
    'a=crypto:1 ROT13_HMAC inline:dEqpO7RgmMamQxQ8S8WFAVE5FOaOEsexwRz74Ql5',
    ...maps,
  ),
  browser: audio('UDP/TLS/RTP/SAVPF', '0 101', 'a=fingerprint:sha-256 AA:BB', ...maps),
  'G.729': audio('RTP/AVP', '18', 'a=rtpmap:18 G729/8000'),
  'of IPv6': audio('RTP/AVP', '0 101', 'c=IN IP6 2001:db8::1', ...maps),
  inactive: audio('RTP/AVP', '0 101', ...maps, 'a=inactive'),
  off: () => 'm=audio 0 RTP/AVP 0',
  video: (port: number) => `m=video ${port} RTP/AVP 96 34\r\na=rtpmap:96 H264/90000\r\na=rtpmap:34 H263/90000`,
  application: (port: number) => `m=application ${port} UDP/BFCP *\r\na=floorctrl:c-only`,
  fax: (port: number) => `m=image ${port} udptl t38\r\na=T38FaxVersion:0\r\na=T38FaxUdpEC:t38UDPRedundancy`,
} as const

export type Line = keyof typeof lines

/** `ports`: of each line in order; the last one serves all that follow. */
export function offer(kinds: readonly Line[], ports: readonly number[], { address = '127.0.0.1', version = 1, name = 's=-' } = {}): string {
  const head = ['v=0', `o=- 5 ${version} IN IP4 ${address}`, ...(name === '' ? [] : [name]), `c=IN IP4 ${address}`, 't=0 0']
  return [...head, ...kinds.map((kind, n) => lines[kind](ports[n] ?? ports.at(-1) ?? 4000)), ''].join('\r\n')
}

/** The media lines of a description: kind and port. */
export function mediaLines(body: string): { kind: string; port: number }[] {
  return [...body.matchAll(/^m=(\w+) (\d+)/gm)].map(([, kind = '', port = '']) => ({ kind, port: Number(port) }))
}
