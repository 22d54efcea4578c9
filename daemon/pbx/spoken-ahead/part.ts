/** What the house says is spoken ahead, one after the other, so that nobody waits for a voice. */
import type { Part } from '../../part.ts'

/** @param warm has phrases spoken; resolves when they are */
export function spokenAheadPart(warm: readonly (() => Promise<void>)[]): Part {
  const speakAhead = async (): Promise<void> => {
    for (const each of warm) await each()
  }
  return { name: 'spoken ahead', reconfigured: () => void speakAhead(), start: () => void speakAhead() }
}
