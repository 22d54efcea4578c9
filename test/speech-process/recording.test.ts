/** Transcripts of recordings and of WAV files of every usual form, and of files that only look like one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { Chunker, longestChunkMs, type Chunk } from '../../daemon/speech/worker/chunker.ts'
import { Decoder } from '../../daemon/speech/worker/decoder.ts'
import { transcribeFile } from '../../daemon/speech/worker/file-transcript.ts'
import { RecordingSession, type RecordingOptions } from '../../daemon/speech/worker/recording.ts'
import { TelephoneRate } from '../../daemon/speech/worker/telephone-rate.ts'
import { openWav } from '../../daemon/speech/worker/wav-stream.ts'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { SpeechError } from '../../drivers/speech.ts'
import { WavError } from '../../drivers/wav.ts'
import { loud, silence } from './scene.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbxd-wav-'))
t.after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const store = (content: Buffer): string => {
  files += 1
  const path = join(folder, `${files}.wav`)
  writeFileSync(path, content)
  return path
}

const detector = { push: (samples: Int16Array) => samples.some((sample) => Math.abs(sample) > 1000), reset: () => undefined }

/** A session whose recogniser reports the length of each piece in milliseconds. */
function options(recognise?: (ms: number) => Promise<string>): RecordingOptions & { readonly pieces: number[] } {
  const pieces: number[] = []
  const engine = {
    id: 'engine',
    vocabulary: 'open' as const,
    recognises: () => true,
    async recognise(samples: Int16Array) {
      pieces.push(samples.length / 8)
      return { text: recognise === undefined ? `w${pieces.length}` : await recognise(samples.length / 8) }
    },
    close: async () => undefined,
  }
  const decoder = new Decoder(engine, () => () => undefined)
  return { request: { language: 'en', hints: [] }, detector, onsetDelayMs: 0, releaseDelayMs: 0, decoder, pieces }
}

function chunks(...parts: Int16Array[]): Chunk[] {
  const chunker = new Chunker({ onsetDelayMs: 0, releaseDelayMs: 0 })
  const all: (Chunk | null)[] = []
  for (const part of parts)
    for (let at = 0; at < part.length; at += 160)
      all.push(chunker.push(part.slice(at, at + 160), detector.push(part.subarray(at, at + 160))))
  all.push(chunker.end())
  return all.filter((chunk) => chunk !== null)
}

t.test('recordings are cut where the speaker pauses', async (t) => {
  const cut = chunks(silence(5000), loud(2000), silence(400), loud(1000), silence(3000), loud(100), silence(1000), loud(500))
  t.same(
    cut.map(({ samples, endMs }) => [samples.length / 8, endMs]),
    [
      [300 + 3400 + 200, 8600],
      [300 + 500, 13_000],
    ],
    'a click is nothing',
  )
})

t.test('where nobody pauses they are cut in the quietest place', async (t) => {
  const cut = chunks(loud(13_000), loud(200, 1500), loud(20_000))
  t.ok((cut[0]?.endMs ?? 0) >= 13_050 && (cut[0]?.endMs ?? 0) <= 13_150)
  t.ok(cut.every(({ samples }) => samples.length / 8 <= longestChunkMs))
  t.equal(
    cut.reduce((sum, { samples }) => sum + samples.length / 8, 0),
    33_200,
    'and nothing is lost',
  )
})

t.test('a recording of an hour: texts in order, memory bounded', async (t) => {
  const given = options()
  const session = new RecordingSession(given)
  const minute = Int16Array.from([...loud(20_000), ...silence(10_000), ...loud(5000), ...silence(25_000)])
  globalThis.gc?.()
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let time = 0; time < 60; time += 1) {
    session.audio(minute)
    await session.room()
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  const transcript = await session.end()
  t.equal(transcript.status, 'done')
  t.equal(transcript.text, given.pieces.map((_, index) => `w${index + 1}`).join(' '))
  t.ok(given.pieces.every((ms) => ms <= longestChunkMs))
  t.ok(most < 20_000_000, `${most} bytes at most`)
})

t.test('nothing said, nothing understood, a failure, a recogniser that falls behind', async (t) => {
  const nothing = new RecordingSession(options())
  nothing.audio(silence(60_000))
  t.same(await nothing.end(), { status: 'empty', text: '', reason: '', engine: 'engine' })
  const mumbled = new RecordingSession(options(async () => ' '))
  mumbled.audio(loud(1000))
  t.match(await mumbled.end(), { status: 'empty' })
  const failing = new RecordingSession(options(() => Promise.reject(new SpeechError('engine-failed', 'no'))))
  failing.audio(loud(1000))
  t.match(await failing.end(), { status: 'failed', reason: 'engine-failed', text: '' })
  await failing.room()
  const slow = new RecordingSession(options(() => new Promise(() => undefined)))
  for (let minute = 0; minute < 20; minute += 1) slow.audio(loud(60_000))
  await slow.room()
  slow.stop()
})

interface Form {
  readonly tag: number
  readonly bits: number
  readonly channels: number
  readonly rate: number
  readonly extensible?: boolean
  readonly riffBytes?: number
  readonly dataBytes?: number
  readonly before?: Buffer
}

function wav(form: Form, data: Buffer): Buffer {
  const format = Buffer.alloc(form.extensible === true ? 40 : 16)
  format.writeUInt16LE(form.extensible === true ? 0xfffe : form.tag, 0)
  format.writeUInt16LE(form.channels, 2)
  format.writeUInt32LE(form.rate, 4)
  format.writeUInt32LE((form.rate * form.channels * form.bits) / 8, 8)
  format.writeUInt16LE((form.channels * form.bits) / 8, 12)
  format.writeUInt16LE(form.bits, 14)
  if (form.extensible === true) format.writeUInt16LE(form.tag, 24)
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    form.before ?? Buffer.alloc(0),
    chunk('data', data, form.dataBytes),
  ])
  return chunk('RIFF', body, form.riffBytes)
}

function chunk(name: string, body: Buffer, bytes = body.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 0, 'latin1')
  head.writeUInt32LE(bytes, 4)
  return Buffer.concat([head, body])
}

/** A tone of 500 Hz as the form writes it. */
function tone({ tag, bits, channels, rate }: Form, ms: number): Buffer {
  const frames = Math.round((rate * ms) / 1000)
  const data = Buffer.alloc((frames * channels * bits) / 8)
  let at = 0
  for (let frame = 0; frame < frames; frame += 1) {
    const value = 0.25 * Math.sin((2 * Math.PI * 500 * frame) / rate)
    for (let channel = 0; channel < channels; channel += 1, at += bits / 8) {
      if (tag === 3 && bits === 32) data.writeFloatLE(value, at)
      else if (tag === 3) data.writeDoubleLE(value, at)
      else if (bits === 8) data[at] = Math.round(128 + value * 127)
      else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bits / 8)
    }
  }
  return data
}

async function read(path: string): Promise<Int16Array> {
  const file = await openWav(path)
  const all: number[] = []
  for await (const samples of file.samples()) for (const sample of samples) all.push(sample)
  await file.close()
  return Int16Array.from(all)
}

t.test('every usual form gives the same tone', async (t) => {
  for (const [tag, bits] of [
    [1, 8],
    [1, 16],
    [1, 24],
    [1, 32],
    [3, 32],
    [3, 64],
  ] as const)
    for (const rate of [8000, 11_025, 16_000, 22_050, 44_100, 48_000])
      for (const [channels, extensible] of [
        [1, false],
        [2, true],
      ] as const) {
        const form = { tag, bits, rate, channels, extensible }
        const samples = await read(store(wav(form, tone(form, 2500))))
        const wanted = Int16Array.from({ length: 20_000 }, (_, index) => Math.round(8192 * Math.sin((2 * Math.PI * 500 * index) / 8000)))
        let worst = 0
        for (let at = 400; at < 19_600; at += 1) worst = Math.max(worst, Math.abs((samples[at] ?? 1e9) - (wanted[at] ?? 0)))
        t.ok(
          samples.length === 20_000 && worst < (bits === 8 ? 400 : 60),
          `${JSON.stringify(form)}: ${samples.length} samples, ${worst} off`,
        )
      }
  for (const tag of [6, 7]) {
    const form = { tag, bits: 8, rate: 8000, channels: 1 }
    const samples = await read(store(wav(form, Buffer.from(Array.from({ length: 800 }, (_, index) => index % 256)))))
    t.ok(samples.length === 800 && Math.max(...samples) > 30_000, `G.711, coding ${tag}`)
  }
})

t.test('piece by piece gives what the whole gives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(4000, 8000, 11_025, 16_000, 22_050, 44_100, 48_000, 44_101, 7999),
      fc.integer({ min: 0, max: 150_000 }),
      fc.integer({ min: 1, max: 70_000 }),
      async (rate, length, piece) => {
        const samples = Int16Array.from({ length }, (_, index) => ((index * 7919) % 20_001) - 10_000)
        const stream = new TelephoneRate(rate)
        const out: number[] = []
        for (let at = 0; at < length; at += piece) for (const sample of stream.push(samples.subarray(at, at + piece))) out.push(sample)
        for (const sample of stream.end()) out.push(sample)
        const whole = toTelephoneRate(samples, rate)
        return out.length === whole.length && out.every((sample, index) => Math.abs(sample - (whole[index] ?? 0)) <= 1)
      },
    ),
    { numRuns: 25 },
  )
})

t.test('headers that do not tell the truth', async (t) => {
  const form = { tag: 1, bits: 16, rate: 8000, channels: 1 }
  const data = tone(form, 1000)
  const length = async (over: Partial<Form>, content = data): Promise<number> =>
    (await read(store(wav({ ...form, ...over }, content)))).length
  t.equal(await length({ dataBytes: 0xffff_ffff, riffBytes: 0xffff_ffff }), 8000, 'a stream')
  t.equal(await length({ dataBytes: 0, riffBytes: 0 }), 8000, 'another stream')
  t.equal(await length({ dataBytes: 1_000_000 }), 8000, 'longer than the file')
  t.equal(await length({ dataBytes: 4000 }), 2000, 'shorter than the file')
  t.equal(await length({}, data.subarray(0, 9999)), 4999, 'cut in the middle of a sample')
  t.equal(await length({}, Buffer.alloc(0)), 0, 'no audio')
  const odd = Buffer.concat([chunk('LIST', Buffer.alloc(7)), Buffer.alloc(1)])
  t.equal(await length({ before: odd }), 8000, 'a chunk of odd length is padded')
  await t.rejects(read(store(Buffer.alloc(0))), { message: 'The file is not a WAV file' })
  await t.rejects(read(store(Buffer.from('ID3 some song'))), { message: 'The file is not a WAV file' })
  await t.rejects(read(store(wav(form, data).fill('RIFX', 0, 4))), /big-endian/)
  await t.rejects(read(store(wav({ ...form, tag: 0x55 }, data))), /coding/)
  await t.rejects(read(store(wav({ ...form, channels: 0 }, data))), /channels/)
  await t.rejects(read(store(wav({ ...form, rate: 1 }, data))), /samples a second/)
  await t.rejects(read(store(wav(form, data).subarray(0, 30))), { message: 'The format of the WAV file is cut off' })
  await t.rejects(read(folder), { message: 'The WAV file is no file' })
})

t.test('garbage is a clear error or audio, never anything else', async () => {
  const form = { tag: 1, bits: 16, rate: 16_000, channels: 2 }
  const good = wav(form, tone(form, 100))
  const damage = fc.array(fc.record({ at: fc.nat({ max: 60 }), value: fc.nat({ max: 255 }) }), { maxLength: 8 })
  const path = join(folder, 'fuzz.wav')
  await fc.assert(
    fc.asyncProperty(damage, fc.nat({ max: good.length }), async (changes, length) => {
      const file = Buffer.from(good.subarray(0, length))
      for (const { at, value } of changes) if (at < file.length) file[at] = value
      writeFileSync(path, file)
      try {
        return (await read(path)).length <= 30_000
      } catch (error) {
        return error instanceof WavError && error.message !== ''
      }
    }),
    { numRuns: 300 },
  )
})

t.test('the transcript of a file, with its progress', async (t) => {
  const rate = 48_000
  const spoken = Int16Array.from([...loud(1000), ...silence(2000), ...loud(1000), ...silence(1000)])
  const form = { tag: 1, bits: 16, rate, channels: 2 }
  const data = Buffer.alloc(spoken.length * 6 * 4)
  for (let at = 0; at < spoken.length * 12; at += 1) data.writeInt16LE(spoken[Math.floor(at / 12)] ?? 0, at * 2)
  const progress: [number, number][] = []
  const given = options()
  t.same(await transcribeFile(store(wav(form, data)), given, (done, total) => progress.push([done, total])).transcript, {
    status: 'done',
    text: 'w1 w2',
    reason: '',
    engine: 'engine',
  })
  t.same(
    progress.map(([done, total]) => [Math.round(done / 100), total]),
    [
      [12, 5000],
      [42, 5000],
      [50, 5000],
    ],
  )
  const stopped = transcribeFile(
    store(wav(form, data)),
    options(() => new Promise(() => undefined)),
    () => undefined,
  )
  stopped.stop()
  t.match(await stopped.transcript, { status: 'failed', reason: 'aborted' })
  t.match(await transcribeFile(store(Buffer.from('no')), options(), () => undefined).transcript, {
    status: 'failed',
    reason: 'audio-unreadable: The file is not a WAV file',
  })
})
