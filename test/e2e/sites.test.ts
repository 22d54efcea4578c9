/** Two sites, each with a box of its own: real daemons, real phones, and what a caller gets when a site is not reached. */
import { createSocket } from 'node:dgram'
import { appendFileSync } from 'node:fs'
import t from 'tap'
import { stringify } from 'yaml'
import { Daemon } from '../harness/daemon.ts'
import { hears } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { desk, newest } from '../harness/talkers.ts'
import { Trunk } from '../harness/trunk.ts'
import { password } from '../sip-driver/phones.ts'

const shared = 'the-password-of-both-sites'
const phones = (...numbers: string[]) => numbers.map((number) => ({ number, name: `Desk ${number}`, password, class: 'national' }))
const emergency = { location: 'Riverside Clinic, first floor', callerId: '+15550001000' }
const lab = {
  networks: ['127.0.0.0/8'],
  text: 'Laboratory',
  callerId: '+15550001001',
  headers: { Geolocation: '<https://lis.example/lab>' },
}

/** Takes everything and says nothing; `refuses`: answers each INVITE as a box does for a wrong password. */
async function peer(refuses: boolean): Promise<{ readonly port: number; close(): void }> {
  const socket = createSocket('udp4')
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  socket.on('message', (data, from) => {
    const text = data.toString('latin1')
    if (!refuses || !text.startsWith('INVITE ')) return
    const kept = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq)\s*:/i.test(line))
    const lines = kept.map((line) => (/^To:/i.test(line) ? `${line};tag=peer` : line))
    socket.send(['SIP/2.0 403 Forbidden', ...lines, 'Content-Length: 0', '', ''].join('\r\n'), from.port, from.address)
  })
  return { port: socket.address().port, close: () => socket.close() }
}

const south = await Scene.open(
  {
    settings: (base) => {
      base['extensions'] = phones('101', '102')
      base['outbound'] = [
        { to: '+1555*', trunks: ['main'] },
        { to: '+1617*', trunks: ['site:north'] },
      ]
      base['emergency'] = { ...emergency, locations: [lab] }
    },
  },
  false,
)
const trunkOfNorth = await Trunk.open()
const silent = await peer(false)
const refusing = await peer(true)
const link = { transport: 'udp', password: shared }
const north = await Daemon.create({
  app: south.app.url,
  trunkPort: trunkOfNorth.port,
  settings: (base) => {
    base['extensions'] = [...phones('201'), { ...phones('203')[0], onUnreachable: 'external:+15551230009' }]
    base['outbound'] = [{ to: '+1*', trunks: ['main', 'site:south'] }]
    base['emergency'] = { ...emergency, callerId: '+15550009999' }
    base['sites'] = [{ id: 'south', server: `127.0.0.1:${south.daemon.sipPort}`, extensions: '1xx,3xx', ...link }]
  },
})
const sites = [
  { id: 'north', server: `127.0.0.1:${north.sipPort}`, extensions: '2xx,3xx', number: '+15550002000', ...link },
  { id: 'silent', server: `127.0.0.1:${silent.port}`, extensions: '4xx', ...link },
  { id: 'refusing', server: `127.0.0.1:${refusing.port}`, extensions: '5xx', ...link },
]
appendFileSync(south.daemon.configFile, stringify({ sites }))
await Promise.all([south.daemon.start(), north.start()])
t.setTimeout(120_000)
t.teardown(async () => {
  silent.close()
  refusing.close()
  await north.close()
  trunkOfNorth.close()
  await south.close()
})
t.afterEach(() => south.sweep())

const deskOfNorth = (user: string) => desk(south, user, true, north)
const invitesOf = (trunk: Trunk) => trunk.requests.filter((line) => line.startsWith('INVITE'))

t.test('a phone dials a phone of the other site, which shows number and name and can call back; a transfer joins both', async (t) => {
  const [first, second, far] = await Promise.all([desk(south, '101'), desk(south, '102'), deskOfNorth('201')])
  await first.command('dial', '201')
  await far.until('CALL_ESTABLISHED')
  await Promise.all([hears(far, 400), hears(first, 1000)])
  t.match(await newest(north), { from: '101', callerName: 'Desk 101', to: '201', trunkId: 'site:south', direction: 'inbound' })
  t.match(await newest(south.daemon), { from: '101', to: '201', extension: '101' })
  await first.command('hangup')
  await far.until('CALL_CLOSED')

  await far.command('dial', '101')
  await first.until('CALL_ESTABLISHED', 8000, 2)
  await Promise.all([hears(far, 400), hears(first, 1000)])
  t.match(await newest(south.daemon), { from: '201', callerName: 'Desk 201', trunkId: 'site:north' })
  await first.command('transfer', `sip:102@127.0.0.1:${south.daemon.sipPort}`)
  await second.until('CALL_ESTABLISHED')
  await Promise.all([hears(far, 700), hears(second, 1000)])
  await far.command('hangup')
  await second.until('CALL_CLOSED')

  await second.command('dial', '101')
  await first.until('CALL_ESTABLISHED', 8000, 3)
  await hears(first, 700)
  await second.command('transfer', `sip:201@127.0.0.1:${south.daemon.sipPort}`)
  await far.until('CALL_ESTABLISHED', 8000, 3)
  await Promise.all([hears(far, 400), hears(first, 1000)])
  await first.command('hangup')
  await far.until('CALL_CLOSED', 8000, 3)
})

t.test(
  'from the other site nobody calls outside, by a forward of the configuration neither, nor back to a number that both sites give to the other',
  async (t) => {
    const first = await desk(south, '101')
    const [before, own] = [invitesOf(trunkOfNorth).length, invitesOf(south.trunk).length]
    for (const [turn, dialled] of ['203', '+16175551234', '300'].entries()) {
      await first.command('dial', dialled)
      await first.until('CALL_CLOSED', 8000, turn + 1)
    }
    t.equal(invitesOf(trunkOfNorth).length, before, 'the line of the other box is not used')
    t.equal(invitesOf(south.trunk).length, own)
    t.match(await newest(north), { trunkId: 'site:south', to: '300', sipCode: 404 })
    t.equal((await newest(south.daemon)).to, '300')
  },
)

t.test(
  'a call for help goes by the own line; where that gives way, by the line of the other site, with the caller’s own number and place',
  async (t) => {
    const first = await desk(south, '101')
    const before = invitesOf(trunkOfNorth).length
    const own = await south.expect('answer')
    await first.command('dial', '911')
    await first.until('CALL_ESTABLISHED')
    t.equal(invitesOf(trunkOfNorth).length, before)
    await own.rtp.sound()
    await first.command('hangup')
    await own.sip.exit
    const centre = south.keep(await trunkOfNorth.expect('answer'))
    await first.command('dial', '911')
    await first.until('CALL_ESTABLISHED', 8000, 2)
    await centre.rtp.sound()
    const invite = trunkOfNorth.invites.at(-1)
    t.match(invite, /^INVITE sip:911@[^]*\+15550001001/, 'the centre sees the number of the place from where the phone calls')
    t.match(invite, /\ngeolocation: <https:\/\/lis\.example\/lab>/i)
    await first.command('hangup')
    await centre.sip.exit
  },
)

t.test('a site that is not reached: its number by the own line, else words, within seconds', async (t) => {
  const first = await desk(south, '101')
  for (const [turn, dialled] of ['401', '501'].entries()) {
    await first.command('dial', dialled)
    await first.until('CALL_ESTABLISHED', 8000, turn + 1)
    await first.command('hangup')
    await south.daemon.traced(/cannot be reached/)
  }
  const far = await deskOfNorth('201')
  await first.command('dial', '201')
  await far.until('CALL_ESTABLISHED')
  await hears(first, 1000)
  const engines = north.enginePids()
  north.signal('SIGKILL')
  for (const pid of engines) process.kill(pid, 'SIGKILL')
  await first.command('hangup')
  const outside = await south.expect('answer')
  await first.command('dial', '201')
  await outside.rtp.sound()
  t.match(
    south.trunk.requests.findLast((line) => line.startsWith('INVITE')),
    /\+15550002000/,
  )
  await first.command('hangup')
  await outside.sip.exit
  const warned = async () => JSON.stringify((await south.daemon.api('GET', '/api/status')).body).includes('site:north')
  await eventually('the box says which site is away', warned, 20_000)
})
