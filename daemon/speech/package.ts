/**
 * The package of neural speech (pbxd-speech-engine): reported where it was there and is gone, or is not the one that this program was made
 * with.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'

const library = 'sherpa-onnx-node'
const key = 'speechPackage'
/** The person who removed it on purpose knows by then. */
const toldMs = 30 * 86_400_000

interface Kept {
  readonly version: string
  /** Milliseconds since the epoch; null while it is there. */
  readonly goneAt: number | null
}

export interface SpeechPackageOptions {
  /** The checkout, or the folder of the installed program. */
  readonly root: string
  readonly store: Store
  readonly clock: Clock
  /** Of this program. */
  readonly version: string
}

export interface SpeechPackage {
  /** Looks, and keeps what is there for later starts. */
  start(): Promise<void>
  warnings(): Iterable<CodedWarning>
}

export function speechPackage({ root, store, clock, version: own }: SpeechPackageOptions): SpeechPackage {
  const wanted = String(read(join(root, 'package.json'))?.dependencies?.[library] ?? '')
  const found = read(join(root, 'node_modules', library, 'package.json'))?.version ?? null
  const fix = `apt install ./pbxd-speech-engine_${own}_ARCH.deb, then pbx speech status`
  const kept = (): Kept | null => {
    const text = store.tables.meta.get(key)
    return typeof text === 'string' ? (JSON.parse(text) as Kept) : null
  }
  return {
    async start() {
      const before = kept()
      if (found === null && before === null) return
      const now: Kept =
        found === null ? { version: before!.version, goneAt: before!.goneAt ?? clock.now() } : { version: found, goneAt: null }
      await store.transaction(() => store.tables.meta.put(key, JSON.stringify(now)))
    },
    *warnings() {
      if (found !== null && wanted !== '' && found !== wanted) {
        const text = said`Neural speech has version ${ours(found)}, but this pbxd was built for ${ours(wanted)}`
        yield { code: 'speech-package', severity: 'warning', text, fix }
      }
      const { version = '', goneAt = null } = (found === null ? kept() : null) ?? {}
      if (goneAt === null || clock.now() - goneAt > toldMs) return
      const text = said`Neural speech (${ours(version)}) was installed and is missing: no transcripts, no neural voices, and voice is detected by its energy`
      yield { code: 'speech-package', severity: 'warning', text, fix }
    },
  }
}

interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function read(file: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest
  } catch {
    return null
  }
}
