/** How the configuration says by what a trunk is known for who it is: certificates, realms, proven calls. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'
import { freshCertificate } from '../harness/processes.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbx-trust-'))
t.teardown(() => rmSync(dir, { recursive: true }))
await freshCertificate(dir)
writeFileSync(join(dir, 'text.pem'), 'no certificate')

const base = `
site: { name: Clinic, country: US, timeZone: America/New_York, language: en-US, number: "+15550001000" }
sip: { tls: { listen: "127.0.0.1:5061", cert: "${join(dir, 'cert.pem')}", key: "${join(dir, 'key.pem')}" } }
`

/** What is said of these trunks: faults and warnings. */
function said(...trunks: string[]): { faults: string; warnings: string } {
  const common = 'kind: sip, username: clinic, password: a-long-secret'
  const text = `${base}trunks:\n${trunks.map((trunk, n) => `  - { id: t${n}, ${common}, ${trunk} }\n`).join('')}`
  try {
    return { faults: '', warnings: JSON.stringify(parseConfig(text, join(dir, 'pbxd.yaml')).warnings) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { faults: error.message, warnings: '' }
  }
}

t.test('a TLS trunk is checked unless it says otherwise, and that costs a realm and a warning', async (t) => {
  const tls = 'server: sip.example.net, transport: tls'
  t.match(said(tls), { faults: '' })
  t.match(said(`${tls}, caFile: ${join(dir, 'cert.pem')}`), { faults: '' })
  t.match(said(`${tls}, caFile: cert.pem`), { faults: '' }, 'counted from the folder of the configuration')
  t.match(said(`${tls}, caFile: ${join(dir, 'none.pem')}`).faults, /does not exist or cannot be read/)
  t.match(said(`${tls}, caFile: ${join(dir, 'text.pem')}`).faults, /holds no certificate in PEM form/)
  t.match(said(`${tls}, tlsVerify: false`).faults, /set realm/)
  t.match(said(`${tls}, tlsVerify: false, realm: example.net`), { faults: '', warnings: /can listen to its calls/ })
  t.match(said(`${tls}, tlsVerify: false, realm: x, caFile: ${join(dir, 'cert.pem')}`).faults, /remove one of the two/)
  t.match(said(tls, `${tls}, caFile: ${join(dir, 'cert.pem')}`).faults, /trunk "t0" has the same server/)
  t.match(said(`server: 192.0.2.1, caFile: ${join(dir, 'cert.pem')}`).faults, /needs transport: tls/)
})

t.test('calls over UDP without registration are noted as forgeable, and may be proven', async (t) => {
  t.match(said('server: 192.0.2.1, register: false').warnings, /in the provider’s name.*authenticateInbound/)
  for (const known of ['server: 127.0.0.1', 'server: 192.0.2.1, transport: tcp', 'server: 192.0.2.1, authenticateInbound: true'])
    t.notMatch(said(`${known}, register: false`).warnings, /in the provider’s name/)
  t.match(
    said('server: 192.0.2.1, register: false, authUsername: "", authenticateInbound: true').faults,
    /username and password are missing/,
  )
})
