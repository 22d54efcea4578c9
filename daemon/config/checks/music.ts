/** Files of music: they can be played, and are not too many. */
import { isOpus, opusSeconds } from '../../../drivers/opus.ts'
import type { Config } from '../../schema/config.ts'
import type { MeaningContext } from '../meaning.ts'
import { checkSound, wavSound, type SoundKind } from './sound.ts'

const mostSeconds = 600

const music: SoundKind = {
  secondsOf: (file) => (isOpus(file) ? opusSeconds(file) : wavSound.secondsOf(file)),
  played: 'WAV and Opus are played',
}

export function checkMusic({ site }: Config, context: MeaningContext): void {
  const seconds = site.music.reduce((sum, file, index) => sum + checkSound(['site', 'music', index], file, music, context), 0)
  if (seconds > mostSeconds) context.fault(['site', 'music'], `${Math.round(seconds)} s of music; at most ${mostSeconds} s are played`)
}
