import t from 'tap'
import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { decodeAudio, encodeClip, encodeMessage, FrameDecoder, FrameError, maxFrameBytes, parseMessage } from '../../drivers/sip/frames.ts'

t.test('any sequence of frames, cut anywhere, comes out as it went in', async () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ t: fc.string({ minLength: 1 }), text: fc.string({ unit: 'grapheme' }), n: fc.integer() }, { noNullPrototype: true }),
        { maxLength: 12 },
      ),
      fc.array(fc.nat(400), { maxLength: 30 }),
      (messages, cuts) => {
        const stream = Buffer.concat([...messages.map((m) => encodeMessage(m)), ...encodeClip(9, Int16Array.of(1, -2, 3))])
        const seen: unknown[] = []
        const decoder = new FrameDecoder((kind, payload) => seen.push(kind === 1 ? parseMessage(payload) : [...payload]))
        let at = 0
        for (const cut of [...cuts, stream.length]) {
          decoder.push(stream.subarray(at, at + cut))
          at = Math.min(stream.length, at + cut)
        }
        deepStrictEqual(seen, [...messages, [9, 0, 0, 0, 1, 0, 254, 255, 3, 0]])
      },
    ),
    { numRuns: 200 },
  )
})

t.test('hostile bytes give a FrameError or nothing, never anything else', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), (chunks) => {
      const decoder = new FrameDecoder((kind, payload) => {
        if (kind === 1) parseMessage(payload)
        if (kind === 3) decodeAudio(payload, () => undefined)
      })
      try {
        for (const chunk of chunks) decoder.push(Buffer.from(chunk))
      } catch (error) {
        if (!(error instanceof FrameError)) throw error
      }
    }),
    { numRuns: 300 },
  )
  t.throws(() => new FrameDecoder(() => undefined).push(Buffer.from([0, 0, 0, 0])), { message: 'A frame claims 0 bytes' })
  const large = Buffer.alloc(4)
  large.writeUInt32LE(maxFrameBytes + 1)
  t.throws(() => new FrameDecoder(() => undefined).push(large), { message: /claims 16777217/ })
  t.throws(() => encodeClip(1, new Int16Array(maxFrameBytes / 2)), { message: /does not fit/ })
})
