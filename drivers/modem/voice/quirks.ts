/** What makes voice modems differ, as data, by the names of `../quirks.ts`. What is not listed is as V.253 says. */

export interface VoiceQuirks {
  /** Ends listening: `!` (V.253), or ESC for chips that know no `!`. */
  readonly stop: 'stop' | 'escape'
  /** What follows the number of the format in AT+VSM. */
  readonly rate: string
  /** `half`: the chip says that it can do both at once, and cannot. */
  readonly duplex: 'asked' | 'half'
  readonly setup: readonly string[]
  /** A flash of the hook in a call: the first that it takes. */
  readonly flash: readonly string[]
}

const standard: VoiceQuirks = {
  stop: 'stop',
  rate: ',8000',
  duplex: 'asked',
  setup: ['AT+VIT=0', 'AT+VGT=128', 'AT+VGR=128'],
  // V.253, then V.250 for those that know it in a number alone.
  flash: ['AT+VTS=!', 'ATD!;'],
}

export const voiceQuirks: Readonly<Record<string, VoiceQuirks>> = {
  // Its VSM has four parameters; silence is reported by level alone.
  Conexant: { ...standard, rate: ',8000,0,0', setup: [...standard.setup, 'AT+VSD=0,50'] },
  // Keeps its inactivity timer whatever VIT says, unless it is set in tenths of a second.
  USRobotics: { ...standard, setup: ['AT+VIT=255', 'AT+VGT=128', 'AT+VGR=128'] },
  // The IS-101 voice of these chips ends listening by ESC.
  'Lucent/Agere': { ...standard, stop: 'escape', duplex: 'half' },
  'Silicon Labs': { ...standard, duplex: 'half' },
}

export const voiceQuirksOf = (name: string): VoiceQuirks => voiceQuirks[name] ?? standard
