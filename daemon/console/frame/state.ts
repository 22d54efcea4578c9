/** What the box has, as a signal a thing: read once, kept up by what happens, read again where something was missed. */
import { batch, effect, signal, type ReadonlySignal } from '@preact/signals'
import { Fault, getWithId } from './api.ts'
import { boxNow } from './clock.ts'
import { hear, isAfter, notLiveSince, readUpTo, type Heard, type LiveEvent, type Topic } from './live.ts'
import { audience, onLeave, standing } from './session.ts'

export interface Thing<T> {
  /** Undefined until it was read. It is read and followed while a component shows it. */
  readonly data: ReadonlySignal<T | undefined>
  /** Of the last reading; the data of the one before it stays. */
  readonly fault: ReadonlySignal<Fault | undefined>
  /** Milliseconds since the epoch: when the data was right. */
  readonly asOf: ReadonlySignal<number | undefined>
  readonly loading: ReadonlySignal<boolean>
  reload(): Promise<void>
  /** Of a deed whose answer is the new state. */
  set(change: (now: T) => T): void
}

/** Undefined where the event does not say enough: the thing is read again. */
export type Fold<T> = (now: T, event: LiveEvent) => T | undefined

const readEveryMs = 15_000
/** After a reading that failed for a reason that may pass by itself. */
const faultMs = 5_000
/** Events that come together are one reading. */
const togetherMs = 250
/** Somebody who comes right back finds it followed still. */
const lingerMs = 5_000
const things = new Map<string, Kept<any>>()

/**
 * The thing at that path, one for all that show it. `topics`: events after which it is read again, or of which `fold` makes
 * its new state.
 */
export function thing<T>(path: string, topics: readonly Topic[], fold?: Fold<T>): Thing<T> {
  let kept = things.get(path) as Kept<T> | undefined
  if (kept === undefined) things.set(path, (kept = new Kept<T>(path, topics, fold)))
  return kept
}

class Kept<T> implements Thing<T> {
  readonly #path: string
  readonly #topics: readonly Topic[]
  readonly #fold: Fold<T> | undefined
  readonly data = signal<T | undefined>(undefined, { watched: () => this.#watched(), unwatched: () => this.#unwatched() })
  readonly fault = signal<Fault | undefined>(undefined)
  readonly asOf = signal<number | undefined>(undefined)
  readonly loading = signal(false)
  #ends: (() => void)[] = []
  #lingering: ReturnType<typeof setTimeout> | undefined
  #soon: ReturnType<typeof setTimeout> | undefined
  #reading: Promise<void> | undefined
  #again = false
  /** What happened since the reading under way was asked for. */
  #meanwhile: LiveEvent[] = []
  /** Changes with each lock: what was asked for before is not shown after. */
  #turn = 0

  constructor(path: string, topics: readonly Topic[], fold: Fold<T> | undefined) {
    this.#path = path
    this.#topics = topics
    this.#fold = fold
  }

  reload(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true
      return this.#reading
    }
    return (this.#reading = this.#read().finally(() => {
      this.#reading = undefined
      if (this.#again) void this.reload()
    }))
  }

  set(change: (now: T) => T): void {
    if (this.data.value !== undefined) this.data.value = change(this.data.value)
  }

  forget(): void {
    this.#turn += 1
    batch(() => {
      this.data.value = undefined
      this.fault.value = undefined
      this.asOf.value = undefined
    })
  }

  get followed(): boolean {
    return this.#ends.length > 0
  }

  async #read(): Promise<void> {
    const turn = this.#turn
    this.#again = false
    this.#meanwhile = []
    this.loading.value = true
    try {
      const { body, liveId } = await getWithId<T>(this.#path)
      readUpTo(liveId)
      if (turn !== this.#turn) return
      const later = this.#meanwhile.filter(({ id }) => isAfter(id, liveId))
      batch(() => {
        this.data.value = body
        this.asOf.value = boxNow()
        this.fault.value = undefined
        for (const event of later) this.#take(event)
      })
    } catch (error) {
      if (turn !== this.#turn) return
      const fault = error instanceof Fault ? error : new Fault(0, { error: String(error) })
      batch(() => {
        this.fault.value = fault
        // What is still shown goes on from where it was.
        if (this.data.value !== undefined) for (const event of this.#meanwhile) this.#take(event)
      })
      if (fault.status === 0 || fault.status === 429 || fault.status >= 500) this.#readSoon(faultMs)
    } finally {
      this.loading.value = false
    }
  }

  #watched(): void {
    clearTimeout(this.#lingering)
    // Not in the middle of what draws it.
    queueMicrotask(() => {
      if (this.followed) {
        if (this.data.peek() === undefined) void this.reload()
        return
      }
      this.#ends = [hear((heard) => this.#hear(heard)), this.#readWhileSilent()]
      void this.reload()
    })
  }

  #unwatched(): void {
    this.#lingering = setTimeout(() => {
      clearTimeout(this.#soon)
      this.#soon = undefined
      for (const end of this.#ends.splice(0)) end()
    }, lingerMs)
  }

  #readWhileSilent(): () => void {
    let timer: ReturnType<typeof setInterval> | undefined
    const end = effect(() => {
      clearInterval(timer)
      if (notLiveSince.value !== undefined) timer = setInterval(() => void this.reload(), readEveryMs)
    })
    return () => (clearInterval(timer), end())
  }

  #readSoon(ms: number): void {
    if (!this.followed) return
    this.#soon ??= setTimeout(() => ((this.#soon = undefined), void this.reload()), ms)
  }

  #hear(heard: Heard): void {
    if (heard.kind === 'gap' || (heard.kind === 'open' && !heard.whole)) void this.reload()
    if (heard.kind !== 'event' || !this.#topics.includes(heard.event.topic)) return
    if (this.#reading === undefined) this.#take(heard.event)
    else this.#meanwhile.push(heard.event)
  }

  #take(event: LiveEvent): void {
    const now = this.data.value
    const next = now === undefined ? undefined : this.#fold?.(now, event)
    if (next === undefined) this.#readSoon(togetherMs)
    else
      batch(() => {
        this.data.value = next
        this.asOf.value = boxNow()
      })
  }
}

/** Reads all that is shown. */
export async function reloadAll(): Promise<void> {
  await Promise.all([...things.values()].filter(({ followed }) => followed).map((one) => one.reload()))
}

onLeave(() => {
  for (const one of things.values()) one.forget()
})

let shownTo = audience.value
effect(() => {
  const now = audience.value
  if (now === shownTo || standing.value !== 'in') return
  shownTo = now
  for (const one of things.values()) one.forget()
  void reloadAll()
})
