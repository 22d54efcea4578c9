/** How calls begin and end. */
import { tone } from '../../harness/audio.ts'
import { listens } from '../../harness/ears.ts'
import { inbound, menu, welcome, wholly, type Scenario } from './scenario.ts'

export const calls: readonly Scenario[] = [
  {
    name: 'the caller hangs up while the box speaks, listens and records',
    async run(t, outside) {
      const { app } = outside.scene
      for (const document of [
        // A far end that does not hear while it speaks learns of it afterwards.
        ...(outside.fullDuplex ? [[{ say: { text: menu } }]] : []),
        [{ gather: { timeout: 20 } }],
        [{ record: { initialTimeout: 20, playBeep: true } }],
      ]) {
        app.script = inbound([...outside.greeting, { say: { text: welcome } }, ...document])
        const caller = await outside.call()
        await caller.sound()
        await caller.quiet(150)
        await listens(caller, 500)
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
      wholly(t, outside, person, welcome)
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
