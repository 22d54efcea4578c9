/** What callers and applications do, once for all lines: over a SIP trunk, and over modems that hear while they speak and that do not. */
import t, { type Test } from 'tap'
import { findClip, readWav, speech, tone, toneLevel, writeWav } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { analogOutside } from '../harness/lines/analog.ts'
import type { Outside, Outsider } from '../harness/lines/outside.ts'
import { sipOutside } from '../harness/lines/sip.ts'
import { eventually, pause } from '../harness/scene.ts'

t.setTimeout(900_000)

const welcome = 'Welcome to Riverside Clinic.'
const menu = 'Please press the key of the service that you would like to speak to now, or stay on the line for the reception.'
const goodbye = 'Goodbye, and thank you for calling.'
const whole = (who: Outsider, text: string): boolean => findClip(who.heard(), speech(text)).whole
const wholly = (t: Test, who: Outsider, text: string): void => {
  const found = findClip(who.heard(), speech(text))
  t.ok(found.whole, `${text} ${JSON.stringify(found)}`)
}
const inbound =
  (document: unknown[], then: unknown[] = []) =>
  (e: { event: string }) =>
    e.event === 'call.inbound.pre_route' ? document : e.event === 'call.ended' ? [] : then

interface Scenario {
  readonly name: string
  readonly suits?: (outside: Outside) => boolean
  run(t: Test, outside: Outside): Promise<void>
}

const scenarios: readonly Scenario[] = [
  {
    name: 'say: heard whole; the end of the document ends the call',
    async run(t, { scene: { app }, call }) {
      app.script = () => [{ say: { text: welcome } }, { pause: { seconds: 0.5 } }, { say: { text: goodbye } }]
      const caller = await call()
      await caller.released()
      for (const text of [welcome, goodbye]) wholly(t, caller, text)
      t.match((await app.until('call.ended')).event, { state: 'completed', endReason: 'document-end', endedBy: 'app' })
    },
  },
  {
    name: 'gather: keys, the next document; hangup',
    async run(t, { scene: { app }, call }) {
      app.script = inbound([{ say: { text: welcome } }, { gather: { numDigits: 2 } }], [{ say: { text: goodbye } }, { hangup: {} }])
      const caller = await call()
      await caller.sound()
      await caller.quiet(800)
      await caller.press('4')
      await caller.press('2')
      t.match((await app.until('gather.completed')).event, { digits: '42', reason: 'digits' })
      await caller.released()
      wholly(t, caller, goodbye)
      t.match((await app.until('call.ended')).event, { endReason: 'app-hangup' })
    },
  },
  {
    name: 'barge-in by a key: the prompt breaks off',
    async run(t, { scene: { app }, call }) {
      app.script = inbound([{ say: { text: menu } }, { gather: { numDigits: 1 } }], [{ pause: { seconds: 2 } }])
      const caller = await call()
      await caller.sound()
      await pause(700)
      await caller.press('7')
      t.match((await app.until('gather.completed')).event, { digits: '7' })
      await caller.quiet(500)
      t.notOk(whole(caller, menu), 'not to its end')
      await caller.released()
    },
  },
  {
    name: 'type-ahead: keys of a menu that is still to come',
    async run(t, { scene: { app }, call }) {
      let asked = 0
      app.script = (e) => {
        if (e.event === 'call.ended') return []
        if (e.event === 'gather.completed' && ++asked === 2) return [{ hangup: {} }]
        return [{ say: { text: menu } }, { gather: { numDigits: 1, typeAhead: true } }]
      }
      const caller = await call()
      await caller.sound()
      await caller.press('1')
      await caller.press('2')
      await app.until('gather.completed', undefined, 30_000, 2)
      t.same(
        app
          .events()
          .filter((e) => e.event === 'gather.completed')
          .map((e) => e.digits),
        ['1', '2'],
      )
      await caller.released()
    },
  },
  {
    name: 'no input',
    async run(t, { scene: { app }, call }) {
      app.script = inbound([{ say: { text: welcome } }, { gather: { numDigits: 1, timeout: 2 } }], [{ hangup: {} }])
      const caller = await call()
      t.match((await app.until('gather.completed')).event, { digits: '', reason: 'timeout' })
      await caller.released()
      wholly(t, caller, welcome)
    },
  },
  {
    name: 'record, until a key',
    async run(t, { scene: { app, daemon }, call }) {
      app.script = inbound([{ say: { text: 'Speak now.' } }, { record: { finishOnKey: '#', maxSeconds: 20 } }], [{ hangup: {} }])
      const caller = await call()
      await caller.sound()
      await caller.quiet(900)
      caller.say(tone(330, 1500, 9000))
      await pause(1900)
      await caller.press('#')
      const { event } = await app.until('record.completed')
      t.match(event, { reason: 'finish-key', finishKey: '#' })
      const wav = await fetch(daemon.http + event.mediaUrl, { headers: { authorization: `Bearer ${daemon.token}` } })
      const { samples } = readWav(Buffer.from(await wav.arrayBuffer()))
      const said = findClip(samples, tone(330, 1000))
      t.ok(said.heardMs >= 900, `what was said: ${JSON.stringify(said)} in ${samples.length / 8} ms`)
      await caller.released()
    },
  },
  {
    name: 'redirect, and a clip from the application',
    async run(t, { scene: { app }, call }) {
      app.files.set('/chime.wav', writeWav(tone(523, 900)))
      app.script = (e, r) =>
        r.path === '/next'
          ? [{ play: { url: `${app.url}/chime.wav` } }]
          : e.event === 'call.inbound.pre_route'
            ? [{ redirect: { url: `${app.url}/next` } }]
            : []
      const caller = await call()
      await caller.released()
      t.match((await app.until('call.redirected')).event, { redirectCount: 1 })
      t.ok(findClip(caller.heard(), tone(523, 800)).heardMs >= 700)
    },
  },
  {
    name: 'the caller hangs up while the box speaks, listens and records',
    async run(t, outside) {
      const { app } = outside.scene
      for (const document of [
        // Who does not hear while it speaks learns of it afterwards.
        ...(outside.fullDuplex ? [[{ say: { text: menu } }]] : []),
        [{ gather: { timeout: 20 } }],
        [{ record: { initialTimeout: 20, playBeep: true } }],
      ]) {
        app.script = inbound([{ say: { text: welcome } }, ...document])
        const caller = await outside.call()
        await caller.sound()
        await caller.quiet(150)
        await pause(500)
        await caller.hangUp()
        t.match((await app.until('call.ended')).event, { endReason: 'caller-hangup', endedBy: 'caller' })
        await outside.rest()
        app.reset()
      }
    },
  },
  {
    name: 'the application fails: an apology',
    async run(t, { scene: { app }, call }) {
      app.script = () => ({ status: 404 })
      const caller = await call()
      await caller.released()
      t.ok(
        caller.heard().some((sample) => Math.abs(sample) > 1000),
        'something was said',
      )
      t.match((await app.until('call.ended')).event, { endReason: 'app-error', endedBy: 'system' })
    },
  },
  {
    name: 'to a desk phone: both hear each other',
    suits: ({ fullDuplex }) => fullDuplex,
    async run(t, { scene, call }) {
      const phone = { registrar: `127.0.0.1:${scene.daemon.sipPort}`, user: '101', password: 'a-long-password' }
      const desk = scene.keep(await Baresip.start({ ...phone, voice: tone(400, 30_000), autoAnswer: true }))
      await desk.until('REGISTER_OK')
      scene.app.script = inbound([{ say: { text: welcome } }, { route: { to: '101' } }])
      const caller = await call()
      await desk.until('CALL_ESTABLISHED')
      caller.say(tone(700, 6000))
      await eventually('the desk at the caller', () => toneLevel(caller.heard().slice(-3200), 400) > -30)
      await pause(2000)
      await caller.hangUp()
      await desk.until('CALL_CLOSED')
      const heard = desk.heard()
      t.ok(
        Array.from({ length: Math.floor(heard.length / 3200) }, (_, i) => heard.subarray(i * 3200, (i + 1) * 3200)).some(
          (piece) => toneLevel(piece, 700) > -30,
        ),
        'the caller at the desk',
      )
      t.match((await scene.app.until('call.ended')).event, { state: 'completed', endedBy: 'caller' })
    },
  },
  {
    name: 'a call out is answered and hears the document',
    async run(t, outside) {
      const { app } = outside.scene
      app.script = () => [{ say: { text: welcome } }]
      const { number, taken } = await outside.expect('answer')
      await outside.scene.originate({ to: number, trunkId: outside.trunkId, endpoint: 'reception' })
      const person = await taken
      person.say(tone(620, 700))
      await person.released()
      t.match((await app.until('call.answered')).event, { direction: 'outbound', to: number, trunkId: outside.trunkId })
      wholly(t, person, welcome)
      t.match((await app.until('call.ended')).event, { state: 'completed', endReason: 'document-end' })
    },
  },
  {
    name: 'a call out that is busy, and one that nobody answers',
    async run(t, outside) {
      const { app } = outside.scene
      for (const [manner, state] of [
        ['busy', 'busy'],
        ['ring', 'no-answer'],
      ] as const) {
        const { number } = await outside.expect(manner)
        await outside.scene.originate({ to: number, trunkId: outside.trunkId, endpoint: 'reception', timeout: 6 })
        t.match((await app.until('call.ended', undefined, 30_000)).event, { state }, manner)
        t.same(app.names(), ['call.ended'])
        await outside.rest()
        app.reset()
      }
    },
  },
]

const outsides = [
  { name: 'a SIP trunk', open: sipOutside },
  { name: 'a modem, both ways', open: () => analogOutside({}) },
  { name: 'a modem, one way at a time', open: () => analogOutside({ fullDuplex: false, shielded: false, format: 'unsigned' }) },
]

for (const { name, open } of outsides) {
  t.test(name, async (t) => {
    const outside = await open()
    t.teardown(() => outside.close())
    for (const scenario of scenarios) {
      if (scenario.suits?.(outside) === false) continue
      await t.test(scenario.name, async (t) => {
        outside.scene.app.reset()
        await scenario.run(t, outside)
        t.same(await outside.scene.finish(), [], 'nothing was broken')
      })
      await outside.rest()
    }
  })
}
