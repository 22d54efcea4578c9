/** What makes simulated modems differ. */

export interface VoiceModemQuirks {
  readonly model: string
  readonly fullDuplex: boolean
  readonly format: 'mu-law' | 'unsigned'
  /** Keys between DLE / and DLE ~, with their length; otherwise once every 70 ms. */
  readonly shielded: boolean
  /** Listening ends by ESC, and `!` is not known. */
  readonly escape: boolean
  /** Its crystal against that of the exchange, in parts per million. */
  readonly ppm: number
  /** It says `b` when it hears busy tone. */
  readonly hearsBusy: boolean
  /** It says `P` and `p` when another telephone on its line is lifted and put down. */
  readonly hearsParallel: boolean
  /** It tells the cadence of a ring (AT+VDR), as DRON and DROF. */
  readonly tellsCadence: boolean
  /** It knows AT+VTS=! as a flash of the hook. */
  readonly flashes: boolean
  /** It says `u` whenever it has nothing more to say. */
  readonly tellsUnderrun: boolean
  /** Told to leave the sound of the call, it gives some more of it for so many milliseconds, while what comes is a command already. */
  readonly leavesMs: number
  /** Milliseconds until it answers a command. */
  readonly answerMs: number
  /** Whether this command, without its AT, comes damaged: it is taken for none that it knows. */
  readonly damaged: (command: string) => boolean
}

export const usualQuirks: VoiceModemQuirks = {
  model: 'Simulated voice modem',
  fullDuplex: true,
  format: 'mu-law',
  shielded: true,
  escape: false,
  ppm: 0,
  hearsBusy: false,
  hearsParallel: true,
  tellsCadence: true,
  flashes: true,
  tellsUnderrun: false,
  leavesMs: 0,
  answerMs: 5,
  damaged: () => false,
}
