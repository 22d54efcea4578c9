/** What holds for every gather, whatever its parameters and whatever happens to it. */
import fc from 'fast-check'
import t from 'tap'
import { finalMs, hangupFinalMs, type CollectParams } from '../../daemon/voice/collect.ts'
import { Run, type Happening } from './gather-run.ts'

const paramsArbitrary: fc.Arbitrary<CollectParams> = fc
  .record({
    input: fc.constantFrom('dtmf', 'speech', 'both'),
    maxDigits: fc.integer({ min: 1, max: 32 }),
    least: fc.integer({ min: 0, max: 32 }),
    finishKeys: fc.constantFrom('', '#', '*#', '123'),
    timeoutMs: fc.integer({ min: 0, max: 20_000 }),
    interDigitMs: fc.integer({ min: 500, max: 20_000 }),
    speechMs: fc.integer({ min: 1000, max: 60_000 }),
    keysInterrupt: fc.boolean(),
    speechInterrupts: fc.boolean(),
    typeAhead: fc.boolean(),
  })
  .map(({ input, least, keysInterrupt, speechInterrupts, ...rest }) => ({
    ...rest,
    keys: input !== 'speech',
    speech: input !== 'dtmf',
    minDigitsBeforeFinish: Math.min(least, rest.maxDigits),
    minDigitsBeforePause: Math.min(Math.max(1, least), rest.maxDigits),
    keysInterrupt: keysInterrupt && input !== 'speech',
    speechInterrupts: speechInterrupts && input !== 'dtmf',
  }))

const inputArbitrary: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'0123456789*#AD').map((key) => ({ type: 'key', key }) as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { type: 'prompts-finished' } as const,
      { type: 'speech-onset' } as const,
      { type: 'speech-false-alarm' } as const,
      { type: 'speech-partial', text: 'part' } as const,
      { type: 'speech-final', text: '' } as const,
      { type: 'speech-final', text: 'words', confidence: 0.5 } as const,
      { type: 'recogniser-error' } as const,
      { type: 'timer' } as const,
    ),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'hangup' } as const) },
)

t.test('property: whatever happens, a gather ends exactly once, in time, with the keys that were pressed', async () => {
  fc.assert(
    fc.property(
      paramsArbitrary,
      fc.boolean(),
      fc.string({ unit: fc.constantFrom(...'0123456789*#'), maxLength: 5 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 8000 }), inputArbitrary), { maxLength: 40 }),
      (params, prompts, keysBefore, script) => {
        const run = new Run(params, { prompts, keysBefore })
        const fail = (what: string): never => {
          throw new Error(what)
        }
        // When the limits begin: they are the machine's promise, so they are derived here without its help.
        let waitingSince = prompts && !run.effects.includes('set-deadline') ? null : run.at
        let firstKeyAt: number | null = run.state.phase === 'keying' ? run.at : null
        let pressed = params.keys && params.typeAhead ? keysBefore : ''
        const note = (before: number) => {
          const fresh = run.effects.slice(before)
          if (fresh.includes('resume-prompts')) waitingSince = null
          else if (waitingSince === null && fresh.includes('set-deadline')) waitingSince = run.at
          if (firstKeyAt === null && run.state.phase === 'keying') firstKeyAt = run.at
          if (run.state.deadline !== null && run.state.deadline < run.at) fail('a deadline in the past')
          if (run.state.phase !== 'prompting' && run.state.phase !== 'done' && run.state.deadline === null) fail('waits without a deadline')
          if (run.state.digits.length > params.maxDigits) fail('more keys than asked for')
        }
        for (const [pause, input] of script) {
          const target = run.at + pause
          while (run.state.deadline !== null && run.state.deadline <= target) run.wait(run.state.deadline - run.at)
          run.at = Math.max(run.at, target)
          const open = run.results.length === 0
          const takes = params.keys && (run.state.phase !== 'prompting' || params.keysInterrupt || params.typeAhead)
          if (input.type === 'key' && open && takes) pressed += input.key
          const before = run.effects.length
          run.input(input)
          note(before)
        }
        const before = run.effects.length
        run.promptsFinished()
        note(before)
        run.wait(1_000_000)

        if (run.results.length !== 1) fail(`ended ${run.results.length} times`)
        const { at, result } = run.results[0]!
        if (run.state.phase !== 'done' || run.state.deadline !== null) fail('left something behind')
        const starts = run.effects.filter((effect) => effect === 'start-recogniser').length
        const stops = run.effects.filter((effect) => effect === 'stop-recogniser').length
        if (starts > 1 || stops > starts) fail('the recogniser was started or stopped twice')
        if (waitingSince !== null) {
          const cap = params.timeoutMs + params.speechMs + Math.max(finalMs, hangupFinalMs)
          const limit = firstKeyAt === null ? waitingSince + cap : firstKeyAt + params.maxDigits * params.interDigitMs
          if (at > limit) fail(`ended at ${at}, after its limit ${limit}`)
        }
        if (firstKeyAt !== null && result.speech !== '') fail('speech although a key was pressed')
        if (result.reason === 'digits' && result.speech !== '') fail('digits with speech')
        // Not a key lost or doubled: those taken are the first ones pressed, without finish keys that came too early.
        const taken: string[] = []
        for (const key of pressed) {
          if (taken.length >= params.maxDigits) break
          if (!params.finishKeys.includes(key)) taken.push(key)
          else if (taken.length >= params.minDigitsBeforeFinish && result.finishKey !== undefined) break
        }
        if (!taken.join('').startsWith(result.digits)) fail(`${result.digits} of ${pressed}`)
        const certain = result.reason === 'digits' || result.reason === 'timeout' || result.reason === 'hangup'
        if (certain && result.finishKey === undefined && result.reason !== 'hangup' && result.digits !== taken.join(''))
          fail(`lost: ${result.digits} of ${pressed}`)
      },
    ),
    { numRuns: 5000 },
  )
})

t.test('property: without any input the result is a timeout at the very millisecond', async () => {
  fc.assert(
    fc.property(paramsArbitrary, (params) => {
      const run = new Run(params).wait(params.timeoutMs)
      return run.result?.reason === 'timeout' && run.endedAfter === params.timeoutMs
    }),
  )
})

t.test('property: keys pressed one after the other, each in time, are all collected', async () => {
  fc.assert(
    fc.property(
      paramsArbitrary,
      fc.array(fc.double({ min: 0, max: 0.99, noNaN: true }), { minLength: 32, maxLength: 32 }),
      (given, pauses) => {
        const params = { ...given, keys: true, finishKeys: '#', timeoutMs: Math.max(given.timeoutMs, 1) }
        const run = new Run(params)
        const keys = Array.from({ length: params.maxDigits }, (_, index) => String(index % 10)).join('')
        for (const [index, key] of [...keys].entries())
          run.wait(Math.floor((index === 0 ? params.timeoutMs : params.interDigitMs) * pauses[index]!)).keys(key)
        return run.result?.reason === 'digits' && run.result.digits === keys
      },
    ),
  )
})
