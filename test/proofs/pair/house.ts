/** The house of the proof: addresses, the description of the pair, the configuration of the box, the wires. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'

export const pairAddress = '10.212.0.21'
export const provider = '10.212.0.20'
/** The machine on which the proof runs: its application, its strip. */
export const hub = '10.212.0.1'
export const phoneAddress = '10.212.0.41'
export const token = 'pair-0123456789abcdef'
export const phonePassword = 'a-long-password-of-101'

export const description = `pair:
  address: ${pairAddress}/24
  interface: eth0
  machines: [{ name: a, address: 10.212.0.2 }, { name: b, address: 10.212.0.3 }]
  witness: 10.212.0.40
  disk: /dev/vg0/pbxd
  web: http://ADDRESS:8080
  fence: { agent: fence_ipmilan, options: { ip: "%n" } }
`

export const configuration = {
  site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' },
  storage: { dir: '/var/lib/pbxd' },
  http: { listen: `${pairAddress}:8080` },
  control: { socket: '/run/pbxd/pbxd.sock' },
  auth: {
    tokens: [
      { name: 'proof', sha256: createHash('sha256').update(token).digest('hex'), scopes: ['send', 'inbox', 'voice', 'crm', 'admin'] },
    ],
  },
  sip: { udp: `${pairAddress}:5060`, tcp: `${pairAddress}:5060`, rtpPorts: '10000-10999' },
  trunks: [
    {
      ...{ id: 'main', server: provider, username: 'clinic', password: 'secret', register: false },
      ...{ numbers: ['+15550001000'], channels: 100, default: true, srtp: 'off' },
    },
  ],
  extensions: [{ number: '101', password: phonePassword }],
  voice: {
    endpoints: [
      {
        id: 'app',
        controlUrl: `http://${hub}:9000/voice`,
        secret: 'whsec_voice_0123456789abcdef',
        statusCallbackUrl: `http://${hub}:9000/status`,
      },
    ],
  },
  outbound: [{ to: '+1*', trunks: ['main'] }],
  inbound: [{ trunk: 'main', destination: 'endpoint:app' }],
  sms: { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] },
  limits: { requestsPerSecond: 1000, burst: 1000 },
}

/** One bridge with a cable to each machine; provider, phones and application are on the bridge itself. */
export function network(machines: Readonly<Record<string, string>>): void {
  mkdirSync('/run/netns', { recursive: true })
  ran('mount', '--make-rprivate', '/')
  ran('mount', '-t', 'tmpfs', 'none', '/run/netns')
  const ip = (...words: string[]): void => ran('ip', ...words)
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', 'name', 'bridge0', 'type', 'bridge')
  ip('link', 'set', 'bridge0', 'up')
  for (const address of [hub, provider, phoneAddress]) ip('address', 'add', `${address}/24`, 'dev', 'bridge0')
  for (const [name, address] of Object.entries(machines)) {
    ip('netns', 'add', name)
    ip('link', 'add', 'name', `to-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('link', 'set', `to-${name}`, 'master', 'bridge0', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
    powered(name, address, true)
  }
}

/** A machine without power answers for no address, whichever it had. */
export function powered(name: string, address: string, on: boolean): void {
  ran('ip', '-n', name, 'address', 'flush', 'dev', 'eth0')
  ran('ip', '-n', name, 'link', 'set', 'eth0', on ? 'up' : 'down')
  if (on) ran('ip', '-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
}

function ran(program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
}
