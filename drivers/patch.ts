/** How legs of two drivers hear each other: one of them lends itself, frame for frame, to the other. */
import type { LegAudio } from './line.ts'

/** A leg that is joined, as its partner has it. All do nothing once it has left. */
export interface Patch {
  /** 20 ms of 8 kHz: heard by this leg. */
  say(samples: Int16Array): void
  leave(): void
}

export interface PatchPartner {
  /** With the leg in hand; null when it has left by itself. */
  joined(patch: Patch | null): void
  /** 20 ms of what the leg says. */
  hear(samples: Int16Array): void
  /** A key of the leg that is not among what it says. */
  press(key: string): void
}

export interface PatchableAudio extends LegAudio {
  /** False where the leg has ended, or is joined elsewhere. */
  patch(partner: PatchPartner): boolean
}

export function isPatchable(audio: LegAudio): audio is PatchableAudio {
  return 'patch' in audio
}
