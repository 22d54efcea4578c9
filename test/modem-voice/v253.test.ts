/** Samples and codes of a voice modem in one stream: what goes in comes out, however it is cut; nothing a modem may send does harm. */
import fc from 'fast-check'
import t from 'tap'
import { Exchange } from '../../drivers/sim/analog/exchange.ts'
import { SimVoiceModem } from '../../drivers/sim/analog/modem.ts'
import { usualQuirks } from '../../drivers/sim/analog/modem-quirks.ts'
import { ModemSound } from '../../drivers/sim/analog/modem-sound.ts'
import { shield, VoiceUnshielder, type VoiceCode } from '../../drivers/v253.ts'
import { FakeClock } from '../harness/fake-clock.ts'

/** All samples and codes of a stream that comes in these pieces; what follows the end of data is taken as a new one. */
function taken(pieces: readonly Uint8Array[]): { samples: number[]; codes: VoiceCode[] } {
  const unshielder = new VoiceUnshielder()
  const samples: number[] = []
  const codes: VoiceCode[] = []
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const into = Buffer.alloc(2 * piece.length)
      const { length, read } = unshielder.take(piece.subarray(at), into, (code) => codes.push(code))
      samples.push(...into.subarray(0, length))
      at += read
    }
  }
  return { samples, codes }
}

const cut = (bytes: Uint8Array, at: readonly number[]): Uint8Array[] => {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

t.test('samples come back as they were, however the stream is cut', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat(400)), (bytes, at) => {
      const { samples, codes } = taken(cut(shield(bytes), at))
      return Buffer.from(samples).equals(Buffer.from(bytes)) && codes.length === 0
    }),
  )
  t.pass()
})

t.test('whatever a modem sends is taken: no more samples than bytes, no more codes than half of them', async (t) => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((all) => all.map((byte, i) => (i % 3 === 0 ? 0x10 : byte)))
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(400)), (all, at) => {
      const cutUp = taken(cut(all, at))
      const whole = taken([all])
      const { samples, codes } = cutUp
      return samples.length <= all.length && codes.length <= all.length / 2 && JSON.stringify(cutUp) === JSON.stringify(whole)
    }),
  )
  t.pass()
})

t.test('codes in their forms', async (t) => {
  const cases: readonly [string, readonly VoiceCode[]][] = [
    ['\x105', [{ kind: 'key', key: '5', edge: 'once' }]],
    [
      '\x10/\x10#\x10#\x10#\x10~',
      [
        { kind: 'key', key: '#', edge: 'begin' },
        { kind: 'key', key: '#', edge: 'end' },
      ],
    ],
    ['\x10/\x10~', []],
    ['\x10\x03', [{ kind: 'end' }]],
    [
      '\x10b\x10d',
      [
        { kind: 'code', code: 'b' },
        { kind: 'code', code: 'd' },
      ],
    ],
    ['\x10\x1a', []],
  ]
  for (const [bytes, codes] of cases) t.same(taken([Buffer.from(bytes, 'latin1')]).codes, codes, JSON.stringify(bytes))
  t.same(taken([Buffer.from('\x10\x1a', 'latin1')]).samples, [0x10, 0x10], 'SUB stands for two')
})

t.test('what follows the end of data is left to whoever reads results', async (t) => {
  const bytes = Buffer.from('ab\x10\x03\r\nOK\r\n', 'latin1')
  const into = Buffer.alloc(2 * bytes.length)
  t.same(
    new VoiceUnshielder().take(bytes, into, () => undefined),
    { length: 2, read: 4 },
  )
})

t.test('a simulated modem that hangs up before its voice state begins takes commands again', async (t) => {
  const due: (() => void)[] = []
  const said: string[] = []
  const clock = { now: () => 0, after: (_: number, run: () => void) => (due.push(run), { cancel: () => undefined }) }
  const sound = new ModemSound({ clock, output: () => undefined, say: (text) => said.push(text), answer: () => undefined }, usualQuirks)
  sound.begin('VTX')
  sound.drop()
  for (const run of due.splice(0)) run()
  t.equal(sound.isOpen, false)
  t.same(said, [])
  sound.begin('VTX')
  for (const run of due) run()
  t.equal(sound.isOpen, true)
  t.same(said, ['CONNECT'])
})

t.test('a simulated modem that never got the line comes back from its sound all the same', (t) => {
  const clock = new FakeClock(0)
  const exchange = new Exchange({ clock, country: 'US' })
  let said = ''
  const modem = new SimVoiceModem(
    { line: exchange.line('200'), clock, output: (bytes) => (said += bytes.toString('latin1')) },
    { liftsLate: true },
  )
  const order = (text: string): void => modem.input(Buffer.from(text, 'latin1'))
  for (const command of ['AT+FCLASS=8', 'AT+VLS=1', 'AT+VTX']) {
    order(`${command}\r`)
    clock.advance(1000)
  }
  t.match(said, /CONNECT/)
  said = ''
  order(`${'x'.repeat(274)}\x10\x03AT\r`)
  clock.advance(3000)
  t.equal(said, '\r\nOK\r\n', 'what was typed before its end was sound')
  order('AT\r')
  clock.advance(1000)
  t.equal(said, '\r\nOK\r\n\r\nOK\r\n')
  modem.powerOff()
  t.end()
})
