/** What is spoken as what a line plays: to somebody else than the caller, whom the session speaks to. */
import type { PlaySource } from '../../drivers/line.ts'
import type { Speaker, SpeechRequest } from './speaker.ts'

/** In order of playing; they never reject. */
export function spokenSources(speaker: Pick<Speaker, 'prepare'>, request: SpeechRequest): Promise<PlaySource>[] {
  return speaker.prepare(request).parts.map(async (part): Promise<PlaySource> => {
    const made = await part
    return 'silenceMs' in made ? { kind: 'silence', ms: made.silenceMs } : { kind: 'clip', clip: made }
  })
}
