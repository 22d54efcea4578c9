/** What makes voice modems differ, as data, by the names of `../quirks.ts`. What is not listed is as V.253 says. */

export interface VoiceQuirks {
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

export const voiceQuirks: Readonly<Record<string, VoiceQuirks>> = {
  // Its VSM has four parameters. AT+VTR=? is an error to a CX93001, as AT+VRX=? is, and AT+VTR works.
  Conexant: { ...standard, rate: ',8000,0,0', duplex: 'full' },
  // Silence is not told where the time for it is 0. Of its inactivity timer the longest is asked for first: 0 may be none that it knows.
  USRobotics: { ...standard, stopBoth: 'end', duplex: 'full', setup: ['AT+VIT=255', ...setup, 'AT+VSD=128,0'] },
  // The IS-101 voice of these chips ends listening by ESC; they say that they can do both at once, and cannot.
  'Lucent/Agere': { ...standard, stop: 'escape', duplex: 'half' },
  'Silicon Labs': { ...standard, duplex: 'half' },
}

export const voiceQuirksOf = (name: string): VoiceQuirks => voiceQuirks[name] ?? standard
