/** The queues of a stream, whatever is put into them and however slowly they empty: towards the caller, and towards the server. */
import fc from 'fast-check'
import t from 'tap'
import type { WebSocket } from 'ws'
import { formats, type StreamCodec } from '../../daemon/voice/stream/format.ts'
import { media, mark, type StreamIdentity } from '../../daemon/voice/stream/messages.ts'
import { Outgoing } from '../../daemon/voice/stream/outgoing.ts'
import { AudioBudget, Playout } from '../../daemon/voice/stream/playout.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const runs = 300
const codecs = Object.keys(formats) as StreamCodec[]

type Step = { readonly bytes: number } | { readonly mark: true } | { readonly tick: true } | { readonly played: true }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ bytes: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 60_000 })) }) },
  { weight: 1, arbitrary: fc.constant({ mark: true } as const) },
  { weight: 2, arbitrary: fc.constant({ tick: true } as const) },
  { weight: 3, arbitrary: fc.constant({ played: true } as const) },
)

t.test(
  'what a server sends is played whole and in order, in pieces of whole samples, and each mark comes when all before it was heard',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...codecs), fc.array(step, { maxLength: 80 }), async (codec, steps) => {
        const format = formats[codec]
        const budget = new AudioBudget(64 << 20)
        const line: { samples: Int16Array; done: () => void }[] = []
        const heard: number[] = []
        const marks: { name: string; after: number }[] = []
        const playout = new Playout({
          play: (samples) =>
            new Promise((resolve) =>
              line.push({
                samples,
                done: () => {
                  heard.push(...samples)
                  resolve({ completed: true, playedMs: 0 })
                },
              }),
            ),
          clear: () => undefined,
          passed: (name) => marks.push({ name, after: heard.length }),
          budget,
          format,
        })
        const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
        const sent: Buffer[] = []
        const due: { name: string; after: number }[] = []
        let at = 0
        /** Samples that count before here: half a one before a mark is dropped. */
        let samples = 0
        let pending = 0
        const cut = (): void => {
          if (pending % format.sampleBytes === 1) sent[sent.length - 1] = sent.at(-1)!.subarray(0, -1)
          samples += Math.floor(pending / format.sampleBytes)
          pending = 0
        }
        for (const one of steps) {
          if ('bytes' in one) {
            const bytes = Buffer.from(Uint8Array.from({ length: one.bytes }, () => (at++ * 37 + (at >> 7)) % 127))
            if (bytes.length > 0) sent.push(bytes)
            pending += bytes.length
            t.ok(playout.add(bytes), 'there is room')
          } else if ('mark' in one) {
            cut()
            const name = `m${due.length}`
            due.push({ name, after: samples })
            playout.mark(name)
          } else if ('tick' in one) playout.tick()
          else line.shift()?.done()
          await settle()
        }
        cut()
        const dry = playout.drained()
        for (let next = line.shift(); next !== undefined; next = line.shift()) {
          next.done()
          await settle()
        }
        await dry
        t.equal(
          Buffer.compare(Buffer.from(Int16Array.from(heard).buffer), Buffer.from(format.decode(Buffer.concat(sent)).buffer)),
          0,
          'whole and in order',
        )
        t.same(marks, due, 'marks')
        t.equal(budget.used, 0, 'nothing stays booked')
        t.equal(playout.queuedMs, 0)
      }),
      { numRuns: runs },
    )
  },
)

/** A connection that takes what it is let take. */
class SlowSocket {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  readonly taken: any[] = []
  #inside: { frame: any; bytes: number }[] = []

  send(text: string): void {
    this.#inside.push({ frame: JSON.parse(text), bytes: text.length })
    this.bufferedAmount += text.length
  }

  take(bytes: number): void {
    for (let left = bytes; this.#inside.length > 0 && left > 0;) {
      const { frame, bytes: size } = this.#inside.shift()!
      this.taken.push(frame)
      this.bufferedAmount -= size
      left -= size
    }
  }
}

const identity: StreamIdentity = { accountSid: 'AC0', streamSid: 'MZ0', callSid: 'CA0' }

t.test('a server that reads slowly loses the oldest audio beyond 2 s and nothing else; numbers have no gap, times stay true', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 10, maxLength: 400 }), (rates) => {
      const socket = new SlowSocket()
      const clock = new FakeClock()
      const outgoing = new Outgoing(socket as unknown as WebSocket, clock, { tracks: 1, frameBytes: 160 })
      let chunk = 0
      let marks = 0
      for (const rate of rates) {
        clock.advance(20)
        outgoing.media(media(identity, 'inbound', ++chunk, formats['audio/x-mulaw'].silence))
        if (chunk % 25 === 0) outgoing.send(mark(identity, `m${++marks}`))
        socket.take(rate)
        outgoing.flush()
      }
      for (let i = 0; i < 1000; i++) {
        socket.take(1 << 20)
        outgoing.flush()
      }
      const { taken } = socket
      t.same(
        taken.map(({ sequenceNumber }) => Number(sequenceNumber)),
        taken.map((_, n) => n + 1),
        'no gap in the numbers',
      )
      const chunks = taken.filter(({ event }) => event === 'media').map(({ media: { chunk: each } }) => Number(each))
      t.same(
        chunks,
        chunks.toSorted((a, b) => a - b),
        'in order',
      )
      t.equal(chunks.length, outgoing.mediaSent)
      t.equal(chunks.length + outgoing.mediaDropped, chunk, 'each frame is sent or counted')
      t.equal(chunks.at(-1), chunk, 'the newest is never lost')
      t.equal(taken.filter(({ event }) => event === 'mark').length, marks, 'no mark is lost')
      for (const { event, media: told } of taken) if (event === 'media') t.equal(told.timestamp, String((Number(told.chunk) - 1) * 20))
    }),
    { numRuns: runs / 3 },
  )
})

t.test('who takes nothing for 10 s is given up, who takes a little is not', async (t) => {
  for (const rate of [0, 400]) {
    const socket = new SlowSocket()
    const clock = new FakeClock()
    const outgoing = new Outgoing(socket as unknown as WebSocket, clock, { tracks: 1, frameBytes: 160 })
    let stuckAt = 0
    for (let n = 1; n <= 1000 && stuckAt === 0; n++) {
      clock.advance(20)
      outgoing.media(media(identity, 'inbound', n, formats['audio/x-mulaw'].silence))
      socket.take(rate)
      if (outgoing.flush()) stuckAt = clock.elapsed()
    }
    if (rate === 0) t.ok(stuckAt > 10_000 && stuckAt < 11_000, `given up after ${stuckAt} ms`)
    else t.equal(stuckAt, 0)
  }
})
