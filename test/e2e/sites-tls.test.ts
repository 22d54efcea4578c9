/** Two sites over TLS, each with a certificate of its own that nobody else signed: real daemons, real phones. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as plainServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as tlsServer } from 'node:tls'
import t from 'tap'
import { stringify } from 'yaml'
import { findClip, speech } from '../harness/audio.ts'
import { Daemon } from '../harness/daemon.ts'
import { hears } from '../harness/ears.ts'
import { freshCertificate } from '../harness/processes.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { desk, newest } from '../harness/talkers.ts'
import { password } from '../sip-driver/phones.ts'

const shared = 'the-password-of-both-sites'
const phone = (number: string) => ({ number, name: `Desk ${number}`, password })

const south = await Scene.open({ settings: (base) => (base['extensions'] = [phone('101')]) }, false)
const north = await Daemon.create({
  app: south.app.url,
  trunkPort: south.trunk.port,
  settings: (base) => {
    base['extensions'] = [phone('201'), phone('202')]
    base['ringGroups'] = [{ id: 'team', members: ['202'], ringSeconds: 30 }]
    base['queues'] = [{ id: 'desk', members: ['202'], wrapUpSeconds: 0 }]
    base['inbound'] = [
      { extension: '*', to: '290', destination: 'group:team' },
      { extension: '*', to: '291', destination: 'queue:desk' },
    ]
  },
})
await Promise.all([south.daemon, north].map(({ dir }) => freshCertificate(dir)))
const other = mkdtempSync(join(tmpdir(), 'pbxd-sites-'))
await freshCertificate(other)

/** A box that shows a certificate which nobody expects, and one that shows none. */
const [stranger, bare] = await Promise.all([
  listening(tlsServer({ cert: readFileSync(join(other, 'cert.pem')), key: readFileSync(join(other, 'key.pem')) }), '127.0.0.8'),
  listening(
    plainServer((socket) => socket.once('error', () => undefined).end()),
    '127.0.0.9',
  ),
])
function listening(server: Server, address: string): Promise<Server> {
  return new Promise((done) => server.on('tlsClientError', () => undefined).listen(0, address, () => done(server)))
}
function at(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  return `${address}:${port}`
}

const site = (id: string, server: string, { dir }: Daemon, extensions: string) => ({
  id,
  server,
  password: shared,
  caFile: join(dir, 'cert.pem'),
  extensions,
})
const seenBySouth = [
  site('north', `127.0.0.1:${north.tlsPort}`, north, '2xx'),
  site('stranger', at(stranger), north, '3xx'),
  site('bare', at(bare), north, '4xx'),
]
appendFileSync(south.daemon.configFile, stringify({ sites: seenBySouth }))
appendFileSync(north.configFile, stringify({ sites: [site('south', `127.0.0.1:${south.daemon.tlsPort}`, south.daemon, '1xx')] }))
await Promise.all([south.daemon.start(), north.start()])
t.teardown(async () => {
  stranger.close()
  bare.close()
  rmSync(other, { recursive: true })
  await north.close()
  await south.close()
})
t.afterEach(() => south.sweep())

const deskOfNorth = (user: string, autoAnswer = true) => desk(south, user, autoAnswer, north)

t.test('phones of both call each other over TLS', async (t) => {
  const [near, far] = await Promise.all([desk(south, '101'), deskOfNorth('201')])
  await near.command('dial', '201')
  await far.until('CALL_ESTABLISHED')
  await Promise.all([hears(far, 400), hears(near, 1000)])
  t.match(await newest(north), { from: '101', callerName: 'Desk 101', to: '201', trunkId: 'site:south' })
  await near.command('hangup')
  await far.until('CALL_CLOSED')

  await far.command('dial', '101')
  await near.until('CALL_ESTABLISHED', 8000, 2)
  await Promise.all([hears(far, 400), hears(near, 1000)])
  t.match(await newest(south.daemon), { from: '201', callerName: 'Desk 201', trunkId: 'site:north' })
  await far.command('hangup')
  await near.until('CALL_CLOSED', 8000, 2)
})

t.test('a site whose certificate is another, or that has none, is refused, and pbx status says why and what to do', async (t) => {
  let said = ''
  const both = async () => {
    said = (await south.daemon.pbx('status')).out
    return /site:stranger +untrusted/.test(said) && /site:bare +unreachable/.test(said)
  }
  await eventually('both are refused', both, 30_000, 500)
  t.match(said, /Site stranger: .* is not trusted and nothing is sent to it: the certificate is self-signed/)
  t.match(said, /fix: set caFile of site stranger/)
  const near = await desk(south, '101')
  await near.command('dial', '301')
  await near.until('CALL_ESTABLISHED')
  await south.daemon.traced(/the site stranger cannot be reached/)
  await near.command('hangup')
})

t.test('a phone of one site reaches a group and a queue of the other, and takes a call that rings there', async (t) => {
  const [near, far] = await Promise.all([desk(south, '101'), deskOfNorth('202')])
  for (const [turn, number] of ['290', '291'].entries()) {
    await near.command('dial', number)
    await far.until('CALL_ESTABLISHED', 8000, turn + 1)
    await Promise.all([hears(far, 400), hears(near, 700)])
    await near.command('hangup')
    await far.until('CALL_CLOSED', 8000, turn + 1)
  }
  const rings = await deskOfNorth('201', false)
  await far.command('dial', '201')
  await rings.until('CALL_INCOMING')
  await near.command('dial', '*8201')
  await rings.until('CALL_CLOSED')
  await Promise.all([hears(far, 400), hears(near, 700)])
  await near.command('hangup')
  await near.until('CALL_CLOSED', 8000, 3)
  await near.command('dial', '*8201')
  await near.until('CALL_CLOSED', 20_000, 4)
  t.ok(findClip(near.heard(), speech('No call is ringing there.')).whole)
})
