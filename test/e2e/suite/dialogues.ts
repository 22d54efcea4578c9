/** What an application and its caller say to each other, and somebody at a desk phone. */
import { findClip, readWav, speech, tone, toneLevel, writeWav } from '../../harness/audio.ts'
import { Baresip } from '../../harness/baresip.ts'
import { hears, listens } from '../../harness/ears.ts'
import { eventually } from '../../harness/scene.ts'
import { goodbye, inbound, menu, welcome, whole, wholly, type Scenario } from './scenario.ts'

export const dialogues: readonly Scenario[] = [
  {
    name: 'say: heard whole; the end of the document ends the call',
    async run(t, outside) {
      const { app } = outside.scene
      app.script = () => [...outside.greeting, { say: { text: welcome } }, { pause: { seconds: 0.5 } }, { say: { text: goodbye } }]
      const caller = await outside.call()
      await caller.released()
      for (const text of [welcome, goodbye]) wholly(t, outside, caller, text)
      t.match((await app.until('call.ended')).event, { state: 'completed', endReason: 'document-end', endedBy: 'app' })
    },
  },
  {
    name: 'gather: keys, the next document; hangup',
    async run(t, outside) {
      const { app } = outside.scene
      app.script = inbound(
        [...outside.greeting, { say: { text: welcome } }, { gather: { numDigits: 2 } }],
        [{ say: { text: goodbye } }, { hangup: {} }],
      )
      const caller = await outside.call()
      await caller.sound()
      await caller.quiet(800)
      await caller.press('4')
      await caller.press('2')
      t.match((await app.until('gather.completed')).event, { digits: '42', reason: 'digits' })
      await caller.released()
      wholly(t, outside, caller, goodbye)
      t.match((await app.until('call.ended')).event, { endReason: 'app-hangup' })
    },
  },
  {
    name: 'barge-in by a key: the prompt breaks off',
    async run(t, { scene: { app }, call }) {
      app.script = inbound([{ say: { text: menu } }, { gather: { numDigits: 1 } }], [{ pause: { seconds: 2 } }])
      const caller = await call()
      await caller.sound()
      await listens(caller, 700)
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
    async run(t, outside) {
      const { app } = outside.scene
      app.script = inbound([...outside.greeting, { say: { text: welcome } }, { gather: { numDigits: 1, timeout: 2 } }], [{ hangup: {} }])
      const caller = await outside.call()
      t.match((await app.until('gather.completed')).event, { digits: '', reason: 'timeout' })
      await caller.released()
      wholly(t, outside, caller, welcome)
    },
  },
  {
    name: 'record, until a key',
    async run(t, { scene: { app, daemon }, call, greeting }) {
      const prompt = 'Speak now.'
      app.script = inbound([...greeting, { say: { text: prompt } }, { record: { finishOnKey: '#', maxSeconds: 20 } }], [{ hangup: {} }])
      const caller = await call()
      await caller.sound()
      // A hole in the prompt is not its end.
      await listens(caller, speech(prompt).length / 8)
      await caller.quiet(900)
      caller.say(tone(330, 1500, 9000))
      await caller.said()
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
      await hears(desk, 700)
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
]
