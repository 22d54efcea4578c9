/**
 * What holds for every call, whatever happens to it within one turn of the loop: keys, hang-up, orders through the API, answers
 * of the application, transcripts, a lost engine, a clock that is set. PBX_HISTORIES says how many histories are tried.
 */
import fc from 'fast-check'
import t from 'tap'
import { Ground, nextTurn, SessionStage } from './session-stage.ts'

type Happening =
  | { readonly do: 'key'; readonly key: string }
  | { readonly do: 'hang-up' | 'lose' | 'heard' | 'transcript' | 'speak' | 'line' | 'turn' | 'second' | 'forward' | 'back' }
  | { readonly do: 'order'; readonly order: 'end' | 'redirect' | 'document' }
  | { readonly do: 'answer'; readonly status: 200 | 503 | 500; readonly document: 'gather' | 'record' | 'say' | 'nothing' }
  | { readonly do: 'phone'; readonly act: 'ring' | 'answer' | 'hang-up' }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('1', '5', '#', '#').map((key) => ({ do: 'key', key }) as const) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'hang-up' } as const, { do: 'lose' } as const) },
  {
    weight: 6,
    arbitrary: fc.constantFrom('heard', 'transcript', 'speak', 'line', 'turn', 'second').map((what) => ({ do: what }) as Happening),
  },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'forward' } as const, { do: 'back' } as const) },
  { weight: 3, arbitrary: fc.constantFrom('end', 'redirect', 'document').map((order) => ({ do: 'order', order }) as Happening) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(200, 200, 200, 503, 500), fc.constantFrom('gather', 'record', 'say', 'nothing'))
      .map(([status, document]) => ({ do: 'answer', status, document }) as Happening),
  },
  { weight: 2, arbitrary: fc.constantFrom('ring', 'answer', 'hang-up').map((act) => ({ do: 'phone', act }) as Happening) },
)
/** What happens in one turn of the loop, before anything can follow from it. */
const tick = fc.array(happening, { minLength: 1, maxLength: 4 })
const history = fc.record({
  fallbackUrl: fc.boolean(),
  fallbackDestination: fc.boolean(),
  slowVoice: fc.boolean(),
  first: fc.constantFrom('gather', 'record', 'say'),
  ticks: fc.array(tick, { minLength: 1, maxLength: 14 }),
})

/** A voice says numbers in words, so a document is named by letters: 12 is `bc`. */
const nameOf = (number: number): string => [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
const numberOf = (name: string): number => Number([...name].map((letter) => 'abcdefghij'.indexOf(letter)).join(''))

/** Knows from the outside which inputs were finished, which documents are dead and when an end was accepted. */
class Watch {
  readonly stage: SessionStage
  documents = 0
  /** Documents that came before an accepted order. */
  dead = 0
  running: 'gather' | 'record' | null = null
  finished = 0
  endedAt: number | null = null
  #seen = 0
  readonly faults: string[] = []

  constructor(stage: SessionStage) {
    this.stage = stage
    stage.call.trace.observe(({ kind, text }) => {
      if (kind === 'verb' && (text === 'gather' || text === 'record')) this.running = text
      // A gather that waits for one key, and a message that ends with its key, are finished by it.
      else if (kind === 'key') this.#finish()
    })
    stage.call.over.addEventListener('abort', () => this.#finish())
  }

  #finish(): void {
    if (this.running !== null) this.finished += 1
    this.running = null
  }

  document(kind: 'gather' | 'record' | 'say' | 'nothing'): unknown[] {
    const number = (this.documents += 1)
    const name = nameOf(number)
    const say = { say: { text: `Text ${name} begins. Text ${name} goes on. Text ${name} ends.` } }
    if (kind === 'nothing') return []
    if (kind === 'gather') return [say, { gather: { numDigits: 1, timeout: 120, typeAhead: false } }]
    if (kind === 'record')
      return [{ record: { transcribe: number % 2 === 0, playBeep: false, silenceTimeout: 0, initialTimeout: 0, maxSeconds: 3600 } }]
    return [say, { pause: { seconds: 5 } }]
  }

  order(order: 'end' | 'redirect' | 'document'): void {
    const { stage } = this
    const living = !stage.call.over.aborted && !stage.call.ending
    const dead = this.documents
    const document = order === 'document' ? this.document('gather') : null
    const taken = stage.order(document ?? (order as 'end' | 'redirect'))
    const expected = living || (order === 'end' && !stage.call.over.aborted)
    void taken.then((ok) => {
      if (ok !== expected) this.faults.push(`${order}: ${ok}`)
    })
    if (!living) return
    this.dead = dead
    // What was heard before the order is well; what waits to be heard is not.
    this.#seen = stage.leg.played.length
    this.running = null
    if (order === 'end') this.endedAt ??= stage.clock.elapsed()
  }

  /** After everything that could follow has followed. */
  look(): void {
    const { stage } = this
    const words = [...stage.leg.queue, ...stage.leg.played.slice(this.#seen)]
    this.#seen = stage.leg.played.length
    for (const { text } of words) {
      const name = /^Text (\w+)/.exec(text)?.[1]
      if (name !== undefined && numberOf(name) <= this.dead) this.faults.push(`"${text}" is heard after document ${this.dead} was replaced`)
    }
    if (this.endedAt !== null && stage.leg.endedBy === null && stage.clock.elapsed() > this.endedAt)
      this.faults.push('the end was accepted, and the leg lives')
    if (stage.attempts.filter(({ outcome }) => outcome === 'open').length > 1) this.faults.push('two events are in flight')
  }
}

function happen(stage: SessionStage, watch: Watch, what: Happening): void {
  const { leg, clock } = stage
  const phone = stage.phones.at(-1)
  switch (what.do) {
    case 'key':
      return leg.key(what.key)
    case 'hang-up':
      return leg.hangUp()
    case 'lose':
      return leg.lose()
    case 'heard':
      return leg.heard()
    case 'line':
      return leg.pump()
    case 'speak':
      return stage.speak()
    case 'transcript':
      return stage.transcriber.live_.resolve({ status: 'done', text: 'words', reason: '', engine: 'test' })
    case 'turn':
      return
    case 'second':
      return clock.advance(1000)
    case 'forward':
      return clock.set(clock.now() + 3_600_000)
    case 'back':
      return clock.set(clock.now() - 3_600_000)
    case 'order':
      return watch.order(what.order)
    case 'answer':
      return stage.open?.answer(what.status, what.status === 200 ? watch.document(what.document) : [])
    case 'phone':
      if (phone === undefined || phone.over || phone.endedBy !== null) return
      if (what.act === 'ring') phone.onEvent({ type: 'ringing', sipCode: 180, earlyMedia: false })
      else if (what.act === 'hang-up') phone.hangUp()
      else phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
  }
}

/** Inputs by what became of their events: taken by somebody, or tried at every place that the failure policy names. */
function undelivered(stage: SessionStage, fallbackUrl: boolean): string[] {
  const faults: string[] = []
  for (const event of [...stage.named('gather.completed'), ...stage.named('record.completed')]) {
    const attempts = stage.attempts.filter((attempt) => attempt.event.eventId === event.eventId)
    const taken = attempts.filter(({ outcome }) => outcome === 'answered').length
    const last = attempts.at(-1)!
    if (taken > 1) faults.push(`${event.event} ${event.sequence} was taken ${taken} times`)
    if (taken === 0 && last.outcome === 'cut') faults.push(`${event.event} ${event.sequence} was cut`)
    if (taken === 0 && last.outcome === 'failed' && fallbackUrl && last.path !== '/fallback')
      faults.push(`${event.event} ${event.sequence} was not sent to the fallback URL`)
  }
  return faults
}

t.setTimeout(3_600_000)
t.test('property: inputs are told once, nothing dead is heard, an accepted end ends the call, numbers have no gap', async (t) => {
  const ground = await Ground.open(t)
  const histories = Number(process.env['PBX_HISTORIES'] ?? 250)
  const seen = { histories: 0, inputs: 0, orders: 0 }
  await fc.assert(
    fc.asyncProperty(history, async ({ first, ticks, ...options }) => {
      const stage = new SessionStage(ground, options)
      const watch = new Watch(stage)
      ;(await stage.attempt(1)).answer(200, watch.document(first as 'gather'))
      await stage.quiet()
      for (const happenings of ticks) {
        for (const what of happenings) happen(stage, watch, what)
        await stage.quiet()
        watch.look()
      }
      await stage.finish()
      await nextTurn()
      watch.look()
      const told = stage.named('gather.completed').length + stage.named('record.completed').length
      const faults = [...watch.faults, ...undelivered(stage, options.fallbackUrl)]
      if (told !== watch.finished) faults.push(`${watch.finished} inputs were finished, ${told} told`)
      const numbers = stage.events.map(({ sequence }) => sequence as number)
      // A late transcript is sent through the outbox, with a number of its own.
      const late = stage.named('record.completed').filter(({ transcriptStatus }) => transcriptStatus === 'pending').length
      const gap = numbers.some((number, at) => number > at + 1 + late)
      if (new Set(numbers).size < numbers.length || gap || stage.call.row.sequence > numbers.length + late)
        faults.push(`sequence: ${numbers.join(', ')} of ${stage.call.row.sequence}`)
      seen.histories += 1
      seen.inputs += told
      if (watch.dead > 0) seen.orders += 1
      if (faults.length > 0)
        throw new Error(`${faults.join('\n')}\n${stage.trace.map(({ ms, kind, text }) => `${ms} ${kind} ${text}`).join('\n')}`)
    }),
    { numRuns: histories, ...(process.env['PBX_SEED'] === undefined ? {} : { seed: Number(process.env['PBX_SEED']) }) },
  )
  t.comment(`${seen.histories} histories, ${seen.inputs} inputs told, orders in ${seen.orders} of them`)
  t.ok(seen.inputs > seen.histories / 2, 'the histories have inputs')
})
