/** The frames of media streams have a published form: strict for what the box sends, forgiving for what it reads. */
import fc from 'fast-check'
import type { TSchema } from '@sinclair/typebox'
import t from 'tap'
import { checker } from '../../daemon/http/validate.ts'
import { boxFrames, serverFrames, ServerFrameSchema, type BoxFrame, type FrameSpec } from '../../daemon/schema/stream-frames.ts'
import * as messages from '../../daemon/voice/stream/messages.ts'
import { formats } from '../../daemon/voice/stream/format.ts'
import { frameMisfitsOf } from '../harness/frames-fit.ts'

const exampleOf = ({ schema }: FrameSpec): Record<string, unknown> => (schema.examples as Record<string, unknown>[])[0]!

t.test('every frame has an example that fits; those of the box have no member more or less', async (t) => {
  for (const [name, spec] of Object.entries(boxFrames)) {
    const example = exampleOf(spec)
    t.same(frameMisfitsOf(example), [], name)
    t.match(frameMisfitsOf({ ...example, patient: 'Ann' } as object), [/must not have the member "patient"/], `${name}: a further member`)
    for (const member of spec.schema.required as string[]) {
      if (member === 'event') continue
      const { [member]: _, ...rest } = example
      t.match(frameMisfitsOf(rest), [/is required/], `${name} without ${member}`)
    }
  }
  for (const [name, spec] of Object.entries(serverFrames)) {
    t.same(frameMisfitsOf(exampleOf(spec), 'server'), [], name)
    t.same(
      frameMisfitsOf({ ...exampleOf(spec), sequenceNumber: 7, more: {} } as object, 'server'),
      [],
      `${name}: what is not known is passed over`,
    )
  }
})

t.test('every member is described', async (t) => {
  const visit = (where: string, { properties = {} }: TSchema): void => {
    for (const [name, member] of Object.entries(properties as Record<string, TSchema>)) {
      if (member.const === undefined) t.ok((member.description ?? member.pattern ?? '') !== '', `${where}.${name}`)
      visit(`${where}.${name}`, member)
    }
  }
  for (const [name, { schema }] of [...Object.entries(boxFrames), ...Object.entries(serverFrames)]) {
    t.ok((schema.description ?? '').length > 10, name)
    visit(name, schema)
  }
})

t.test('what is made fits', async (t) => {
  const identity = { accountSid: `AC${'0'.repeat(32)}`, streamSid: `MZ${'1'.repeat(32)}`, callSid: `CA${'2'.repeat(32)}` }
  const fits = (text: string): void => {
    const misfits = frameMisfitsOf(JSON.parse(text))
    if (misfits.length > 0) throw new Error(`${text}: ${misfits.join('; ')}`)
  }
  const tracks = fc.constantFrom<readonly ('inbound' | 'outbound')[]>(['inbound'], ['outbound'], ['inbound', 'outbound'])
  fits(messages.connected)
  fc.assert(
    fc.property(
      tracks,
      fc.constantFrom(...Object.values(formats)),
      fc.nat(),
      fc.dictionary(fc.string(), fc.string()),
      (some, format, number, given) => {
        fits(messages.start(identity, some, format, given)(number + 1))
        fits(messages.media(identity, some[0]!, number + 1, format.silence)(number + 1))
        fits(messages.stop(identity)(number + 1))
        fits(messages.speech(identity, 'started', number))
        fits(messages.queue(identity, number, 'xon'))
      },
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom(...'0123456789*#ABCD'), fc.string({ maxLength: 256 }), (key, name) => {
      fits(messages.dtmf(identity, key)(2))
      fits(messages.mark(identity, name)(2))
    }),
  )
})

t.test('what a server sends is read by its schema', async (t) => {
  const check = checker(ServerFrameSchema, false)
  const read = (frame: unknown) => messages.readServerFrame(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)), check)
  t.match(read({ event: 'media', media: { payload: 'AAE=', track: 'x' } }), { event: 'media', payload: Buffer.from([0, 1]), wav: false })
  t.match(read({ event: 'mark', streamSid: 7, mark: { name: 'one' } }), { event: 'mark', name: 'one', streamSid: 7 })
  t.match(read({ event: 'clear' }), { event: 'clear' })
  t.match(read({ event: 'mark', mark: { name: 'x'.repeat(256) } }), { event: 'mark' })
  for (const none of ['', '[', 'null', '[]', '7', '{}', { event: 'stop' }, { event: 'media' }, { event: 'media', media: null }])
    t.equal(read(none), null, JSON.stringify(none))
  for (const none of [
    { event: 'media', media: { payload: 7 } },
    { event: 'mark', mark: {} },
    { event: 'mark', mark: { name: 'x'.repeat(257) } },
  ])
    t.equal(read(none), null, JSON.stringify(none))
})

t.test(
  'a long frame of audio is read whatever stands around the audio and however it is written; all else that is long is passed over',
  async (t) => {
    const check = checker(ServerFrameSchema, false)
    const read = (text: string) => messages.readServerFrame(Buffer.from(text), check)
    const audio = Buffer.from(Uint8Array.from({ length: 240_000 }, (_, at) => (at * 7919) >> 3))
    const payload = audio.toString('base64')
    const frame = (written: string, more = ''): string =>
      `{"event":"media"${more},"media":{"track":"x","payload" : "${written}"},"streamSid":"MZ"}`
    for (const [name, text] of [
      ['as it is', frame(payload)],
      ['with the solidus escaped, as PHP writes it', frame(payload.replaceAll('/', '\\/'))],
      ['with the plus escaped, as .NET writes it', frame(payload.replaceAll('+', '\\u002B'))],
      ['with spaces before it', ' '.repeat(3000) + frame(payload)],
      ['with more members', frame(payload, ',"a":[1,{"b":null}],"sequenceNumber":"7"')],
    ] as const) {
      const seen = read(text)
      t.ok(seen?.event === 'media' && seen.payload.equals(audio), name)
    }
    for (const [name, text] of [
      ['brackets', '['.repeat(60_000) + ']'.repeat(60_000)],
      ['brackets that never end', '['.repeat(1_000_000)],
      ['members', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join()}}`],
      ['brackets around the audio', frame(payload, `,"a":${'['.repeat(70)}${']'.repeat(70)}`)],
      ['much around the audio', frame(payload, `,"a":"${'x'.repeat(20_000)}"`)],
      ['a mark', `{"event":"mark","mark":{"name":"${'x'.repeat(20_000)}"}}`],
      ['audio without an end', frame(payload).slice(0, 200_000)],
      ['brackets in a short frame', `{"event":"clear","a":${'['.repeat(100)}${']'.repeat(100)}}`],
    ] as const)
      t.equal(read(text), null, name)
  },
)

t.test('the compiler refuses what no frame is', async (t) => {
  const good: BoxFrame = { event: 'connected', protocol: 'Call', version: '1.0.0' }
  // @ts-expect-error there is no such frame
  const unknown: BoxFrame = { event: 'dial' }
  // @ts-expect-error counters are texts
  const number: BoxFrame<'mark'> = { event: 'mark', sequenceNumber: 1, mark: { name: '' }, streamSid: '' }
  t.ok([good, unknown, number].length)
})
