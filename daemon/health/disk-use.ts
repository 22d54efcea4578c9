/** What lies on the disk of the box, by kind, how fast that grows, and when the disk is full: looked at every hour, remembered by day. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { repeated, type Clock, type Repeated } from '../base/clock.ts'
import { dayAt } from '../base/day.ts'
import type { Log } from '../base/log.ts'
import { diskKinds, type DiskKind } from '../schema/health.ts'
import { roomOn } from '../store/disk.ts'
import type { Store } from '../store/store.ts'

export interface DiskUseOptions {
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly clock: Clock
  readonly log: Log
  /** Of the storage. */
  readonly dir: string
  /** IANA. */
  readonly timeZone: string
}

type Bytes = Readonly<Record<DiskKind, number>>

interface Sample {
  readonly day: string
  readonly at: number
  readonly bytes: Bytes
}

export interface Use {
  readonly measuredAt: number
  readonly freeBytes: number
  readonly totalBytes: number
  readonly kinds: readonly { readonly kind: DiskKind; readonly bytes: number; readonly bytesPerDay: number | null }[]
  /** null: not known before a day has passed. */
  readonly bytesPerDay: number | null
  /** null: not at this rate. */
  readonly fullAt: number | null
}

/** Where each kind lies below the storage; what is nowhere here is `other`. */
const places: Readonly<Record<string, DiskKind>> = {
  store: 'store',
  recordings: 'recordings',
  'inbox/faxes': 'faxes',
  fax: 'faxes',
  'inbox/voicemails': 'voicemail',
  'inbox/sms': 'texts',
  mail: 'mail',
  cache: 'speech',
  models: 'speech',
  prompts: 'speech',
}

const samplesKey = 'diskDays'
const mostSamples = 30
const dayMs = 86_400_000
/** Growth is that of so many days at most: what was imported once is not the rate for ever. */
const growthMs = 14 * dayMs
const leastMs = 20 * 3_600_000
/** What is full in so many years is not full. */
const neverMs = 10 * 365 * dayMs

export class DiskUse {
  readonly #options: DiskUseOptions
  readonly #looking: Repeated
  #measuring: Promise<Sample> | undefined
  #last: Sample | undefined

  constructor(options: DiskUseOptions) {
    this.#options = options
    this.#looking = repeated(options.clock, { firstMs: 60_000, everyMs: 3_600_000 }, () => this.measure().then(() => undefined))
  }

  start(): void {
    this.#looking.start()
  }

  async stop(): Promise<void> {
    await this.#looking.stop()
    await this.#measuring
  }

  async now(): Promise<Use> {
    const last = this.#last ?? (await this.measure())
    const { free, disk } = roomOn(this.#options.dir)
    const before = this.#samples().find(({ at }) => last.at - at <= growthMs && last.at - at >= leastMs)
    const rate = (of: (bytes: Bytes) => number): number | null =>
      before === undefined ? null : Math.round((of(last.bytes) - of(before.bytes)) / ((last.at - before.at) / dayMs))
    const bytesPerDay = rate(allOf)
    const fullInMs = bytesPerDay === null || bytesPerDay <= 0 ? Infinity : (free / bytesPerDay) * dayMs
    return {
      ...{ measuredAt: last.at, freeBytes: free, totalBytes: disk, bytesPerDay },
      kinds: diskKinds.map((kind) => ({ kind, bytes: last.bytes[kind], bytesPerDay: rate((bytes) => bytes[kind] ?? 0) })),
      fullAt: fullInMs > neverMs ? null : last.at + Math.round(fullInMs),
    }
  }

  /** Never rejects. */
  measure(): Promise<Sample> {
    return (this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined)))
  }

  async #measure(): Promise<Sample> {
    const { store, clock, log, dir, timeZone } = this.#options
    const bytes = Object.fromEntries(diskKinds.map((kind) => [kind, 0])) as Record<DiskKind, number>
    await add(bytes, dir, '', 'other')
    const at = clock.now()
    const sample = (this.#last = { day: dayAt(at, timeZone), at, bytes })
    const samples = [...this.#samples().filter(({ day }) => day !== sample.day), sample].slice(-mostSamples)
    await store
      .transaction(() => store.tables.meta.put(samplesKey, JSON.stringify(samples)))
      .catch((err: unknown) => log.debug({ err }, 'what lies on the disk could not be remembered'))
    return sample
  }

  /** Oldest first. */
  #samples(): readonly Sample[] {
    const kept = this.#options.store.tables.meta.get(samplesKey)
    return typeof kept === 'string' ? (JSON.parse(kept) as Sample[]) : []
  }
}

const allOf = (bytes: Bytes): number => Object.values(bytes).reduce((sum, one) => sum + one, 0)

/** What a folder takes up, with all below it. What is gone meanwhile, or may not be read, takes up nothing. */
async function add(bytes: Record<DiskKind, number>, dir: string, below: string, kind: DiskKind): Promise<void> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const [path, name] = [join(dir, entry.name), below === '' ? entry.name : `${below}/${entry.name}`]
    const of = places[name] ?? kind
    if (entry.isDirectory()) await add(bytes, path, name, of)
    else if (entry.isFile()) bytes[of] += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512
  }
}
