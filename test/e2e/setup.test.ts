/** pbx setup over a daemon as it is after its first start, with a provider that asks for the password, one that is silent, and none. */
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { Daemon, freePort } from '../harness/daemon.ts'

t.setTimeout(180_000)
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** Takes the registration of clinic with this password, and nothing else (RFC 3261 section 22.4, MD5 without qop). */
async function registrar(password: string) {
  const socket = createSocket('udp4')
  const port = await freePort()
  let registered = 0
  socket.on('message', (data, peer) => {
    const text = data.toString()
    const header = (name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1]?.trim() ?? ''
    const [method] = text.split(' ')
    if (method === undefined || method.startsWith('SIP/') || method === 'ACK') return
    const part = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(header('Authorization'))?.[1] ?? ''
    const expected = md5(`${md5(`clinic:here:${password}`)}:nonce:${md5(`REGISTER:${part('uri')}`)}`)
    const good = method === 'OPTIONS' || part('response') === expected
    const asked = header('Authorization') !== ''
    const code = good ? '200 OK' : asked ? '403 Forbidden' : '401 Unauthorized'
    if (good && method === 'REGISTER') registered++
    const lines = [
      `SIP/2.0 ${code}`,
      ...text.split('\r\n').filter((line) => /^via:/i.test(line)),
      `From: ${header('From')}`,
      `To: ${header('To')};tag=r`,
      `Call-ID: ${header('Call-ID')}`,
      `CSeq: ${header('CSeq')}`,
      ...(good && method === 'REGISTER' ? [`Contact: ${header('Contact')};expires=600`] : []),
      ...(code.startsWith('401') ? ['WWW-Authenticate: Digest realm="here", nonce="nonce", algorithm=MD5'] : []),
      'Content-Length: 0',
    ]
    socket.send(`${lines.join('\r\n')}\r\n\r\n`, peer.port, peer.address)
  })
  await new Promise<void>((done) => socket.bind(port, '127.0.0.1', done))
  return { port, close: () => socket.close(), count: () => registered }
}

async function fresh(t: Test): Promise<Daemon> {
  const daemon = await Daemon.create({
    app: 'http://127.0.0.1:9',
    trunkPort: 9,
    settings: (base) => {
      for (const key of ['trunks', 'extensions', 'voice', 'inbound', 'auth', 'callbacks']) delete base[key]
    },
  })
  await daemon.start()
  t.teardown(() => daemon.close())
  return daemon
}

const answers = (port: number, password: string) => ({
  site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York', address: '1 River Street, 2nd floor' },
  network: 'none',
  provider: { kind: 'account', server: `127.0.0.1:${port}`, username: 'clinic', password, numbers: ['+15550001000'] },
  extensions: [
    { number: '101', name: 'Front desk' },
    { number: '102', name: 'Nurse' },
  ],
})

t.test('the provider takes the registration, and a house is there', async (t) => {
  const daemon = await fresh(t)
  const provider = await registrar('secret')
  t.teardown(() => provider.close())
  const file = join(daemon.dir, 'answers.yaml')
  const sheet = join(daemon.dir, 'sheet.html')
  const before = readFileSync(daemon.configFile, 'utf8')

  writeFileSync(file, stringify(answers(provider.port, 'wrong')))
  const refused = await daemon.pbx('setup', '--answers', file, '--sheet', sheet, '--config', daemon.configFile)
  t.equal(refused.code, 1)
  t.match(refused.error, /the provider does not take us: .*403.* Nothing was written/s)
  t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  t.same(
    JSON.parse((await daemon.pbx('lines', '--json')).out).filter(({ kind }: { kind: string }) => kind === 'trunk'),
    [],
    'nor is it in use',
  )

  writeFileSync(file, stringify(answers(provider.port, 'secret')))
  const taken = await daemon.pbx('setup', '--answers', file, '--sheet', sheet, '--config', daemon.configFile)
  t.equal(taken.code, 0, taken.error)
  t.match(taken.out, /AGE-SECRET-KEY-1/)
  t.ok(provider.count() > 0)
  const written = parse(readFileSync(daemon.configFile, 'utf8'))
  t.match(written, {
    site: { name: 'Riverside Clinic', number: '+15550001000' },
    trunks: [{ id: 'main', register: true }],
    emergency: { location: /River/ },
  })
  const page = readFileSync(sheet, 'utf8')
  for (const { number, password } of written.extensions) t.ok(page.includes(password), number)
  t.match((await daemon.pbx('where', '+15550001000')).out, /101/)
  t.match((await daemon.pbx('config', 'check', daemon.configFile)).out, /is good/)

  const again = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  t.match(again.error, /has phones or trunks already/)
})

t.test('bad answers are told at once, all of them', async (t) => {
  const daemon = await fresh(t)
  const file = join(daemon.dir, 'answers.yaml')
  const good = answers(9, 'x')
  writeFileSync(
    file,
    stringify({ ...good, site: { ...good.site, country: 'us' }, extension: [], extensions: [{ number: 101, name: 'A' }] }),
  )
  const shape = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  t.equal(shape.code, 2)
  for (const part of [/site\.country/, /extension:/, /extensions\.0\.number/]) t.match(shape.error, part)
  writeFileSync(file, stringify({ ...good, site: { ...good.site, timeZone: 'Mars/Base' }, alarms: ['a@example.com'] }))
  const meaning = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  for (const part of [/Mars\/Base is no time zone/, /without a mail account/]) t.match(meaning.error, part)
  writeFileSync(file, 'site: [')
  t.equal((await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)).code, 2)
  t.match((await daemon.pbx('setup', '--config', daemon.configFile)).error, /nobody can be asked here/)
})
