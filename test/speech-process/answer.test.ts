/** A question whose answers are known, to the recogniser of free speech and the one that knows the answers alone. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { AnswerDecoder } from '../../daemon/speech/worker/answer.ts'
import { Decoder, urgency } from '../../daemon/speech/worker/decoder.ts'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { createGrammarRecogniser } from '../../drivers/speech-grammar/recogniser.ts'
import type { Recogniser } from '../../drivers/speech.ts'
import { readWav } from '../../drivers/wav.ts'
import { makeNoise } from '../../scripts/cli/selftest/corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbxd-answer-'))
t.after(() => rmSync(folder, { recursive: true, force: true }))

function say(text: string): Int16Array {
  const file = join(folder, 'said.wav')
  execFileSync('flite', ['-voice', 'rms', '-t', text, '-o', file])
  const { samples, rate } = readWav(readFileSync(file))
  const words = toTelephoneRate(samples, rate)
  const around = new Int16Array(words.length + 6000)
  around.set(words, 2000)
  return around
}

/** Writes what the test says, as a model would for the same audio. */
const writing = (text: string): Recogniser => ({
  id: 'free',
  vocabulary: 'open',
  recognises: () => true,
  recognise: async () => ({ text }),
  close: async () => undefined,
})

const departments = ['billing', 'pharmacy', 'Dr. Patel', 'lab results']

t.test('the free text stands where it is an answer, in the words of the grammar; else the grammar is asked', async (t) => {
  const grammar = await createGrammarRecogniser()
  t.after(() => grammar.close())
  const cases: readonly {
    readonly said: string
    readonly written: string
    readonly hints?: readonly string[]
    readonly digits?: number
    readonly text: string
    readonly engine: string
  }[] = [
    // Digits come in figures from a model: an application gets the words it gets without one.
    { said: 'one', written: '4, 7, 1, 9', digits: 4, text: 'four seven one nine', engine: 'free' },
    { said: 'one', written: '471-9.', digits: 4, text: 'four seven one nine', engine: 'free' },
    { said: 'one', written: 'Four seven oh nine', digits: 4, text: 'four seven zero nine', engine: 'free' },
    // A number of other digits than were asked for is no answer.
    { said: 'nine zero eight seven', written: '9 0 8', digits: 4, text: 'nine zero eight seven', engine: 'embedded-grammar' },
    { said: 'nine zero eight seven', written: 'T-0A7', digits: 4, text: 'nine zero eight seven', engine: 'embedded-grammar' },
    { said: 'one', written: ' Billing.', hints: departments, text: 'billing', engine: 'free' },
    { said: 'one', written: 'doctor Patel', hints: departments, text: 'Dr. Patel', engine: 'free' },
    { said: 'pharmacy', written: 'farm I see', hints: departments, text: 'pharmacy', engine: 'embedded-grammar' },
    // Neither hears an answer: what was heard is better than nothing.
    { said: 'see you later banana', written: 'See you later', hints: departments, text: 'See you later', engine: 'free' },
    // A caller who says more than was asked is heard out.
    {
      said: 'pharmacy',
      written: 'I would like to know whether my refill is ready',
      hints: departments,
      text: 'I would like to know whether my refill is ready',
      engine: 'free',
    },
    // The same answer in other words, with polite ones around it, again and again; and a hint that has the other words for itself.
    ...(
      [
        ['Yeah.', 'yes'],
        ['Yep', 'yes'],
        ['Yes, please.', 'yes'],
        ["Yes, that's correct.", 'yes'],
        ['Um, yes.', 'yes'],
        ['Yes. Yes. Yes.', 'yes'],
        ['OK.', 'yes'],
        ['Nope.', 'no'],
        ['No, no, no.', 'no'],
        ['No, thank you.', 'no'],
      ] as const
    ).map(([written, text]) => ({ said: 'one', written, hints: ['yes', 'no'], text, engine: 'free' })),
    { said: 'one', written: 'Right.', hints: ['left', 'right'], text: 'right', engine: 'free' },
    { said: 'one', written: 'Right.', hints: ['yes', 'Right'], text: 'Right', engine: 'free' },
    { said: 'one', written: 'Yeah.', hints: ['yes', 'no', 'yeah'], text: 'yeah', engine: 'free' },
    { said: 'one', written: "I'd like to speak to billing, please.", hints: departments, text: 'billing', engine: 'free' },
    { said: 'one', written: 'Um, the lab results, thanks', hints: departments, text: 'lab results', engine: 'free' },
    // Digits as words of the same sound.
    { said: 'one', written: 'for too won ate', digits: 4, text: 'four two one eight', engine: 'free' },
    { said: 'one', written: 'A1, little 4', digits: 4, text: 'eight one zero four', engine: 'free' },
    { said: 'pharmacy', written: '', hints: departments, text: '', engine: 'free' },
    { said: 'pharmacy', written: '471', text: '471', engine: 'free' },
  ]
  for (const { said, written, hints = [], digits = null, text, engine } of cases) {
    const decoder = new AnswerDecoder(...pair(writing(written), grammar))
    const got = await decoder.decode(urgency.final, say(said), { language: 'en-US', hints, digits })
    t.match(got, { text, engine }, `"${written}" for "${said}"`)
  }
})

t.test('digits that are not as many as were asked for are heard again, long strings until twice the same, and never guessed', async (t) => {
  const grammar = await createGrammarRecogniser()
  t.after(() => grammar.close())
  const eight = 'nine zero eight seven five five one six'
  const cases = [
    { written: ['9, 0, 8, 7, 5, 5, 1, 6', '9087-5516'], text: eight, heard: 2, confidence: 0.95 },
    { written: ['9, 0, 8, 7, 5, 5, 1, 6', '9087-5561', '9087 5516'], text: eight, heard: 3, confidence: 0.95 },
    { written: ['9, 0, 8, 7, 5, 5, 1, 6', '9087-5561', '9087'], text: eight, heard: 3, confidence: 0.4 },
    { written: ['9 0 8', '9087-5516', '90875516'], text: eight, heard: 3, confidence: 0.95 },
    { written: ['9 0 8', '90875', 'nine hero eight seven five five won six'], text: eight, heard: 3, confidence: 0.4 },
    { written: ['9 0 8', '90875', '9087-551'], text: '9 0 8', heard: 3 },
    { written: ['9, 0, 8, 7, 5, 5, 1, 6'], text: eight, heard: 1, priority: urgency.partial },
    { written: ['9 0 8'], text: '9 0 8', heard: 1, priority: urgency.partial },
    { written: [''], text: '', heard: 1 },
    { written: ['9 0 8', '9087-5516'], text: eight, heard: 2, confidence: 0.4, line: say(eight) },
    { written: ['9 0 8 7'], text: 'nine zero eight seven', heard: 1, digits: 4 },
    { written: ['9 0 8', '9087'], text: 'nine zero eight seven', heard: 2, digits: 4 },
    { written: ['Operator.'], text: 'operator', heard: 1, hints: ['operator'] },
  ]
  const noisy = overNoise(say(eight))
  for (const { written, text, heard, confidence, priority = urgency.final, line = noisy, digits = 8, hints = [] } of cases) {
    const given: Int16Array[] = []
    const open: Recogniser = {
      ...writing(''),
      recognise: async (samples) => ({ text: written[given.push(samples) - 1] ?? 'too often' }),
    }
    const got = await new AnswerDecoder(...pair(open, grammar)).decode(priority, line, { language: 'en-US', hints, digits })
    t.match(got, { text, engine: 'free' }, written.join(' | '))
    t.equal(got.confidence, confidence, `the confidence of ${written.join(' | ')}`)
    t.equal(given.length, heard, 'so often it was heard')
    t.equal(new Set(given.map((samples) => Buffer.from(samples.buffer).toString('latin1'))).size, heard, 'each time changed')
  }
})

t.test('in a language that no grammar knows a hint comes as the application wrote it', async (t) => {
  const cases = [
    { written: 'Si.', hints: ['sí', 'no'], text: 'sí' },
    { written: ' CITA MÉDICA. ', hints: ['cita médica', 'farmacia'], text: 'cita médica' },
    { written: '¿Farmacia?', hints: ['cita', 'Farmacia '], text: 'Farmacia' },
    { written: 'Sí, por supuesto.', hints: ['sí', 'no'], text: 'Sí, por supuesto.' },
    { written: '...', hints: ['sí', '!'], text: '...' },
  ]
  for (const { written, hints, text } of cases) {
    const decoder = new AnswerDecoder(new Decoder(writing(written), () => () => undefined), null)
    const got = await decoder.decode(urgency.final, say('one'), { language: 'es-ES', hints, digits: null })
    t.match(got, { text, engine: 'free' }, written)
  }
})

/** Steady noise, some 30 dB below the voice. */
function overNoise(samples: Int16Array): Int16Array {
  const noise = makeNoise('white', samples.length, 100, 5)
  return samples.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + noise[at]!)))
}

function pair(open: Recogniser, closed: Recogniser): [Decoder, Decoder] {
  return [new Decoder(open, () => () => undefined), new Decoder(closed, () => () => undefined)]
}
