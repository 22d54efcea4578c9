/** Documents that say very much: they are queued on the leg some way ahead of what is heard, not all at once. */
import t from 'tap'
import { Ground, SessionStage } from './session-stage.ts'

const ground = await Ground.open(t)
const sentences = Array.from({ length: 18 }, (_, at) => `This is sentence number ${at + 1} of a text that is very long.`)
const document = [{ say: { text: sentences.join(' '), loop: 10 } }, { gather: { numDigits: 1, timeout: 30 } }]

async function saying(t: { teardown(fn: () => unknown): void }, what: readonly object[] = document, slowVoice = false) {
  const stage = new SessionStage(ground, { slowVoice })
  t.teardown(() => stage.finish())
  await stage.begin(what, 'gather')
  await stage.quiet()
  return stage
}

const clips = (stage: SessionStage): string[] => stage.leg.played.filter(({ kind }) => kind === 'clip').map(({ text }) => text)

t.test('a prompt of 180 sentences: twenty seconds lie in the queue, the others follow as these are heard', async (t) => {
  const stage = await saying(t)
  // Each sentence is a second, and there are pauses in between.
  const first = clips(stage).length
  t.ok(first >= 10 && first <= 20, `${first} sentences`)
  t.equal(stage.trace.filter(({ kind }) => kind === 'prompt').length, first, 'and no more is noted as said')
  for (let heard = 1; heard <= 180; heard += 1) {
    stage.leg.heard()
    await stage.quiet()
    const ahead = clips(stage).length - heard
    t.ok(ahead <= 20 && (ahead >= 10 || clips(stage).length === 180), `${ahead} sentences ahead`)
  }
  const once = clips(stage).slice(0, 18)
  t.equal(new Set(once).size, 18)
  t.same(clips(stage), Array.from({ length: 10 }, () => once).flat(), 'in order')
  stage.leg.key('4')
  t.match((await stage.attempt(2)).event, { event: 'gather.completed', digits: '4' })
})

t.test('a key while the queue is full cuts all of it, and nothing is said any more', async (t) => {
  const stage = await saying(t)
  stage.leg.heard()
  stage.leg.key('4')
  t.match((await stage.attempt(2)).event, { event: 'gather.completed', digits: '4' })
  await stage.quiet()
  t.same(stage.leg.queue, [])
  t.ok(clips(stage).length <= 21)
})

t.test('a caller who hangs up while the queue is full', async (t) => {
  const stage = await saying(t)
  stage.leg.hangUp()
  t.match((await stage.attempt(2)).event, { event: 'gather.completed', reason: 'hangup' })
  t.ok(clips(stage).length <= 20)
})

t.test('the first of 180 new sentences is heard while the voice works on the second', async (t) => {
  const text = Array.from({ length: 180 }, (_, at) => `Number ${at + 1} is next.`).join(' ')
  const stage = await saying(t, [{ say: { text } }, { gather: { numDigits: 1, timeout: 30 } }], true)
  t.same(clips(stage), [])
  t.match(stage.phrases[0]?.text, /^Number one is next/)
  stage.speak()
  await stage.quiet()
  t.equal(clips(stage).length, 1)
  t.equal(stage.spoken, 3, 'no more than two at a time are worked on')
  stage.leg.hangUp()
  for (let at = 0; at < 180; at += 1) {
    stage.speak()
    await stage.quiet()
  }
  t.equal(stage.spoken, 3, 'and what nobody hears any more is not spoken')
})
