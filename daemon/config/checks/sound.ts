/** Files of sound that the configuration names: they must be there, and be what can be played. */
import { readFileSync } from 'node:fs'
import { wavFormat, WavError } from '../../../drivers/wav.ts'
import { type MeaningContext, duplicates, type SectionCheck } from './context.ts'
import type { Path } from '../source.ts'
import { isOpus, opusSeconds } from '../../../drivers/opus.ts'
import type { Config } from '../../schema/config.ts'
import { unknownName } from '../routing.ts'

/** Of what is played there. Throws WavError for another file. */
export interface SoundKind {
  readonly secondsOf: (file: Buffer) => number
  /** Such as `WAV and Opus are played`. */
  readonly played: string
}

export const wavSound: SoundKind = {
  secondsOf(file) {
    const { rate, length } = wavFormat(file)
    return length / rate
  },
  played: 'only WAV files can be played',
}

/** Seconds of it; 0 where it is of no use, which is a fault. */
export function checkSound(path: Path, file: string, { secondsOf, played }: SoundKind, { fault }: MeaningContext): number {
  try {
    const seconds = secondsOf(readFileSync(file))
    if (seconds === 0) fault(path, `${file} has no sound`)
    return seconds
  } catch (error) {
    const conversion = `${played}; convert it, for example: ffmpeg -i ${file} -ar 8000 -ac 1 sound.wav`
    if (error instanceof WavError) fault(path, `${file}: ${error.message}; ${conversion}`)
    else fault(path, `the file ${file} does not exist or cannot be read by this user`)
    return 0
  }
}

/** Files of music: they can be played, and are not too many. */
const mostSeconds = 600

const music: SoundKind = {
  secondsOf: (file) => (isOpus(file) ? opusSeconds(file) : wavSound.secondsOf(file)),
  played: 'only WAV and Opus files can be played',
}

function checkMusic({ site }: Config, context: MeaningContext): void {
  const seconds = site.music.reduce((sum, file, index) => sum + checkSound(['site', 'music', index], file, music, context), 0)
  if (seconds > mostSeconds) context.fault(['site', 'music'], `${Math.round(seconds)} s of music; at most ${mostSeconds} s can be played`)
}

/** What the schema cannot say of mailboxes. */
const mostGreetingSeconds = 180

function checkMailboxes(config: Config, context: MeaningContext): void {
  const { mailboxes, extensions } = config
  duplicates(['mailboxes'], 'ext', mailboxes, context)
  const known = extensions.map(({ number }) => number)
  mailboxes.forEach((mailbox, index) => {
    const { operator, pin, greeting } = mailbox
    if (
      typeof greeting === 'object' &&
      checkSound(['mailboxes', index, 'greeting', 'file'], greeting.file, wavSound, context) > mostGreetingSeconds
    )
      context.fault(['mailboxes', index, 'greeting', 'file'], `a greeting has at most ${mostGreetingSeconds} s`)
    if (typeof pin === 'string' && !/^\d{4,10}$/.test(pin)) context.fault(['mailboxes', index, 'pin'], 'a PIN has 4 to 10 digits')
    if (operator !== undefined && !known.includes(operator))
      context.fault(['mailboxes', index, 'operator'], unknownName('extension', operator, known))
  })
}

export const checks: readonly SectionCheck[] = [
  [['site'], checkMusic],
  [['mailboxes', 'extensions'], checkMailboxes],
]
