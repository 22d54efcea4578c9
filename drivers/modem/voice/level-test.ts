/** How loud a line is heard and how much of what is said comes back: with the dial tone of the exchange, and a tone of our own after it. */
import type { AtSession } from '../at-session.ts'
import { VoiceChannel } from './channel.ts'
import type { VoiceModem } from './setup.ts'

/** dB below the loudest sine (ITU-T G.711: +3.14 dBm0); null where it could not be measured. */
export interface LineLevels {
  readonly dialTone: number | null
  /** After a key has ended the dial tone. */
  readonly noise: number | null
  /** Of a tone of -13 dB that is said, so much less comes back; null of a modem that does not hear while it speaks. */
  readonly echoLoss: number | null
}

const settleMs = 400
const listenMs = 1000
const samplesPerMs = 8
const ownHz = 1004
/** -13 dB of full scale. */
const ownPeak = 32_767 * 10 ** (-13 / 20)
const nothing: LineLevels = { dialTone: null, noise: null, echoLoss: null }

interface LineUnderTest {
  readonly session: AtSession
  readonly modem: VoiceModem
  readonly answerMs: number
  /** Of modems that run faster than time. */
  readonly speed: number
  /** It does not hear while it speaks after all. */
  readonly halfDuplex: () => void
}

/** Leaves the modem off hook, among its commands. */
export async function testLevels(line: LineUnderTest): Promise<LineLevels> {
  const { session, answerMs } = line
  if ((await session.command('AT+FCLASS=8', answerMs)).code !== 'ok' || (await session.command('AT+VLS=1', answerMs)).code !== 'ok')
    return nothing
  let { modem } = line
  const halfDuplex = (): void => {
    modem = { ...modem, fullDuplex: false }
    line.halfDuplex()
  }
  const heard = (speaks: boolean): Promise<number | null> => listen({ ...line, modem, halfDuplex }, speaks)
  const dialTone = await heard(false)
  await session.command('AT+VTS=1', answerMs)
  const noise = await heard(false)
  const back = modem.fullDuplex ? await heard(true) : null
  const own = 20 * Math.log10(ownPeak / 32_768)
  return { dialTone, noise, echoLoss: back === null ? null : Math.round((own - back) * 10) / 10 }
}

/** Level of what is heard, of our own tone alone where that is said; null where the modem gives no sound. */
async function listen({ session, modem, answerMs, speed, halfDuplex }: LineUnderTest, speaks: boolean): Promise<number | null> {
  const heard: Int16Array[] = []
  let got = 0
  let said = 0
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, (settleMs + listenMs) / speed + answerMs)
  const channel = new VoiceChannel({
    keepsEcho: true,
    session,
    modem,
    answerMs,
    handlers: {
      heard(samples) {
        heard.push(samples.slice())
        got += samples.length
        if (got >= (settleMs + listenMs) * samplesPerMs) resolve()
      },
      code: () => undefined,
      pull(most) {
        const piece = speaks ? tone(said, Math.min(most, 160)) : new Int16Array(0)
        said += piece.length
        return piece
      },
      reached: () => undefined,
      underrun: () => undefined,
      inTalk: () => false,
      halfDuplex,
      gone: () => resolve(),
      lost: () => resolve(),
    },
  })
  const opened = await channel.open()
  if (opened && speaks) channel.speak()
  if (opened) await enough
  clearTimeout(timer)
  await channel.close()
  const all = new Int16Array(got)
  let at = 0
  for (const piece of heard) {
    all.set(piece, at)
    at += piece.length
  }
  const rest = all.subarray(settleMs * samplesPerMs)
  return rest.length < (listenMs * samplesPerMs) / 2 ? null : level(rest, speaks)
}

function tone(from: number, length: number): Int16Array {
  return Int16Array.from({ length }, (_, at) => Math.round(ownPeak * Math.sin((2 * Math.PI * ownHz * (from + at)) / 8000)))
}

/** RMS against that of the loudest sine; of one frequency alone by its correlation with it. */
function level(samples: Int16Array, own: boolean): number {
  let power = 0
  let cosine = 0
  let sine = 0
  for (const [at, sample] of samples.entries()) {
    const angle = (2 * Math.PI * ownHz * at) / 8000
    power += sample * sample
    cosine += sample * Math.cos(angle)
    sine += sample * Math.sin(angle)
  }
  const mean = own ? (2 * (cosine * cosine + sine * sine)) / samples.length ** 2 : power / samples.length
  return Math.round(10 * Math.log10(Math.max(mean, 1) / (32_768 ** 2 / 2)) * 10) / 10
}
