/** A modem that waits for voice calls: in its voice class (AT+FCLASS=8), with a format both understand, and its abilities known. */
import type { AtSession } from '../at-session.ts'
import type { Quirks } from '../quirks.ts'
import { readClasses } from '../results.ts'
import { chooseFormat, type VoiceFormat } from './formats.ts'
import { voiceQuirksOf, type VoiceQuirks } from './quirks.ts'

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
  if (format === null) return { failed: 'The modem offers no voice format of 8,000 samples a second that is understood (AT+VSM=?)' }
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
