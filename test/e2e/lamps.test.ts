/** Lamps over real SIP (RFC 4235): a phone rings, talks and is free; a key takes the call that rings; hours set by hand; the end of the daemon. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import type { Dialog, SipMessage } from '../engine/sip-peer.ts'
import { eventually, pause, Scene } from '../harness/scene.ts'
import { faults, validates } from '../sip-driver/dialog-info.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = ['101', '102', '103', '104'].map((number) => ({
      number,
      name: `Desk ${number}`,
      password,
      ...(number === '102' || number === '104' ? {} : { pickupGroup: 'front' }),
    }))
    base['parking'] = {}
    base['queues'] = [{ id: 'nurses', members: ['102'] }]
    base['hours'] = [{ id: 'office', open: { 'mon-sun': ['00:00-24:00'] }, whenOpen: '101', whenClosed: '102' }]
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())

const phone = async (user: string, address: string, hz = 400): Promise<HandPhone> => {
  const registered = await HandPhone.register(daemon.sipPort, user, hz, address)
  t.teardown(() => registered.close())
  return registered
}
const [one, two, three, four] = [
  await phone('101', '127.0.0.21', 400),
  await phone('102', '127.0.0.22', 700),
  await phone('103', '127.0.0.23', 1000),
  await phone('104', '127.0.0.24', 1300),
]

const watch = async (who: HandPhone, name: string): Promise<Dialog> => (await who.watches(name)).dialog

async function told(lamp: Dialog, who: HandPhone, ms?: number): Promise<SipMessage> {
  const notify = await lamp.request('NOTIFY', ms)
  who.peer.answer(notify, 200)
  if (validates && notify.body !== '') t.equal(faults(notify.body), '', 'as RFC 4235 writes them')
  return notify
}

/** The states of what has not ended. */
const states = ({ body }: SipMessage): string[] =>
  [...body.matchAll(/<state>(\w+)<\/state>/g)].map(([, state]) => state!).filter((state) => state !== 'terminated')
const value = ({ body }: SipMessage, name: string): string =>
  new RegExp(` ${name}="([^"]*)"`).exec(body.slice(body.indexOf('<dialog-info')))?.[1] ?? ''

async function until(lamp: Dialog, who: HandPhone, wanted: readonly string[]): Promise<SipMessage> {
  for (;;) {
    const notify = await told(lamp, who)
    if (JSON.stringify(states(notify)) === JSON.stringify(wanted)) return notify
  }
}

t.test('rings, talks, is free again; the versions count, and the caller is named', async (t) => {
  const lamp = await watch(three, '101')
  const first = await told(lamp, three)
  t.same([states(first), value(first, 'version'), value(first, 'entity')], [[], '0', 'sip:101@pbx'])
  t.match(first.header('Content-Type'), /application\/dialog-info\+xml/)
  const call = await two.calls('101')
  const early = await until(lamp, three, ['early'])
  t.equal(value(early, 'direction'), 'recipient')
  t.match(early.body, /<identity[^>]*>sip:102@pbx<\/identity>/)
  const taken = await one.takes()
  await call.dialog.answered()
  const talks = await until(lamp, three, ['confirmed'])
  t.ok(Number(value(talks, 'version')) > Number(value(early, 'version')))
  await call.dialog.ask('BYE')
  await one.hungUp(taken)
  await until(lamp, three, [])
})

t.test('who talks with whom is shown to the phone itself and its pickup group, and to all where the house wants it so', async (t) => {
  /** What each lamp of 101 and 102 shows of a call from 102 to 101, rung and talked. */
  const seen = async (): Promise<Record<string, boolean>> => {
    const watchers = [
      [three, '101'],
      [four, '101'],
      [four, '102'],
      [one, '101'],
      [two, '101'],
    ] as const
    const lamps: { readonly name: string; readonly who: HandPhone; readonly lamp: Dialog }[] = []
    for (const [who, name] of watchers) {
      const lamp = await watch(who, name)
      await told(lamp, who)
      lamps.push({ name: `${who.user} sees ${name}`, who, lamp })
    }
    const call = await two.calls('101')
    const shows = ({ body }: SipMessage): boolean => /<remote>|10[123]@pbx<\/identity>|Desk/.test(body.replace(/entity="[^"]*"/, ''))
    const early = await Promise.all(
      lamps.map(async ({ who, lamp, name }) => shows(await until(lamp, who, [name.endsWith('101') ? 'early' : 'proceeding']))),
    )
    const taken = await one.takes()
    await call.dialog.answered()
    const talks = await Promise.all(lamps.map(async ({ who, lamp }) => shows(await until(lamp, who, ['confirmed']))))
    await call.dialog.ask('BYE')
    await one.hungUp(taken)
    for (const { lamp, who } of lamps) await until(lamp, who, [])
    t.same(early, talks, 'while it rings and while they talk')
    return Object.fromEntries(lamps.map(({ name }, at) => [name, talks[at]!]))
  }
  const own = { '103 sees 101': true, '101 sees 101': true }
  t.same(await seen(), { ...own, '104 sees 101': false, '104 sees 102': false, '102 sees 101': false })
  const shown = async (lamps: string): Promise<void> => {
    const config = parse(readFileSync(daemon.configFile, 'utf8')) as Record<string, unknown>
    const file = join(daemon.dir, 'next.yaml')
    writeFileSync(file, stringify({ ...config, lamps }))
    t.equal((await daemon.pbx('config', 'apply', file, '--yes')).code, 0)
  }
  await shown('numbers')
  t.same(await seen(), { ...own, '104 sees 101': true, '104 sees 102': true, '102 sees 101': true })
  await shown('states')
})

t.test('the phone that calls is lit too', async () => {
  const lamp = await watch(three, '102')
  await told(lamp, three)
  const call = await two.calls('101')
  await until(lamp, three, ['proceeding'])
  const taken = await one.takes()
  await call.dialog.answered()
  await until(lamp, three, ['confirmed'])
  await call.dialog.ask('BYE')
  await one.hungUp(taken)
  await until(lamp, three, [])
})

t.test('a key takes the call that its lamp shows to ring: both talk, and the phone stops ringing', async (t) => {
  const lamp = await watch(three, '101')
  await told(lamp, three)
  const call = await two.calls('101')
  const ringing = await one.peer.request('INVITE')
  one.peer.answer(ringing, 180)
  const early = await until(lamp, three, ['early'])
  const replaces = `${value(early, 'call-id')};to-tag=${value(early, 'local-tag')};from-tag=${value(early, 'remote-tag')};early-only`
  const picked = await three.calls('101', [`Replaces: ${replaces}`])
  await picked.dialog.answered()
  await call.dialog.answered()
  one.peer.answer(await one.peer.request('CANCEL'), 200)
  one.peer.answer(ringing, 487)
  await until(lamp, three, [])
  await call.rtp.sound()
  await picked.rtp.sound()
  t.equal((await picked.dialog.ask('BYE')).status, 200)
  await two.hungUp(call)
  const late = await three.calls('101', [`Replaces: ${replaces}`])
  t.equal((await late.dialog.final('INVITE')).status, 481, 'nothing rings there any more')
  late.dialog.send('ACK')
})

t.test('the key of the hours is lit while they are set by hand', async (t) => {
  const lamp = await watch(three, '*28')
  t.same(states(await told(lamp, three)), [])
  t.equal((await daemon.pbx('hours', 'office', 'closed')).code, 0)
  await until(lamp, three, ['confirmed'])
  t.equal((await daemon.pbx('hours', 'office', 'auto')).code, 0)
  await until(lamp, three, [])
})

t.test('a key shows whether a member of queues is logged in, and blinks while it is paused', async (t) => {
  const [own, other] = [await watch(two, '*45'), await watch(three, '*45102')]
  const both = (wanted: readonly string[]) => Promise.all([until(own, two, wanted), until(other, three, wanted)])
  await both(['confirmed'])
  t.equal((await daemon.pbx('queue', 'nurses', 'pause', '102')).code, 0)
  await both(['early'])
  t.equal((await daemon.pbx('queue', 'nurses', 'logout', '102')).code, 0)
  await both([])
  t.equal((await daemon.pbx('queue', 'nurses', 'login', '102')).code, 0)
  await both(['confirmed'])
  t.same(states(await told(await watch(three, '*45'), three)), [], 'who is of no queue')
  t.match((await told(await watch(three, '*45199'), three)).header('Subscription-State'), /^terminated;reason=noresource/)
})

t.test('a key of a parking slot is lit while somebody waits there', async (t) => {
  const lamp = await watch(three, '701')
  t.same(states(await told(lamp, three)), [])
  const call = await two.calls('101')
  const taken = await one.takes()
  await call.dialog.answered()
  t.equal((await taken.dialog.ask('REFER', { headers: ['Refer-To: <sip:700@pbx>'] })).status, 202)
  await taken.dialog.ask('BYE')
  await until(lamp, three, ['confirmed'])
  const notice = await one.peer.next('INVITE', (m) => m.method === 'INVITE' && m.header('From').includes('sip:701@'))
  one.peer.answer(notice, 486)
  await call.dialog.ask('BYE')
  await until(lamp, three, [])
})

t.test('a lamp outlives the daemon with the talk that it shows, and its documents count on', async (t) => {
  const lamp = await watch(three, '101')
  await told(lamp, three)
  const call = await two.calls('101')
  const taken = await one.takes()
  await call.dialog.answered()
  const before = Number(value(await until(lamp, three, ['confirmed']), 'version'))
  await Promise.all([call.rtp.sound(), taken.rtp.sound()])
  await daemon.kill()
  await daemon.start()
  const after = await told(lamp, three)
  t.same([states(after), Number(value(after, 'version'))], [['confirmed'], before + 1])
  await call.dialog.ask('BYE')
  await one.hungUp(taken)
  t.equal(Number(value(await until(lamp, three, []), 'version')), before + 2)
})

t.test('what is not there cannot be watched; at the end of the daemon lamps are told to subscribe anew', async (t) => {
  const slot = await watch(three, '701')
  t.same(states(await told(slot, three)), [], 'a parking slot can')
  const nothing = await watch(three, '199')
  t.match((await told(nothing, three)).header('Subscription-State'), /^terminated;reason=noresource/)
  const lamp = await watch(two, '101')
  await told(lamp, two)
  // A call that has not ended yet would be waited for.
  const live = async () => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: { endedAt?: string }) => !call.endedAt)
  await eventually('all calls are over', async () => (await live()).length === 0, 45_000)
  daemon.signal('SIGTERM')
  // The engine waits ten seconds for the next daemon.
  let last = await told(lamp, two, 15_000)
  while (!last.header('Subscription-State').startsWith('terminated')) last = await told(lamp, two, 15_000)
  t.match(last.header('Subscription-State'), /reason=deactivated/)
})
