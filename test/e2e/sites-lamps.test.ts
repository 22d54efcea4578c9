/** Lamps and message counts of the phones of another site, by one stream for all; attended transfers between sites; a network that is cut. */
import { appendFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { stringify } from 'yaml'
import type { Dialog, SipMessage } from '../engine/sip-peer.ts'
import { Daemon } from '../harness/daemon.ts'
import { hears, listens } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { desk, dialogOf, handDesk } from '../harness/talkers.ts'
import type { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

/** The way to a web port, which can be cut so that neither end hears of it. */
async function wire(to: number) {
  const [near, far] = [new Set<Socket>(), new Set<Socket>()]
  let isCut = false
  const server = createServer((socket) => {
    const onward = connect(to, '127.0.0.1')
    near.add(socket)
    far.add(onward)
    for (const end of [socket, onward]) end.on('error', () => undefined)
    if (isCut) return
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const drop = () => {
    for (const socket of [...near, ...far]) socket.destroy()
    near.clear()
    far.clear()
  }
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      for (const socket of [...near, ...far]) socket.unpipe().pause()
    },
    restore() {
      isCut = false
      drop()
    },
    close: () => (drop(), server.close()),
  }
}

const phones = (...numbers: string[]) => numbers.map((number) => ({ number, name: `Desk ${number}`, password }))
const south = await Scene.open({ settings: (base) => (base['extensions'] = phones('101', '102', '103')) }, false)
const north = await Daemon.create({
  app: south.app.url,
  trunkPort: south.trunk.port,
  settings: (base) => {
    base['extensions'] = phones('201', '202')
    base['mailboxes'] = [{ ext: '202', transcribe: false, greeting: 'Speak.' }]
    base['inbound'] = [{ extension: '*', to: '290', destination: 'voicemail:202' }]
  },
})
const way = await wire(Number(new URL(north.http).port))
const link = { transport: 'udp', password: 'the-password-of-both-sites' }
const far = { id: 'north', server: `127.0.0.1:${north.sipPort}`, extensions: '2xx', api: way.api, token: north.token, ...link }
const blind = { id: 'blind', server: '127.0.0.1:9', extensions: '4xx', ...link }
appendFileSync(south.daemon.configFile, stringify({ sites: [far, blind] }))
const back = { id: 'south', server: `127.0.0.1:${south.daemon.sipPort}`, extensions: '1xx', ...link }
appendFileSync(north.configFile, stringify({ sites: [back] }))
await Promise.all([south.daemon.start(), north.start()])
t.setTimeout(180_000)
t.teardown(async () => {
  await way.close()
  await north.close()
  await south.close()
})
t.afterEach(() => south.sweep())

async function notified(lamp: Dialog, who: HandPhone): Promise<SipMessage> {
  const notify = await lamp.request('NOTIFY', 40_000)
  who.peer.answer(notify, 200)
  return notify
}
/** Of what has not ended; `unknown` where the phone was shown nothing. */
function shown(notify: SipMessage): string {
  const { body } = notify
  if (body === '') return `unknown ${notify.header('Subscription-State').replace(/;expires=\d+/, '')}`
  return [...body.matchAll(/<state>(\w+)<\/state>/g)].map(([, state]) => (state === 'terminated' ? '' : state)).join('')
}
async function until(lamp: Dialog, who: HandPhone, wanted: string | RegExp): Promise<void> {
  for (;;) {
    const now = shown(await notified(lamp, who))
    if (typeof wanted === 'string' ? now === wanted : wanted.test(now)) return
  }
}
const readers = async () => /^pbx_live_readers (\d+)$/m.exec(String((await north.api('GET', '/metrics')).body))?.[1]
const watch = async (who: HandPhone, name: string): Promise<Dialog> => (await who.watches(name)).dialog

t.test('a lamp of the other site rings, talks and is free with its phone; one stream serves all lamps', async (t) => {
  const [one, two, caller] = [await handDesk(south, '101'), await handDesk(south, '102'), await desk(south, '103')]
  const lamps = [
    [await watch(one, '201'), one],
    [await watch(two, '201'), two],
    [await watch(two, '202'), two],
  ] as const
  for (const [lamp, who] of lamps) await until(lamp, who, '')
  t.equal(await readers(), '1')
  const called = await desk(south, '201', false, north)
  const both = (wanted: string) => Promise.all(lamps.slice(0, 2).map(([lamp, who]) => until(lamp, who, wanted)))
  await caller.command('dial', '201')
  await both('early')
  await called.command('accept')
  await both('confirmed')
  await caller.command('hangup')
  await both('')
})

/** How a phone names the call that a lamp shows to ring. */
function ringingIn({ body }: SipMessage): string {
  const [, callId, own, others] = /call-id="([^"]*)" local-tag="([^"]*)" remote-tag="([^"]*)"[^>]*><state>early/.exec(body) ?? []
  return `Replaces: ${callId};to-tag=${own};from-tag=${others};early-only`
}

t.test('a key takes the call that its lamp shows to ring at the other site; where nothing rings any more the phone hears so', async (t) => {
  const [picks, caller, rings] = [await handDesk(south, '102'), await desk(south, '101'), await desk(south, '201', false, north)]
  const lamp = await watch(picks, '201')
  await until(lamp, picks, '')
  await caller.command('dial', '201')
  await rings.until('CALL_INCOMING')
  let early = await notified(lamp, picks)
  while (shown(early) !== 'early') early = await notified(lamp, picks)
  const picked = await picks.calls('201', [ringingIn(early)])
  t.equal((await picked.dialog.answered(20_000)).status, 200)
  await rings.until('CALL_CLOSED')
  await hears(caller, 700)
  await picked.rtp.sound()
  t.equal((await picked.dialog.ask('BYE')).status, 200)
  await until(lamp, picks, '')
  const late = await picks.calls('201', [ringingIn(early)])
  t.equal((await late.dialog.final('INVITE')).status, 481)
  late.dialog.send('ACK')
})

t.test('the counts of a mailbox of the other site follow its messages', async (t) => {
  const one = await handDesk(south, '101')
  const { dialog } = await one.watches('202', 'message-summary')
  const counts = async (wanted: RegExp) => {
    while (!wanted.test((await notified(dialog, one)).body)) continue
  }
  await counts(/Voice-Message: 0\/0/)
  const call = await one.calls('290')
  t.equal((await call.dialog.answered(20_000)).status, 200)
  await call.rtp.sound()
  await call.rtp.press('1')
  await listens(call.rtp, 3500)
  await call.dialog.ask('BYE')
  await counts(/Messages-Waiting: yes[^]*Voice-Message: 1\/0/)
})

t.test('a phone brings a partner of the house and one of the other site together', async (t) => {
  const [hand, near, there] = [await handDesk(south, '102'), await desk(south, '101'), await desk(south, '201', true, north)]
  const first = await hand.calls('101')
  await first.dialog.answered()
  const consult = await hand.calls('201')
  await consult.dialog.answered()
  await hears(there, 700)
  const replaces = encodeURIComponent(dialogOf(consult))
  t.equal((await first.dialog.ask('REFER', { headers: [`Refer-To: <sip:201@pbx?Replaces=${replaces}>`] })).status, 202)
  for (const call of [first, consult]) t.equal((await call.dialog.ask('BYE')).status, 200)
  await Promise.all([hears(near, 1000), hears(there, 400)])
  await near.command('hangup')
  await there.until('CALL_CLOSED')
})

t.test('while the site is not reached its lamps are unknown; they come back by themselves, also what changed meanwhile', async (t) => {
  const [one, caller] = [await handDesk(south, '101'), await desk(south, '103')]
  const lamp = await watch(one, '201')
  await until(lamp, one, '')
  way.cut()
  await until(lamp, one, 'unknown terminated;reason=deactivated')
  const again = await watch(one, '201')
  t.equal(shown(await notified(again, one)), 'unknown pending')
  const called = await desk(south, '201', true, north)
  await caller.command('dial', '201')
  await called.until('CALL_ESTABLISHED')
  way.restore()
  await until(again, one, 'confirmed')
  await caller.command('hangup')
  await until(again, one, '')
})

t.test('a site without api: its lamps are unknown, and the status says so', async (t) => {
  const one = await handDesk(south, '101')
  const lamp = await watch(one, '401')
  t.equal(shown(await notified(lamp, one)), 'unknown pending')
  const says = async () => /Lamps of site blind are unknown/.test((await south.daemon.pbx('status')).out)
  await eventually('the status says so', says, 30_000, 500)
})
