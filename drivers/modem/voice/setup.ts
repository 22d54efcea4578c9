/** A modem that waits for voice calls: in its voice class (AT+FCLASS=8), with a format both understand, and its abilities known. */
import type { AtSession } from '../at-session.ts'
import type { Quirks } from '../quirks.ts'
import { readClasses } from '../results.ts'
import { chooseFormat, type VoiceFormat } from './formats.ts'

/** What makes voice modems differ, as data, by the names of `../quirks.ts`. What is not listed is as V.253 says. */

interface VoiceQuirks {
  /** Ends listening: `!` (V.253), or ESC for chips that know no `!`. */
  readonly stop: 'stop' | 'escape'
  /** Ends listening and speaking at once: `^` (V.253), or ETX. The other is tried where it does not answer. */
  readonly stopBoth: 'stopBoth' | 'end'
  /** What follows the number of the format in AT+VSM. */
  readonly rate: string
  /** Whether it hears while it speaks. `asked`: that is asked; else what the chip answers to AT+VTR=? says nothing. */
  readonly duplex: 'asked' | 'full' | 'half'
  readonly setup: readonly string[]
  /** A flash of the hook in a call: the first that it takes. */
  readonly flash: readonly string[]
}

/** No end of a call by itself after a silence (VIT, VSD); levels as they are meant to be. */
const setup = ['AT+VIT=0', 'AT+VSD=0,0', 'AT+VGT=128', 'AT+VGR=128'] as const

const standard: VoiceQuirks = {
  stop: 'stop',
  stopBoth: 'stopBoth',
  rate: ',8000',
  duplex: 'asked',
  setup,
  // V.253, then V.250 for those that know it in a number alone.
  flash: ['AT+VTS=!', 'ATD!;'],
}

const voiceQuirks: Readonly<Record<string, VoiceQuirks>> = {
  // Its VSM has four parameters. AT+VTR=? is an error to a CX93001, as AT+VRX=? is, and AT+VTR works.
  Conexant: { ...standard, rate: ',8000,0,0', duplex: 'full' },
  // No report of silence where the time for it is 0. Of its inactivity timer the longest is asked for first: 0 may be none that it knows.
  USRobotics: { ...standard, stopBoth: 'end', duplex: 'full', setup: ['AT+VIT=255', ...setup, 'AT+VSD=128,0'] },
  // The IS-101 voice of these chips ends listening by ESC; they say that they can do both at once, and cannot.
  'Lucent/Agere': { ...standard, stop: 'escape', duplex: 'half' },
  'Silicon Labs': { ...standard, duplex: 'half' },
}

const voiceQuirksOf = (name: string): VoiceQuirks => voiceQuirks[name] ?? standard

export interface VoiceModem {
  readonly format: VoiceFormat
  /** It hears while it speaks (AT+VTR), as far as is known before a call. */
  readonly fullDuplex: boolean
  readonly quirks: VoiceQuirks
}

/** `failed`: one sentence for people. */
export type PreparedVoice = { readonly voice: VoiceModem } | { readonly failed: string }

export async function prepareVoice(
  session: AtSession,
  quirks: Quirks,
  { extra, answerMs }: { readonly extra: readonly string[]; readonly answerMs: number },
  known: VoiceModem | null,
): Promise<PreparedVoice> {
  const ask = (command: string) => session.command(command, answerMs)
  const accepts = async (command: string): Promise<boolean> => (await ask(command)).code === 'ok'
  if (known === null && !readClasses((await ask('AT+FCLASS=?')).lines).includes('8')) {
    return { failed: 'The modem has no voice (AT+FCLASS=? does not offer 8): take voice out of its roles' }
  }
  if (!(await accepts('AT+FCLASS=8'))) return { failed: 'The modem refuses its voice class (AT+FCLASS=8)' }
  const own = known?.quirks ?? voiceQuirksOf(quirks.name)
  const format = known?.format ?? chooseFormat((await ask('AT+VSM=?')).lines)
  if (format === null) return { failed: 'The modem offers no voice format of 8,000 samples a second that is supported (AT+VSM=?)' }
  const select = `AT+VSM=${format.number}`
  const selected = [...new Set([own.rate, ',8000', ',8000,0,0', ''])]
  if (!(await firstOf(selected, (rate) => accepts(select + rate)))) {
    return { failed: `The modem refuses its voice format ${format.number} (AT+VSM)` }
  }
  // Those of the line's own last: levels that somebody has tuned are not set back. Some modems forget caller identification with the class.
  for (const command of [...own.setup, ...extra.filter((one) => /^AT\+V/i.test(one)), quirks.callerId]) await accepts(command)
  // Whatever became of commands before: a line that is off hook is busy to everybody who calls.
  if (!(await accepts('AT+VLS=0'))) await accepts('AT+VLS=0')
  if (known !== null) return { voice: known }
  return { voice: { format, fullDuplex: await hearsWhileItSpeaks(own, accepts), quirks: own } }
}

async function firstOf(all: readonly string[], accepts: (one: string) => Promise<boolean>): Promise<boolean> {
  for (const one of all) if (await accepts(one)) return true
  return false
}

/** Chips that do not say of what they can whether they can it (AT+VRX, without which there is no voice) are tried: the first call shows it. */
async function hearsWhileItSpeaks({ duplex }: VoiceQuirks, accepts: (command: string) => Promise<boolean>): Promise<boolean> {
  if (duplex !== 'asked') return duplex === 'full'
  return (await accepts('AT+VTR=?')) || !(await accepts('AT+VRX=?'))
}
