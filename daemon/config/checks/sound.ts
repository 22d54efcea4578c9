/** Files of sound that the configuration names: they must be there, and be what can be played. */
import { readFileSync } from 'node:fs'
import { wavFormat, WavError } from '../../../drivers/wav.ts'
import type { MeaningContext } from '../meaning.ts'
import type { Path } from '../source.ts'

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
  played: 'WAV files are played',
}

/** Seconds of it; 0 where it is of no use, which is a fault. */
export function checkSound(path: Path, file: string, { secondsOf, played }: SoundKind, { fault }: MeaningContext): number {
  try {
    const seconds = secondsOf(readFileSync(file))
    if (seconds === 0) fault(path, `there is nothing to be heard in ${file}`)
    return seconds
  } catch (error) {
    const conversion = `${played}; convert it, as by: ffmpeg -i ${file} -ar 8000 -ac 1 sound.wav`
    if (error instanceof WavError) fault(path, `${file}: ${error.message}; ${conversion}`)
    else fault(path, `the file ${file} is not there, or cannot be read by this user`)
    return 0
  }
}
