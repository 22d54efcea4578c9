/** The certificate of the box in use: at the web port, at plain http and at SIP over TLS; replaced and renewed while the daemon runs. */
import { execFile, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { filesBeside, makeLeaf } from '../../daemon/certificate/issue.ts'
import { boxNames } from '../../daemon/certificate/names.ts'
import { Daemon, freePort } from '../harness/daemon.ts'
import { freshCertificate } from '../harness/processes.ts'
import { eventually } from '../harness/scene.ts'

t.setTimeout(180_000)
const run = promisify(execFile)

async function curl(...words: string[]): Promise<string> {
  try {
    return (await run('curl', ['--silent', '--show-error', '--noproxy', '*', '--max-time', '10', ...words])).stdout
  } catch (error) {
    return `curl: ${(error as { stderr: string }).stderr}`
  }
}

async function boxed(t: Test) {
  const plain = await freePort()
  const daemon = await Daemon.create({
    app: 'http://127.0.0.1:9',
    trunkPort: 9,
    settings: (base) => {
      for (const key of ['trunks', 'extensions', 'voice', 'inbound']) delete base[key]
      Object.assign(base['http'] as object, { names: ['box.clinic.lan'], redirect: `127.0.0.1:${plain}` })
    },
  })
  t.teardown(() => daemon.close())
  const files = filesBeside(daemon.configFile)
  const config = readFileSync(daemon.configFile, 'utf8')
  const pair = `tls:\n    cert: ${files.cert}\n    key: ${files.key}\n`
  writeFileSync(
    daemon.configFile,
    config
      .replace(/^http:\n/m, `http:\n  ${pair}`)
      .replace(/cert: .*cert\.pem\n(\s+)key: .*key\.pem/, `cert: ${files.cert}\n$1key: ${files.key}`),
  )
  const made = await daemon.pbx('certificate', 'make', '--config', daemon.configFile)
  t.equal(made.code, 0, made.error)
  const web = daemon.http.replace('http:', 'https:')
  await daemon.start(false)
  await eventually('the web port', async () => (await curl('--cacert', files.authority, `${web}/healthz`)) === '{"ok":true}')
  return { daemon, files, web, plain, made: made.out, port: Number(new URL(web).port) }
}

/** What a port shows. */
function shown(port: number): X509Certificate | null {
  const { stdout } = spawnSync('openssl', ['s_client', '-connect', `127.0.0.1:${port}`], { input: '', encoding: 'utf8', timeout: 10_000 })
  const pem = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/.exec(stdout)?.[0]
  return pem === undefined ? null : new X509Certificate(pem)
}

t.test('browsers that trust the authority take it, under the name and the address', async (t) => {
  const { daemon, files, web, plain, made, port } = await boxed(t)
  const named = ['--resolve', `box.clinic.lan:${port}:127.0.0.1`, `https://box.clinic.lan:${port}/healthz`]
  t.equal(await curl('--cacert', files.authority, ...named), '{"ok":true}')
  t.match(await curl(`${web}/healthz`), /curl: .*certificate/, 'nobody else')
  const other = ['--resolve', `example.com:${port}:127.0.0.1`, `https://example.com:${port}/healthz`]
  t.match(await curl('--cacert', files.authority, ...other), /curl: .*name/)
  const authority = readFileSync(files.authority, 'utf8')
  t.equal(await curl(`http://127.0.0.1:${plain}/authority.crt`), authority)
  t.equal(await curl('--cacert', files.authority, `${web}/authority.crt`), authority)
  t.match(made, new X509Certificate(authority).fingerprint256)
  t.match((await daemon.pbx('certificate')).out.replaceAll(/\s+/g, ''), new X509Certificate(authority).fingerprint256)
  t.match(await curl('--include', `http://127.0.0.1:${plain}/faxes`), new RegExp(`^HTTP/1.1 308 .*Location: ${web}/faxes`, 's'))
  t.match(await curl('--include', '--header', 'Host: evil.example', `http://127.0.0.1:${plain}/`), /^HTTP\/1.1 421 /)
  t.equal(await curl('--location', '--cacert', files.authority, `http://127.0.0.1:${plain}/healthz`), '{"ok":true}')
})

t.test('it is renewed before its end and taken without a restart, at every listener; connections go on', async (t) => {
  const { daemon, files, port } = await boxed(t)
  const { pid } = daemon
  const first = shown(port)!.serialNumber
  t.equal(shown(daemon.tlsPort)?.serialNumber, first, 'SIP has the same')
  const stream = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  let seen = ''
  stream.setEncoding('latin1').on('data', (text: string) => (seen += text))
  stream.write(`GET /api/pbx/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${daemon.token}\r\n\r\n`)
  await eventually('a stream of events', () => seen.includes('text/event-stream'))
  await makeLeaf(files, boxNames({ http: { listen: '127.0.0.1:1', names: ['box.clinic.lan'] } }), Date.now() - 370 * 86_400_000)
  const old = new X509Certificate(readFileSync(files.cert)).serialNumber
  await eventually(
    'another one, of today',
    () => {
      const now = shown(port)
      return now !== null && ![first, old].includes(now.serialNumber) && Date.parse(now.validTo) > Date.now() + 390 * 86_400_000
    },
    40_000,
  )
  const renewed = shown(port)!.serialNumber
  await eventually('SIP shows it, too', () => shown(daemon.tlsPort)?.serialNumber === renewed, 20_000)
  t.notOk(stream.destroyed || stream.readableEnded, 'an earlier connection goes on')
  stream.destroy()
  t.equal(daemon.pid, pid)
  t.equal(daemon.exit, undefined)
})

t.test('the clinic’s own is taken when it is replaced, and never overwritten', async (t) => {
  const { daemon, files, port } = await boxed(t)
  await freshCertificate(daemon.dir)
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(`${daemon.dir}/${name}`)) as [Buffer, Buffer]
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  const { serialNumber } = new X509Certificate(cert)
  await eventually('it is shown', () => shown(port)?.serialNumber === serialNumber, 30_000)
  t.match((await daemon.pbx('certificate', 'renew')).out, /nothing is due/)
  t.match((await daemon.pbx('status')).out.replaceAll(/\s+/g, ' '), /could vouch for any site.*certificate make/)
  t.match(await curl('--include', '--insecure', `https://127.0.0.1:${port}/authority.crt`), /^HTTP\/1.1 404 /)
  const again = await daemon.pbx('certificate', 'make', '--config', daemon.configFile)
  t.equal(again.code, 0, again.error)
  await eventually('the new one is shown', () => shown(port)?.serialNumber !== serialNumber, 30_000)
  t.equal(await curl('--cacert', files.authority, `https://127.0.0.1:${port}/healthz`), '{"ok":true}')
})
