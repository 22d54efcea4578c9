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
    { said: 'pharmacy', written: '', hints: departments, text: '', engine: 'free' },
    { said: 'pharmacy', written: '471', text: '471', engine: 'free' },
  ]
  for (const { said, written, hints = [], digits = null, text, engine } of cases) {
    const decoder = new AnswerDecoder(...pair(writing(written), grammar))
    const got = await decoder.decode(urgency.final, say(said), { language: 'en-US', hints, digits })
    t.match(got, { text, engine }, `"${written}" for "${said}"`)
  }
})

function pair(open: Recogniser, closed: Recogniser): [Decoder, Decoder] {
  return [new Decoder(open, () => () => undefined), new Decoder(closed, () => () => undefined)]
}
