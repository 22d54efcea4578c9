import t from 'tap'
import fc from 'fast-check'
import { level } from '../../daemon/speech/loudness.ts'
import { toTelephoneRate } from '../../drivers/resample.ts'
import { readWav, WavError } from '../../drivers/wav.ts'

const tone = (hz: number, rate: number, ms: number, peak = 10_000): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1000 }, (_, n) => Math.round(peak * Math.sin((2 * Math.PI * hz * n) / rate)))
const rms = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, s) => sum + s * s, 0) / samples.length)
const db = (a: number, b: number): number => 20 * Math.log10(a / b)

function wav(tag: number, channels: number, rate: number, bits: number, data: Buffer, claimed = data.length): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF\xff\xff\xff\x7fWAVEfmt ', 0, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(tag, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(claimed, 40)
  return Buffer.concat([head, data])
}

t.test('resampling keeps the telephone band and lets nothing fold into it', async (t) => {
  for (const rate of [11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 8000, 6000]) {
    for (const hz of [300, 1000, 2500]) {
      const out = toTelephoneRate(tone(hz, rate, 500), rate).subarray(400, -400)
      t.ok(Math.abs(db(rms(out), 10_000 / Math.SQRT2)) < 0.3, `${rate}: ${hz} Hz passes`)
    }
  }
  for (const rate of [16_000, 22_050, 44_100, 48_000]) {
    t.ok(Math.abs(db(rms(toTelephoneRate(tone(3400, rate, 500), rate).subarray(400, -400)), 7071)) < 1, `${rate}: 3.4 kHz passes`)
    for (const hz of [4150, 5000, 7000]) {
      const out = toTelephoneRate(tone(hz, rate, 500), rate).subarray(400, -400)
      t.ok(db(rms(out) + 1e-9, 7071) < -50, `${rate}: ${hz} Hz is gone (${db(rms(out) + 1e-9, 7071).toFixed(0)} dB)`)
    }
  }
  t.equal(toTelephoneRate(new Int16Array(22_050), 22_050).length, 8000)
})

t.test('WAV files: PCM of 8 and 16 bit, G.711, stereo, sizes that are wrong', async (t) => {
  const pcm = Buffer.alloc(8)
  for (const [index, value] of [100, 300, -100, -300].entries()) pcm.writeInt16LE(value, index * 2)
  t.strictSame(readWav(wav(1, 1, 16_000, 16, pcm)), { rate: 16_000, samples: Int16Array.of(100, 300, -100, -300) })
  t.strictSame(readWav(wav(1, 2, 8000, 16, pcm)).samples, Int16Array.of(200, -200))
  t.strictSame(readWav(wav(1, 1, 22_050, 16, pcm, 0x7ffff000)).samples.length, 4)
  t.strictSame(readWav(wav(1, 1, 8000, 8, Buffer.from([128, 0, 255]))).samples, Int16Array.of(0, -32_768, 32_512))
  // Corner values of ITU-T G.711; its zero from below is the next sample, so that it differs from the other one.
  t.strictSame([...readWav(wav(7, 1, 8000, 8, Buffer.from([0xff, 0x7f, 0x80, 0x00]))).samples], [0, -1, 32_124, -32_124])
  t.strictSame([...readWav(wav(6, 1, 8000, 8, Buffer.from([0xd5, 0x55, 0xaa, 0x2a]))).samples], [8, -8, 32_256, -32_256])
  t.throws(() => readWav(Buffer.from('ID3\x04........')), { message: /MP3/ })
  t.throws(() => readWav(Buffer.from('OggS........')), { message: /Ogg/ })
  t.throws(() => readWav(wav(0x55, 1, 8000, 0, pcm)), { message: /not understood/ })
  t.throws(() => readWav(wav(1, 0, 8000, 16, pcm)), { message: /channels/ })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(43), fc.nat(255), (noise, at, value) => {
      const file = wav(1, 1, 8000, 16, Buffer.from(noise))
      file[at] = value
      try {
        readWav(file)
      } catch (error) {
        if (!(error instanceof WavError)) throw error
      }
    }),
    { numRuns: 500 },
  )
})

t.test('loudness: -20 dBFS, clean edges, silence trimmed outside and kept inside', async (t) => {
  const silence = new Int16Array(4000)
  const input = Int16Array.from([...silence, ...tone(500, 8000, 500, 900), ...silence, ...tone(500, 8000, 500, 900), ...silence])
  const out = level(input)
  t.equal(out.length, 4000 * 3 + 2 * 400)
  t.ok(Math.abs(db(rms(out.subarray(800, 4000)), 32_768) + 20) < 0.5)
  t.equal(rms(out.subarray(4800, 8000)), 0, 'the pause inside stays')
  t.equal(out[0], 0)
  t.ok(Math.abs(out.at(-1)!) < 50)
  const peaky = Int16Array.from({ length: 8000 }, (_, n) => (n % 400 === 0 ? 30_000 : Math.round(500 * Math.sin(n))))
  t.ok(level(peaky).every((s) => Math.abs(s) <= 0.95 * 32_768 + 1))
  t.equal(level(new Int16Array(8000)).length, 0)
  t.equal(level(new Int16Array(0)).length, 0)
})
