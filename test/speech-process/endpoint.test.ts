/** Where speech begins and ends: the endpoint machine by table and by property, and one hearing on top of it. */
import fc from 'fast-check'
import t from 'tap'
import type { Heard } from '../../daemon/speech/hearing.ts'
import type { ListenOrder } from '../../daemon/speech/process/protocol.ts'
import { Decoder } from '../../daemon/speech/worker/decoder.ts'
import { Endpoint, type EndpointEvent, type EndpointOptions } from '../../daemon/speech/worker/endpoint.ts'
import { UtteranceSession } from '../../daemon/speech/worker/utterance.ts'
import { SpeechError, type Recognition } from '../../drivers/speech.ts'
import { loud, silence } from './scene.ts'

const immediate: EndpointOptions = { endSilenceMs: 500, onsetDelayMs: 0, releaseDelayMs: 0 }

/** `'V 300'`: 300 ms of voice; `'v'`: quiet voice; `'.'`: none; `P` and `p`: a prompt begins and ends. */
function run(script: string, options: EndpointOptions = immediate): string[] {
  const endpoint = new Endpoint(options)
  const told: string[] = []
  for (const [, what, ms] of script.matchAll(/([Vv.Pp])\s*(\d*)/g)) {
    if (what === 'P' || what === 'p') endpoint.prompting(what === 'P')
    for (let left = Number(ms); left > 0; left -= 20) {
      const events = endpoint.push(what !== '.', what === 'V' ? -20 : what === 'v' ? -50 : -80)
      for (const event of events) told.push(`${event.type} ${event.atMs}`)
    }
  }
  return told
}

t.test('what is told of a line', async (t) => {
  const table: readonly (readonly [string, string, readonly string[]])[] = [
    ['nothing', '. 5000', []],
    ['a click', '. 200 V 40 . 1000', []],
    ['a short sound', '. 200 V 120 . 1000', ['voice 260', 'false-alarm 520']],
    ['a word', '. 200 V 400 . 1000', ['voice 260', 'onset 400', 'pause 860', 'end 1100']],
    ['two words', 'V 400 . 300 V 400 . 1000', ['voice 60', 'onset 200', 'pause 660', 'resumed 720', 'pause 1360', 'end 1600']],
    ['a short gap', 'V 300 . 200 V 300 . 500', ['voice 60', 'onset 200', 'pause 1060', 'end 1300']],
    ['syllables', 'V 100 . 100 V 100 . 500', ['voice 60', 'onset 300', 'pause 560', 'end 800']],
    ['speech without end', 'V 2000', ['voice 60', 'onset 200']],
    [
      'two utterances',
      'V 300 . 600 V 300 . 600',
      ['voice 60', 'onset 200', 'pause 560', 'end 800', 'voice 960', 'onset 1100', 'pause 1460', 'end 1700'],
    ],
    ['the echo of a prompt', 'P v 2000 . 500', []],
    ['a caller over a prompt', 'P v 500 V 400 v 1000', ['voice 560', 'onset 700', 'pause 1240', 'end 1480']],
    ['quiet speech when no prompt plays', 'P v 500 p v 400 . 600', ['voice 560', 'onset 700', 'pause 1160', 'end 1400']],
  ]
  for (const [name, script, wanted] of table) t.same(run(script), wanted, name)
})

t.test("the detector's delays are taken off", async (t) => {
  const slow = { endSilenceMs: 800, onsetDelayMs: 100, releaseDelayMs: 160 }
  // Voice from 0 to 1000 ms as such a detector reports it.
  t.same(run('. 100 V 1060 . 1000', slow), ['voice 140', 'onset 200', 'pause 1260', 'end 1800'])
  const [, , , end] = events('. 100 V 1060 . 1000', slow)
  t.match(end, { type: 'end', startMs: 0, voicedMs: 1000 })
})

t.test('after a false alarm over a prompt the next sound must be louder', async (t) => {
  const endpoint = new Endpoint(immediate)
  endpoint.prompting(true)
  const say = (ms: number, level: number): EndpointEvent[] =>
    Array.from({ length: ms / 20 }, () => endpoint.push(level > -60, level)).flat()
  t.same(
    [...say(120, -35), ...say(400, -90)].map(({ type }) => type),
    ['voice', 'false-alarm'],
  )
  t.same([...say(400, -34), ...say(1000, -90)], [], 'as loud as the false alarm')
  t.same(
    [...say(400, -30), ...say(1000, -90)].map(({ type }) => type),
    ['voice', 'onset', 'pause', 'end'],
  )
  endpoint.mistaken()
  t.same(say(400, -30), [])
  for (let times = 0; times < 5; times += 1) endpoint.mistaken()
  say(1000, -90)
  t.not(say(400, -10).length, 0, 'a loud caller is heard whatever went before')
})

t.test('whatever comes, events come in order', async () => {
  const delays = fc.constantFrom(0, 20, 32, 100, 200)
  const options = fc.record({ endSilenceMs: fc.integer({ min: 300, max: 5000 }), onsetDelayMs: delays, releaseDelayMs: delays })
  const piece = fc.record({ voiced: fc.boolean(), frames: fc.integer({ min: 1, max: 60 }), level: fc.integer({ min: -100, max: 0 }) })
  const step = fc.oneof({ weight: 8, arbitrary: piece }, fc.constantFrom('prompt', 'quiet', 'cut', 'mistaken'))
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 60 }), (given, steps) => {
      const endpoint = new Endpoint(given)
      let line = ''
      let last = 0
      let sinceVoice = 0
      for (const at of steps) {
        if (typeof at === 'string') {
          if (at === 'cut') {
            endpoint.cut()
            line += 'c'
          } else if (at === 'mistaken') endpoint.mistaken()
          else endpoint.prompting(at === 'prompt')
          continue
        }
        for (let frame = 0; frame < at.frames; frame += 1) {
          sinceVoice = at.voiced ? 0 : sinceVoice + 20
          for (const event of endpoint.push(at.voiced, at.level)) {
            if (event.atMs < last) return false
            last = event.atMs
            line += { voice: 'v', onset: 'o', pause: 'p', resumed: 'r', end: 'e', 'false-alarm': 'f' }[event.type]
            if ('startMs' in event && (event.startMs > event.atMs || event.startMs < 0)) return false
          }
          // The end is reported as soon as the silence is long enough, and nothing stays open beyond it.
          if (sinceVoice >= given.endSilenceMs + 300 && endpoint.phase !== 'silent') return false
        }
      }
      return /^(v(f|c|o(pr)*(p?c|pe))|c)*(v(o(pr)*p?)?)?$/.test(line)
    }),
    { numRuns: 400 },
  )
})

function events(script: string, options: EndpointOptions): EndpointEvent[] {
  const endpoint = new Endpoint(options)
  const all: EndpointEvent[] = []
  for (const [, what, ms] of script.matchAll(/([V.])\s*(\d+)/g))
    for (let left = Number(ms); left > 0; left -= 20) all.push(...endpoint.push(what === 'V', -20))
  return all
}

interface Decode {
  readonly ms: number
  readonly aborted: () => boolean
  answer(text: string): void
  fail(error: Error): void
}

/** A hearing whose decodes the test answers itself. */
function hearing(over: Partial<ListenOrder> = {}): {
  session: UtteranceSession
  heard: Heard[]
  decodes: Decode[]
  say(...parts: Int16Array[]): Promise<void>
} {
  const decodes: Decode[] = []
  const heard: Heard[] = []
  const recognise = (samples: Int16Array, { signal }: { signal?: AbortSignal }): Promise<Recognition> => {
    const { promise, resolve, reject } = Promise.withResolvers<Recognition>()
    decodes.push({ ms: samples.length / 8, aborted: () => signal?.aborted ?? false, answer: (text) => resolve({ text }), fail: reject })
    return promise
  }
  const engine = { id: 'engine', vocabulary: 'open', recognises: () => true, recognise, close: async () => undefined } as const
  const detector = { push: (samples: Int16Array) => samples.some((sample) => Math.abs(sample) > 1000), reset: () => undefined }
  const session = new UtteranceSession({
    request: { language: 'en', hints: [], digits: null, endSilenceMs: 600, partials: false, ...over },
    detector,
    onsetDelayMs: 0,
    releaseDelayMs: 0,
    decoder: new Decoder(engine, () => () => undefined),
    heard: (what) => heard.push(what),
  })
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const say = async (...parts: Int16Array[]): Promise<void> => {
    for (const part of parts) {
      for (let at = 0; at < part.length; at += 100) session.audio(part.subarray(at, at + 100))
      await turn()
    }
    await turn()
  }
  return { session, heard, decodes, say }
}

const types = (heard: readonly Heard[]): string[] => heard.map((what) => (what.type === 'speech-final' ? `final ${what.text}` : what.type))

t.test('the text of a pause is there when the pause has become an end', async (t) => {
  const { heard, decodes, say } = hearing()
  await say(silence(1000), loud(500), silence(260))
  t.equal(decodes.length, 1)
  t.equal(decodes[0]?.ms, 300 + 500 + 260, 'with 300 ms from before it')
  decodes[0]?.answer('yes')
  await say(silence(300))
  t.same(types(heard), ['voice', 'speech-onset'])
  await say(silence(60))
  t.same(types(heard), ['voice', 'speech-onset', 'final yes'])
  t.equal(decodes.length, 1)
})

t.test('it is thrown away when the caller goes on', async (t) => {
  const { heard, decodes, say } = hearing()
  await say(loud(500), silence(300), loud(20))
  t.ok(decodes[0]?.aborted())
  decodes[0]?.answer('five')
  await say(loud(400), silence(600))
  t.equal(decodes.length, 2)
  t.equal(decodes[1]?.ms, 500 + 300 + 420 + 260)
  decodes[1]?.answer('five five')
  await say()
  t.same(types(heard), ['voice', 'speech-onset', 'final five five'])
})

t.test('short sounds without words are false alarms, short words and long sounds are not', async (t) => {
  for (const [ms, text, end] of [
    [240, '', 'speech-false-alarm'],
    [240, 'no', 'final no'],
    [400, '', 'final '],
  ] as const) {
    const { heard, decodes, say } = hearing()
    await say(loud(ms), silence(700))
    decodes[0]?.answer(text)
    await say()
    t.same(types(heard), ['voice', 'speech-onset', end])
  }
})

t.test('what comes after an utterance is told after its text', async (t) => {
  const { heard, decodes, say } = hearing()
  await say(loud(500), silence(600), loud(500), silence(600))
  t.same(types(heard), ['voice', 'speech-onset'])
  t.equal(decodes.length, 1, 'one decode at a time')
  decodes[0]?.answer('one')
  await say()
  decodes[1]?.answer('two')
  await say()
  t.same(types(heard), ['voice', 'speech-onset', 'final one', 'voice', 'speech-onset', 'final two'])
})

t.test('asked to finish it says at once what it has', async (t) => {
  const idle = hearing()
  idle.session.finish()
  t.same(types(idle.heard), ['final '])
  const talking = hearing()
  await talking.say(loud(700))
  talking.session.finish()
  await talking.say()
  talking.decodes[0]?.answer('half a')
  await talking.say()
  t.same(types(talking.heard), ['voice', 'speech-onset', 'final half a'])
  const paused = hearing()
  await paused.say(loud(240), silence(300))
  paused.session.finish()
  paused.session.finish()
  paused.decodes[0]?.answer('')
  await paused.say()
  t.same(types(paused.heard), ['voice', 'speech-onset', 'final '], 'one final text, whatever it was')
  t.equal(paused.decodes.length, 1)
})

t.test('partial texts, when they are asked for', async (t) => {
  const { heard, decodes, say } = hearing({ partials: true })
  await say(loud(700))
  t.equal(decodes.length, 1)
  await say(loud(700))
  t.equal(decodes.length, 1, 'one at a time')
  decodes[0]?.answer('I need')
  await say()
  await say(loud(100))
  decodes[1]?.answer('I need')
  await say()
  await say(loud(700))
  decodes[2]?.answer('I need to')
  await say()
  await say(silence(300))
  decodes[3]?.answer('I need to go')
  await say()
  await say(silence(400))
  t.same(
    heard.map((what) => ('text' in what ? `${what.type} ${what.text} ${'stable' in what && what.stable}` : what.type)),
    [
      'voice',
      'speech-onset',
      'speech-partial I need false',
      'speech-partial I need to false',
      'speech-partial I need to go true',
      'speech-final I need to go false',
    ],
  )
})

t.test('a failed decode ends the hearing, a stopped hearing is silent', async (t) => {
  const failing = hearing()
  await failing.say(loud(500), silence(700))
  failing.decodes[0]?.fail(new SpeechError('engine-failed', 'no'))
  await failing.say(loud(500))
  t.same(failing.heard.at(-1), { type: 'recogniser-error', reason: 'engine-failed' })
  t.equal(failing.heard.length, 3)
  const stopped = hearing()
  await stopped.say(loud(500), silence(700))
  stopped.session.stop()
  stopped.decodes[0]?.answer('late')
  await stopped.say(loud(500), silence(700))
  t.same(types(stopped.heard), ['voice', 'speech-onset'])
})

t.test('speech without end is kept to a minute, and the next utterance is whole', async (t) => {
  const { decodes, heard, say } = hearing()
  await say(loud(90_000), silence(700))
  t.ok((decodes[0]?.ms ?? 0) <= 60_300)
  decodes[0]?.answer('long')
  await say(silence(1000), loud(500), silence(700))
  t.equal(decodes[1]?.ms, 300 + 500 + 260)
  decodes[1]?.answer('short')
  await say()
  t.same(types(heard).slice(-1), ['final short'])
})
