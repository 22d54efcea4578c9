/** Files of music: they must be there, and be what can be played. */
import { readFileSync } from 'node:fs'
import { isOpus, opusSeconds } from '../../drivers/opus.ts'
import { wavFormat, WavError } from '../../drivers/wav.ts'
import type { Config } from '../schema/config.ts'
import type { MeaningContext } from './meaning.ts'

const mostSeconds = 600

export function checkMusic({ site }: Config, { fault }: MeaningContext): void {
  let seconds = 0
  site.music.forEach((file, index) => {
    const path = ['site', 'music', index]
    try {
      const length = secondsOf(readFileSync(file))
      seconds += length
      if (length === 0) fault(path, `there is nothing to be heard in ${file}`)
    } catch (error) {
      if (error instanceof WavError)
        fault(path, `${file}: ${error.message}; WAV and Opus are played; convert it, as by: ffmpeg -i ${file} -ar 8000 -ac 1 music.wav`)
      else fault(path, `the file ${file} is not there, or cannot be read by this user`)
    }
  })
  if (seconds > mostSeconds) fault(['site', 'music'], `${Math.round(seconds)} s of music; at most ${mostSeconds} s are played`)
}

function secondsOf(file: Buffer): number {
  if (isOpus(file)) return opusSeconds(file)
  const { rate, length } = wavFormat(file)
  return length / rate
}
