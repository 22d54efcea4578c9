/** How the configuration says in which networks a box stands, and what it refuses because it could not be. */
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

/** What is said of this `sip` and these trunks. */
function said(sip: string, ...trunks: string[]): { faults: string; warnings: string } {
  const lines = trunks.map(
    (trunk, n) => `  - { id: t${n}, kind: sip, register: false, authenticateInbound: true, username: a, password: b, ${trunk} }\n`,
  )
  const text = `site: { name: Clinic, country: US, timeZone: America/New_York, language: en-US, number: "+15550001000" }
sip: { ${sip} }
${trunks.length > 0 ? `trunks:\n${lines.join('')}` : ''}`
  try {
    return { faults: '', warnings: JSON.stringify(parseConfig(text, '/srv/pbxd.yaml').warnings) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { faults: error.message, warnings: '' }
  }
}

t.test('IPv4, IPv6, or both by one word', async (t) => {
  for (const udp of ['192.0.2.10:5060', '"[2001:db8::10]:5060"', '"[::]:5060"', '0.0.0.0:5060']) t.equal(said(`udp: ${udp}`).faults, '')
  t.match(said('udp: 192.0.2.10:5060, tcp: "[2001:db8::10]:5060"').faults, /some calls would fail; write udp: "\[::\]:5060"/)
  t.equal(said('udp: "[::]:5060", tcp: 192.0.2.10:5060').faults, '')
})

t.test('a trunk of a family that no listener has is refused with what to write', async (t) => {
  const six = 'server: "[2001:db8::5]:5060"'
  t.match(said('udp: 0.0.0.0:5060', six).faults, /IPv6 address, but no listener has one; write sip\.udp: "\[::\]:5060"/)
  t.match(
    said('udp: "[2001:db8::1]:5060"', 'server: 192.0.2.5').faults,
    /IPv4 address, but no listener has one; write sip\.udp: 0\.0\.0\.0:5060/,
  )
  t.match(said('udp: 0.0.0.0:5060', 'server: sip.example.net, outboundProxy: "[2001:db8::5]:5060"').faults, /outboundProxy: it has an IPv6/)
  t.equal(said('udp: "[::]:5060"', six, 'server: 192.0.2.5', 'server: sip.example.net').faults, '')
})

t.test('the public address is one, of a family that is listened on', async (t) => {
  t.strictSame(said('udp: 0.0.0.0:5060, publicAddress: 198.51.100.7'), { faults: '', warnings: '[]' })
  t.match(said('udp: 0.0.0.0:5060, publicAddress: clinic.example.net').faults, /is not an IP address; if it changes .* leave it out/)
  t.match(said('udp: 0.0.0.0:5060, publicAddress: "2001:db8::7"').faults, /IPv6 address, but no listener has one/)
  t.match(
    said('udp: 0.0.0.0:5060, localNetworks: [10.0.0.0/99]').faults,
    /localNetworks\/0: "10\.0\.0\.0\/99" is not an address or network/,
  )
  t.match(said('publicAddress: 198.51.100.7').warnings, /accept only this machine/)
})
