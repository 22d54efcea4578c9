/** Room for calls and the proxies in front of the box, as the configuration says them: what fits, and what is refused with what to write. */
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import { callsAtOnce } from '../../daemon/config/room.ts'

function parsed(sip: string, trunks: readonly string[] = []): ReturnType<typeof parseConfig>['config'] {
  const lines = trunks.map(
    (trunk, n) => `  - { id: t${n}, kind: sip, register: false, authenticateInbound: true, username: a, password: b, ${trunk} }\n`,
  )
  const site = 'site: { name: Clinic, country: US, timeZone: America/New_York, language: en-US, number: "+15550001000" }'
  return parseConfig(`${site}\nsip: { ${sip} }\n${trunks.length > 0 ? `trunks:\n${lines.join('')}` : ''}`, '/srv/pbxd.yaml').config
}

function faults(sip: string, trunks: readonly string[] = []): string {
  try {
    parsed(sip, trunks)
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

const to = (server: string, more = ''): string => `server: "${server}"${more}`
const channels = (...counts: number[]): string[] => counts.map((count, n) => `server: 192.0.2.${n + 1}, channels: ${count}`)

t.test('how many calls there is room for', async (t) => {
  for (const [sip, calls] of [
    ['', 400],
    ['calls: 50', 50],
    ['calls: 1000', 1000],
    ['rtpPorts: 10000-10998', 400],
    ['rtpPorts: 10000-10199', 86],
    ['rtpPorts: 10000-10003', 1],
  ] as const)
    t.equal(callsAtOnce(parsed(sip).sip), calls, sip)
})

const refused: readonly (readonly [string, string, readonly string[], RegExp | ''])[] = [
  ['less than 50', 'calls: 49', [], /sip\/calls/],
  ['more than 1,000', 'calls: 1001', [], /sip\/calls/],
  ['ports for what is asked', 'calls: 400, rtpPorts: 10000-10899', [], ''],
  [
    'too few ports',
    'calls: 500, rtpPorts: 10000-10899',
    [],
    /900 ports are too few for 500 calls at once \(sip\.calls\); write rtpPorts: 10000-11108/,
  ],
  [
    'too few ports at the upper end',
    'calls: 500, rtpPorts: 65000-65535',
    [],
    /536 ports are too few for 500 calls .* write rtpPorts: 10000-19999/,
  ],
  ['channels of all trunks', 'calls: 100', channels(60, 40), ''],
  [
    'more channels than calls',
    'calls: 100',
    channels(60, 41),
    /all trunks together have 101 channels, but at most 100 calls are possible at once; write sip: \{ calls: 101 \}/,
  ],
  ['more channels than are usual', '', channels(200, 201), /have 401 channels, but at most 400 .* write sip: \{ calls: 401 \}/],
  ['more channels than there can be', '', channels(900, 101), /have 1001 channels, .*write fewer channels: sip.calls can be at most 1000/],
  ['101 trunks', 'calls: 1000', channels(...Array.from({ length: 101 }, () => 1)), /there are 101 trunks; at most 100 are possible/],
]
for (const [what, sip, trunks, said] of refused) {
  t.test(`room: ${what}`, async (t) => {
    if (said === '') t.equal(faults(sip, trunks), '')
    else t.match(faults(sip, trunks), said)
  })
}

const edges: readonly (readonly [string, string, readonly string[], RegExp | ''])[] = [
  [
    'an address and a network',
    'edges: [192.0.2.8, 198.51.100.0/24, "2001:db8::/64"]',
    [to('203.0.113.1', ', outboundProxy: 192.0.2.8')],
    '',
  ],
  ['no network', 'edges: [192.0.2.8/99]', [], /sip\/edges\/0: "192\.0\.2\.8\/99" is not an address or network/],
  ['a name', 'edges: [proxy.lan]', [], /sip\/edges\/0: "proxy\.lan" is not an address or network/],
  [
    'a trunk’s server',
    'edges: [192.0.2.8]',
    [to('192.0.2.8')],
    /trunks\/0\/server: 192\.0\.2\.8 is an edge \(sip\.edges\).* write the provider as server and 192\.0\.2\.8 as outboundProxy/,
  ],
  [
    'a trunk’s server with its port, in a network',
    'edges: [192.0.2.0/24]',
    [to('203.0.113.1'), to('192.0.2.77:5070')],
    /trunks\/1\/server: 192\.0\.2\.77 is an edge/,
  ],
  [
    'a trunk’s server of IPv6',
    'udp: "[::]:5060", edges: ["2001:db8::/64"]',
    [to('[2001:db8::7]:5060')],
    /trunks\/0\/server: 2001:db8::7 is an edge/,
  ],
]
for (const [what, sip, trunks, said] of edges) {
  t.test(`edges: ${what}`, async (t) => {
    if (said === '') t.equal(faults(sip, trunks), '')
    else t.match(faults(sip, trunks), said)
  })
}
