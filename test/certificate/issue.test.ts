/** The authority of the box and its certificate, as openssl judges them. */
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { filesBeside, makeAuthority, makeLeaf, permittedOf, type CertificateFiles } from '../../daemon/certificate/issue.ts'
import { boxNames } from '../../daemon/certificate/names.ts'
import { certificateState, isDue, missingIn } from '../../daemon/certificate/state.ts'
import { freshCertificate } from '../harness/processes.ts'

const day = 86_400_000
const box = { names: ['pbx', 'pbx.clinic.lan', 'pbx.local'], addresses: ['192.168.1.20', '203.0.113.7', 'fd00::20'] }

async function made(t: Test, names = box, now = Date.now()): Promise<CertificateFiles & { config: string }> {
  const config = join(t.testdir(), 'pbxd.yaml')
  const files = filesBeside(config)
  await makeAuthority(files, names, now)
  await makeLeaf(files, names, now)
  return { ...files, config }
}

function openssl(...words: string[]): { ok: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync('openssl', words, { encoding: 'utf8' })
  return { ok: status === 0, said: stdout + stderr }
}

t.test('it verifies for the names and addresses of the box, as a server, for 397 days', async (t) => {
  const files = await made(t)
  const verify = (...words: string[]) =>
    openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', files.authority, ...words, files.cert)
  for (const name of box.names) t.match(verify('-verify_hostname', name), { ok: true }, name)
  for (const address of box.addresses) t.match(verify('-verify_ip', address), { ok: true }, address)
  t.match(verify('-verify_hostname', 'other.local'), { ok: false })
  t.match(verify('-verify_ip', '192.168.1.21'), { ok: false })
  const leaf = new X509Certificate(readFileSync(files.cert))
  const authority = new X509Certificate(readFileSync(files.authority))
  const days = (one: X509Certificate) => (Date.parse(one.validTo) - Date.parse(one.validFrom)) / day
  t.ok(days(leaf) <= 397 && days(leaf) > 396, `${days(leaf)}`)
  t.ok(Math.abs(days(authority) - 3652) < 1)
  t.same([leaf.ca, authority.ca, leaf.keyUsage], [false, true, ['1.3.6.1.5.5.7.3.1']])
  const text = openssl('x509', '-in', files.authority, '-noout', '-text').said
  t.match(text, /Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
  t.match(text, /Name Constraints: critical/)
  t.same(
    [files.authorityKey, files.key, files.cert].map((file) => (statSync(file).mode & 0o777).toString(8)),
    ['600', '640', '644'],
  )
})

t.test('the authority can vouch for this box and private networks alone', async (t) => {
  const files = await made(t)
  const dir = join(files.config, '..')
  const at = (name: string) => join(dir, name)
  openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=somebody', '-keyout', at('other.key'), '-out', at('other.csr'))
  const sign = (extensions: string) => {
    writeFileSync(at('extensions'), extensions)
    const by = ['-CA', files.authority, '-CAkey', files.authorityKey, '-CAcreateserial', '-days', '30']
    openssl('x509', '-req', '-in', at('other.csr'), ...by, '-extfile', at('extensions'), '-out', at('other.crt'))
    return openssl('verify', '-CAfile', files.authority, at('other.crt'))
  }
  for (const [name, may] of [
    ['DNS:pbx', true],
    ['DNS:printer.local', true],
    ['DNS:www.pbx.clinic.lan', true],
    ['IP:10.1.2.3', true],
    ['IP:172.31.255.255', true],
    ['IP:fd12::1', true],
    ['IP:203.0.113.7', true],
    ['DNS:example.com', false],
    ['DNS:clinic.lan', false],
    ['DNS:pbx.example.com', false],
    ['DNS:evilpbx', false],
    ['DNS:local.example.com', false],
    ['IP:203.0.113.8', false],
    ['IP:172.32.0.1', false],
    ['IP:8.8.8.8', false],
    ['IP:127.0.0.1', false],
    ['IP:2001:db8::1', false],
  ] as const)
    t.match(sign(`subjectAltName=${name}\n`), may ? { ok: true } : { ok: false, said: /permitted subtree violation/ }, name)
  t.test('nor through an authority below it', async (t) => {
    sign('basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n')
    openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=pbx', '-keyout', at('third.key'), '-out', at('third.csr'))
    writeFileSync(at('extensions'), 'subjectAltName=DNS:pbx\n')
    const by = ['-CA', at('other.crt'), '-CAkey', at('other.key'), '-CAcreateserial', '-days', '30', '-extfile', at('extensions')]
    openssl('x509', '-req', '-in', at('third.csr'), ...by, '-out', at('third.crt'))
    t.match(openssl('verify', '-CAfile', files.authority, '-untrusted', at('other.crt'), at('third.crt')), {
      ok: false,
      said: /path length|invalid CA/,
    })
  })
})

t.test('another one is due 30 days before the end, and for an address that the authority may sign for', async (t) => {
  const now = Date.now()
  const files = await made(t, box, now)
  const state = certificateState(files.config, { cert: files.cert })!
  t.equal(state.maker, 'box')
  const due = (names: typeof box, at = now) => isDue(state, files, names, at)
  t.equal(await due(box), false)
  t.equal(await due(box, now + 366 * day), false)
  t.equal(await due(box, now + 367 * day), true)
  t.equal(await due({ ...box, addresses: ['192.168.1.20'] }), false, 'an address that is gone for a moment')
  t.equal(await due({ ...box, addresses: [...box.addresses, '10.0.0.9'] }), true)
  t.equal(await due({ ...box, addresses: [...box.addresses, '198.51.100.4'] }), false, 'the authority may not sign for it')
  t.equal(await due({ ...box, names: [...box.names, 'phones.example.com'] }), false)
  const more = { names: [...box.names, 'phones.example.com'], addresses: [...box.addresses, '10.0.0.9', '198.51.100.4'] }
  t.same(await permittedOf(files, more), { names: box.names, addresses: [...box.addresses.slice(0, 2), 'fd00::20', '10.0.0.9'] })
  const key = readFileSync(files.key, 'utf8')
  await makeLeaf(files, more, now)
  t.equal(readFileSync(files.key, 'utf8'), key, 'its key stays')
  t.same(missingIn(certificateState(files.config, { cert: files.cert })!.leaf, more), ['phones.example.com', '198.51.100.4'])
})

t.test('whose a certificate is', async (t) => {
  const files = await made(t)
  const dir = join(files.config, '..')
  await freshCertificate(dir)
  t.equal(certificateState(files.config, undefined), null)
  t.equal(certificateState(files.config, { cert: join(dir, 'none.crt') }), null)
  t.equal(certificateState(files.config, { cert: join(dir, 'cert.pem') })?.maker, 'own')
  writeFileSync(files.cert, readFileSync(join(dir, 'cert.pem')))
  t.equal(certificateState(files.config, { cert: files.cert })?.maker, 'old', 'as pbx setup made it before')
})

t.test('what the box is called is read of a configuration that has faults, too', async (t) => {
  const { names, addresses } = boxNames({
    http: { listen: '192.168.7.7:8443', names: ['Phones.Clinic.Example', 'a b', 7] },
    provisioning: { server: '10.9.9.9' },
    sip: { tls: { listen: '192.168.7.8:5061' } },
    trunks: 'no list',
  })
  t.ok(names.includes('phones.clinic.example') && names.some((name) => name.endsWith('.local')))
  t.notOk(names.some((name) => /localhost| /.test(name)))
  for (const address of ['192.168.7.7', '10.9.9.9', '192.168.7.8']) t.ok(addresses.includes(address), address)
  t.notOk(boxNames({ http: { listen: '0.0.0.0:8443' } }).addresses.some((address) => /^(0\.|127\.)/.test(address)))
  for (const strange of [null, 'text', [], { http: [] }]) t.ok(boxNames(strange).names.length > 0)
})
