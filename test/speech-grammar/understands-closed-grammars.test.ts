/** The embedded recogniser with its real engine, on phrases spoken by flite over a telephone line. */
import fc from 'fast-check'
import t from 'tap'
import { createGrammarRecogniser } from '../../drivers/speech-grammar/recogniser.ts'
import { saidAs } from '../../drivers/speech-grammar/spelling.ts'
import { SpeechError, type Expectation, type Recogniser } from '../../drivers/speech.ts'
import { makeNoise, overLine, speak, type Voice } from '../../scripts/cli/selftest/corpus.ts'
import { departments, freeSentences } from '../../scripts/cli/selftest/phrases.ts'
import { eventually } from '../harness/waiting.ts'

const recogniser = await createGrammarRecogniser()
t.teardown(() => recogniser.close())

const line = async (text: string, voice: Voice = 'slt'): Promise<Int16Array> =>
  overLine(await speak(text, 'command', voice), 'quiet', 0, 7).samples

const expecting = (some: Partial<Expectation> = {}): Expectation => ({ language: 'en-US', hints: [], digits: null, ...some })

async function understood(text: string, expectation: Partial<Expectation> = {}, voice: Voice = 'slt'): Promise<string> {
  return (await recogniser.recognise(await line(text, voice), expecting(expectation))).text
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof SpeechError ? error.code : error),
  )

t.test('what it is', async (t) => {
  t.equal(recogniser.id, 'embedded-grammar')
  t.equal(recogniser.vocabulary, 'closed')
  t.ok(recogniser.recognises('en-US') && recogniser.recognises('en'))
  t.notOk(recogniser.recognises('de-DE') || recogniser.recognises('eng'))
  t.equal(await codeOf(recogniser.recognise(new Int16Array(8000), expecting({ language: 'fr-FR' }))), 'language-unsupported')
})

t.test('digits of known length, as words', async (t) => {
  t.equal(await understood('seven', { digits: 1 }), 'seven')
  t.equal(await understood('four one one', { digits: 3 }), 'four one one')
  t.equal(await understood('five five one six', { digits: 4 }, 'rms'), 'five five one six')
  t.equal(await understood('billing', { digits: 4, hints: ['Billing', 'Pharmacy'] }), 'Billing', 'hints and digits: either')
  t.equal(await understood('five five one six', { digits: 4, hints: ['Billing', 'Pharmacy'] }, 'rms'), 'five five one six')
})

t.test('the usual answers where nothing is named', async (t) => {
  t.equal(await understood('yes'), 'yes')
  t.equal(await understood('main menu', {}, 'rms'), 'main menu')
  t.equal(await understood('ten thirty a m'), 'ten thirty a m')
})

t.test('hints, given back as they were written; unknown names by the sound of their letters', async (t) => {
  const hints = ['Dr. Patel', 'Dr. Katsaros', "Dr. O'Neil-Smith", 'Option 2', '401k', 'BILLING!']
  t.equal(await understood('doctor patel', { hints }), 'Dr. Patel')
  t.equal(await understood('doctor katsaros', { hints }), 'Dr. Katsaros')
  t.equal(await understood('option two', { hints }), 'Option 2')
  t.equal(await understood('billing', { hints }, 'rms'), 'BILLING!')
  const { text, confidence = 0 } = await recogniser.recognise(await line('doctor patel'), expecting({ hints }))
  t.equal(text, 'Dr. Patel')
  t.ok(confidence >= 0.5 && confidence <= 1, String(confidence))
})

t.test('a hint inside a longer answer is found, and nothing else is taken for one', async (t) => {
  const hints = ['billing', 'pharmacy', 'a nurse', 'Dr. Patel', 'thank you']
  for (const [said, wanted, voice] of [
    ['billing please', 'billing', 'slt'],
    ['billing please', 'billing', 'rms'],
    ['the pharmacy', 'pharmacy', 'slt'],
    ["i'd like to speak to a nurse please", 'a nurse', 'slt'],
    ['i need the pharmacy', 'pharmacy', 'rms'],
    ['can i speak to doctor patel', 'Dr. Patel', 'slt'],
    ['thank you', 'thank you', 'slt'],
    ['i would like to', '', 'rms'],
    ['could i speak to the manager', '', 'slt'],
  ] as const)
    t.equal(await understood(said, { hints }, voice), wanted, `${said} (${voice})`)
})

t.test('yes and no are understood in the words that callers have for them', async (t) => {
  for (const [said, wanted, voice] of [
    ['yeah', 'yes', 'slt'],
    ['yes please', 'yes', 'slt'],
    ['correct', 'yes', 'rms'],
    ['that is correct', 'yes', 'slt'],
    ['sure', 'yes', 'rms'],
    ['no thank you', 'no', 'slt'],
    ['no', 'no', 'rms'],
  ] as const)
    t.equal(await understood(said, { hints: ['yes', 'no'] }, voice), wanted, `${said} (${voice})`)
  t.equal(await understood('yeah', { hints: ['yes', 'yeah', 'no'] }), 'yeah', 'an application that names it has it')
})

t.test('without t2p a hint that nobody can pronounce is left out, the others stay', async (t) => {
  const without = await createGrammarRecogniser({ guesser: '/nowhere/t2p' })
  t.teardown(() => without.close())
  const hints = ['Dr. Xyzzyqua', 'billing']
  t.equal((await without.recognise(await line('billing'), expecting({ hints }))).text, 'billing')
  t.equal((await without.recognise(await line('billing'), expecting({ hints: ['Xyzzyqua'] }))).text, '')
})

t.test('free speech is not taken for a command', async (t) => {
  const questions = [{}, { hints: departments }, { digits: 4 }, { hints: ['yes', 'no'] }]
  const taken: string[] = []
  for (const [at, sentence] of freeSentences.entries()) {
    if (at % 4 !== 0) continue
    const text = await understood(sentence, questions[(at / 4) % 4], at % 8 === 0 ? 'slt' : 'rms')
    if (text !== '') taken.push(`${sentence} -> ${text}`)
  }
  t.ok(taken.length <= 1, taken.join(', '))
})

t.test('what is no speech gives nothing', async (t) => {
  const tones = (...hertz: number[]): Int16Array =>
    Int16Array.from({ length: 12_000 }, (_, at) => hertz.reduce((sum, f) => sum + 4000 * Math.sin((2 * Math.PI * f * at) / 8000), 0))
  /** Beeps of a line that is never quite silent: `on` and `off` in seconds. */
  const beeps = (on: number, off: number, ...hertz: number[]): Int16Array => {
    const sound = tones(...hertz)
    const around = makeNoise('white', 20_000, 12, 5)
    return Int16Array.from(around, (sample, at) => ((at / 8000) % (on + off) < on ? sample + sound[at % sound.length]! : sample))
  }
  const spoken = await line('yes')
  const cases: Record<string, Int16Array> = {
    'a fax that calls': beeps(0.5, 3, 1100),
    'a fax that answers': beeps(3, 1, 2100),
    ringback: beeps(1, 4, 425),
    busy: beeps(0.5, 0.5, 480, 620),
    empty: new Int16Array(0),
    'one sample': Int16Array.of(1000),
    'digital silence': new Int16Array(16_000),
    'white noise': Int16Array.from(makeNoise('white', 16_000, 1500, 3)),
    'low noise': Int16Array.from(makeNoise('car', 16_000, 1500, 4)),
    tone: tones(440),
    chord: tones(262, 330, 392),
    'full scale square': Int16Array.from({ length: 16_000 }, (_, at) => (at % 40 < 20 ? 32_767 : -32_768)),
    'a minute of speech': Int16Array.from({ length: 480_000 }, (_, at) => spoken[at % spoken.length]!),
  }
  for (const [name, samples] of Object.entries(cases)) {
    for (const expectation of [{}, { digits: 1 }, { hints: ['yes', 'no'] }]) {
      t.equal((await recogniser.recognise(samples, expecting(expectation))).text, '', `${name}, ${JSON.stringify(expectation)}`)
    }
  }
  const clipped = spoken.map((sample) => Math.max(-32_768, Math.min(32_767, sample * 30)))
  t.match((await recogniser.recognise(clipped, expecting({ hints: ['yes', 'no'] }))).text, /^(yes|no)?$/, 'clipped speech')
})

t.test('no hint breaks anything', async (t) => {
  const samples = (await line('yes')).subarray(0, 9000)
  const sign = fc.constantFrom(
    ...'<>|;=*+()[]{}/\\"\'#$\0\n\t .-',
    'é',
    '한',
    '😀',
    '\ud800',
    'public',
    'JSGF',
    '#JSGF V1.0;',
    '401',
    'a',
    'x',
  )
  const hint = fc.oneof(fc.string({ maxLength: 100 }), fc.string({ unit: sign, maxLength: 30 }))
  await fc.assert(
    fc.asyncProperty(fc.array(hint, { maxLength: 5 }), fc.option(fc.double(), { nil: null }), async (hints, digits) => {
      const { text } = await recogniser.recognise(
        samples,
        expecting({ hints: [...hints, 'yes'], digits: digits === null ? null : Math.min(9, digits) }),
      )
      if (!['', 'yes', ...hints.map((one) => one.trim())].includes(text) && digits === null) throw new Error(`understood ${text}`)
    }),
    { numRuns: 20 },
  )
  const many = Array.from({ length: 200 }, (_, at) =>
    `${freeSentences[at % freeSentences.length]} ${at} and all that comes after it`.slice(0, 100),
  )
  t.equal((await recogniser.recognise(await line('yes'), expecting({ hints: ['yes', ...many] }))).text, 'yes', 'two hundred long ones')
  t.equal((await recogniser.recognise(await line('yes'), expecting({ hints: ['한국어', '!!!'] }))).text, '', 'nothing that could be said')
})

t.test('how a hint is said', async (t) => {
  const said = (text: string): string[] => saidAs(text).map((words) => words.join(' '))
  t.same(said("Dr. O'Neil-Smith"), ["doctor o'neil smith"])
  t.same(said('option 2'), ['option two'])
  t.same(said('401k'), ['four zero one k', 'four oh one k', 'four hundred one k'])
  t.same(said('Room 24'), ['room two four', 'room twenty four'])
  t.same(said('Lab & X-Ray'), ['lab and x ray'])
  t.same(said('10:30 a.m.'), ['one zero three zero a m', 'one zero thirty a m', 'ten three zero a m', 'ten thirty a m'])
  t.same(said('José'), ['jose'])
  t.same(said('Ωmega'), [], 'a letter nobody can say here')
  t.same(said('...'), [])
})

t.test('an aborted request ends at once; those behind it go on', async (t) => {
  const samples = await line('yes')
  const controllers = [new AbortController(), new AbortController(), new AbortController()]
  const asked = controllers.map(({ signal }) => recogniser.recognise(samples, { ...expecting({ hints: ['yes', 'no'] }), signal }))
  const ends = [codeOf(asked[0]!), codeOf(asked[1]!)]
  controllers[0]!.abort()
  controllers[1]!.abort()
  t.same(await Promise.all(ends), ['aborted', 'aborted'])
  t.equal((await asked[2]!).text, 'yes')
  t.equal(await codeOf(recogniser.recognise(samples, { ...expecting(), signal: AbortSignal.abort() })), 'aborted')
})

t.test('nobody waits for the decode of another while a processor is idle; everybody gets their own answer', async (t) => {
  const words = ['yes', 'no', 'billing', 'pharmacy']
  const samples = await Promise.all(words.map((word) => line(word)))
  const crowd = await Promise.all(samples.map((each) => recogniser.recognise(each, expecting({ hints: words }))))
  t.same(
    crowd.map(({ text }) => text),
    words,
  )
  if (recogniser.atOnce === 1) return
  const long = await line(Array.from({ length: 12 }, () => 'four one nine').join(' '), 'rms')
  // The further thread opens while somebody waits: then who spoke shortly is answered before who spoke for long.
  await eventually('the short answer first', async () => {
    const order: string[] = []
    await Promise.all([
      recogniser.recognise(long, expecting({ digits: 36 })).then(() => order.push('long')),
      recogniser.recognise(samples[0]!, expecting({ hints: words })).then(() => order.push('short')),
    ])
    return order[0] === 'short'
  })
})

t.test('the thread that asks goes on while it is decoded', async (t) => {
  const samples = await line('five five one six')
  let turns = 0
  const began = performance.now()
  const ticks = setInterval(() => (turns += 1), 5)
  await Promise.all([1, 2, 3].map(() => recogniser.recognise(samples, expecting({ digits: 4 }))))
  clearInterval(ticks)
  const took = performance.now() - began
  t.ok(turns > took / 50, `${turns} turns in ${took.toFixed(0)} ms`)
})

t.test('a thread that dies costs the answer in flight; the next request has a new one', async (t) => {
  const mortal: Recogniser = await createGrammarRecogniser({ limitMs: 1 })
  t.teardown(() => mortal.close())
  const samples = await line('five five one six')
  t.equal(await codeOf(mortal.recognise(samples, expecting({ digits: 4 }))), 'engine-failed', 'one that takes too long is ended')

  const fragile = await createGrammarRecogniser()
  t.teardown(() => fragile.close())
  const broken = { length: 8000, some: 'no samples' } as unknown as Int16Array
  const [first, second] = await Promise.all([
    codeOf(fragile.recognise(broken, expecting({ digits: 4 }))),
    fragile.recognise(samples, expecting({ digits: 4 })),
  ])
  t.equal(first, 'engine-failed')
  t.equal(second.text, 'five five one six')
})

t.test('closing ends what waits, and nothing is asked after it', async (t) => {
  const closing = await createGrammarRecogniser()
  const samples = await line('yes')
  const asked = [1, 2].map(() => codeOf(closing.recognise(samples, expecting())))
  await closing.close()
  t.same(
    (await Promise.all(asked)).map((code) => code === 'aborted' || code === 'engine-failed'),
    [true, true],
  )
  t.equal(await codeOf(closing.recognise(samples, expecting())), 'engine-failed')
  await closing.close()
})
