/** Calls from the trunk through hours and menus to phones and applications, with keys pressed right, wrong and not at all. */
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { Scene, eventually } from '../harness/scene.ts'
import type { Phone } from '../harness/sipp.ts'

const [first, last] = [
  'Welcome to Riverside Clinic, how can we help you today?',
  'For the front desk press one, for appointments press two.',
]
const welcome = 'Thank you for holding, your call is important to us.'
const wrong = 'That is not one of the choices.'

const scene = await Scene.open({
  settings: (base) => {
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'hours:always' },
      { trunk: 'main', to: '+15550001001', destination: 'hours:never' },
      { trunk: 'main', to: '+15550001002', destination: 'menu:bare' },
    ]
    base['hours'] = [
      { id: 'always', open: { 'mon-sun': ['00:00-24:00'] }, whenOpen: 'menu:main', whenClosed: 'hangup' },
      { id: 'never', whenOpen: 'menu:main', whenClosed: '101' },
    ]
    base['menus'] = [
      {
        id: 'main',
        say: `${first} ${last}`,
        keys: { 1: '101', 2: 'endpoint:reception', 3: '102', 4: 'menu:bare' },
        dialExtensions: true,
        timeoutSeconds: 2,
        repeats: 1,
        onNothing: '101',
      },
      { id: 'bare', say: 'Press 1.', keys: { 1: '102' }, timeoutSeconds: 10, repeats: 0 },
    ]
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const password = 'a-long-password'

async function frontDesk(): Promise<Baresip> {
  const phone = scene.keep(await Baresip.start({ registrar: `127.0.0.1:${daemon.sipPort}`, user: '101', password, autoAnswer: true }))
  await phone.until('REGISTER_OK')
  return phone
}

/** A caller who hears the menu begin. */
async function inMenu(to = '+15550001000'): Promise<Phone> {
  const caller = await scene.call({ to })
  await caller.rtp.sound()
  return caller
}

/** So many more seconds. To look for words meanwhile would cost packets. */
async function hears({ rtp }: Phone, seconds: number): Promise<void> {
  const before = rtp.packets.length
  await rtp.until('audio', () => rtp.packets.length > before + 50 * seconds, 20_000)
}

/** What the trace of the last call says. */
async function trace(): Promise<string[]> {
  const { body } = await daemon.api('GET', '/api/voice/calls')
  const { callId } = body.calls[0]
  const { body: read } = await daemon.api('GET', `/api/voice/calls/${callId}/trace`)
  return read.entries.map(({ text }: { text: string }) => text)
}

t.test('open: the menu is heard, a key interrupts it, the phone rings and answers', async (t) => {
  const desk = await frontDesk()
  const caller = await inMenu()
  await hears(caller, 1)
  await caller.rtp.press('1')
  await desk.until('CALL_ESTABLISHED', 15_000)
  t.ok(caller.rtp.heardText(first).heardMs > 300, 'the beginning is heard')
  t.notOk(caller.rtp.heardText(last).whole, 'the rest is not')
  const said = (await trace()).join('\n')
  t.match(said, /hours always: open, on to menu:main[^]*menu main\n[^]*menu main: on to 101\n[^]*extension 101 answered/)
  await caller.hangup()
  await desk.until('CALL_CLOSED')
  t.same(await scene.finish(), [])
})

t.test('closed: the other destination', async (t) => {
  const desk = await frontDesk()
  const caller = await scene.call({ to: '+15550001001' })
  await desk.until('CALL_ESTABLISHED', 15_000)
  t.match((await trace()).join('\n'), /hours never: closed, on to 101/)
  await caller.hangup()
  t.same(await scene.finish(), [])
})

t.test('a wrong key is said and asked again, and the next one leads to the application', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ say: { text: welcome } }] : [])
  const caller = await inMenu()
  await caller.rtp.press('9')
  await hears(caller, 3)
  const pressed = performance.now()
  await caller.rtp.press('2')
  t.match((await app.until('call.inbound.pre_route')).event, { sequence: 1, to: '+15550001000' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(wrong).whole, 'the wrong key is told')
  const heardMs = caller.rtp.lastSound() - pressed
  t.ok(heardMs > 2000, `the application is heard: sound until ${heardMs.toFixed(0)} ms after the key`)
  t.same(await scene.finish(), [])
})

t.test('the number of an extension is dialled, one digit being a key as well', async (t) => {
  const desk = await frontDesk()
  const caller = await inMenu()
  await caller.rtp.press('101')
  await desk.until('CALL_ESTABLISHED', 15_000)
  await caller.hangup()
  t.same(await scene.finish(), [])
})

t.test('nothing pressed, and a choice that nobody takes, lead to onNothing', async (t) => {
  const desk = await frontDesk()
  const silent = await inMenu()
  await desk.until('CALL_ESTABLISHED', 40_000)
  t.match((await trace()).join('\n'), /menu main: nothing was chosen, on to 101/)
  await silent.hangup()
  await desk.until('CALL_CLOSED')
  const caller = await inMenu()
  await caller.rtp.press('3')
  await desk.until('CALL_ESTABLISHED', 40_000, 2)
  t.match((await trace()).join('\n'), /menu main: on to 102\n[^]*menu main: 102 could not take the call, on to 101/)
  await caller.hangup()
  t.same(await scene.finish(), [])
})

t.test('where nothing is left the caller hears so: from menu to menu, and nobody there', async (t) => {
  const caller = await inMenu()
  await caller.rtp.press('4')
  await hears(caller, 2)
  await caller.rtp.press('1')
  // Nobody is registered at 102, nor at 101 where the first menu leads then.
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await eventually('the end is written', async () => (await daemon.api('GET', '/api/voice/calls')).body.calls[0].endedAt !== null)
  const said = (await trace()).join('\n')
  t.match(said, /menu bare: on to 102\n[^]*menu main: menu:bare could not take the call, on to 101\n/)
  t.match(said, /on to 101\n[^]*\*\*\* \(\d+ characters\)\n[^]*completed: /, 'an apology is spoken')
  t.same(await scene.finish(), [])
})
