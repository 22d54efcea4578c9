/**
 * What a box should install, by its memory, its processors and the language of its site (docs/figures/speech.md says what was measured).
 * The automatic choice then uses it; nothing is installed unless somebody asks.
 */
import type { SpeechView } from '../../schema/speech.ts'
import { primarySubtag } from '../../words/tag.ts'
import { downloadBytes, type Catalogue, type ModelEntry } from './catalogue.ts'
import type { InstalledModel } from './installed.ts'

/** A box that is sold with 4 GB reports a little less. */
export const largeBoxBytes = 3.5 * 1024 ** 3

export interface Machine {
  readonly memoryBytes: number
  readonly cores: number
  /** BCP 47, of the site. */
  readonly language: string
}

/** The voices of the catalogue speak English; other languages keep espeak-ng. */
interface Kind {
  readonly memoryBytes: number
  readonly cores: number
  readonly english: readonly string[]
  readonly other: readonly string[]
}

const detector = 'silero-vad'
/** The first that the machine is as large as. On one processor the larger models make callers wait. */
const kinds: readonly Kind[] = [
  { memoryBytes: largeBoxBytes, cores: 2, english: ['parakeet-110m', 'piper-joe-medium'], other: ['whisper-base'] },
  { memoryBytes: 1.8 * 1024 ** 3, cores: 1, english: ['conformer-small', 'piper-amy-low'], other: ['whisper-tiny'] },
  { memoryBytes: 0.9 * 1024 ** 3, cores: 1, english: ['conformer-small'], other: [] },
  { memoryBytes: 0, cores: 1, english: [], other: [] },
]

/** In the order of their use; what a catalogue of one's own does not have is left out. */
export function recommended({ memoryBytes, cores, language }: Machine, { models }: Catalogue): ModelEntry[] {
  const kind = kinds.find((each) => memoryBytes >= each.memoryBytes && cores >= each.cores)
  const ids = kind === undefined ? [] : primarySubtag(language) === 'en' ? kind.english : kind.other
  return [...ids, detector].flatMap((id) => models.filter((entry) => entry.id === id))
}

/** The same for a person: what each brings, what it costs, and whether it is there. */
export function recommendedView(entries: readonly ModelEntry[], installed: readonly InstalledModel[]): SpeechView['recommended'] {
  return entries.map((entry) => ({
    id: entry.id,
    title: entry.title,
    roles: entry.roles,
    downloadBytes: downloadBytes(entry),
    memoryBytes: entry.ramMB * 1_000_000,
    installed: installed.some(({ entry: { id }, state }) => id === entry.id && state === 'installed'),
  }))
}
