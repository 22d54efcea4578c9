/** Lamps of phones and of the hours that are set by hand: watchers are notified at once of every change, and only of changes. */
import type { Lamp, LampOwner, WatchedDialog } from '../../../drivers/pbx.ts'
import type { LampServer } from './lamps.ts'

/** What lamps may watch: some names, and what each shows now. */
export interface Watched {
  has(name: string): boolean
  /** `watcher`: the extension that asks. null: nobody knows now. */
  dialogs(name: string, watcher: string): readonly WatchedDialog[] | null
}

export class DialogLamps implements LampServer {
  readonly #watched: readonly Watched[]
  readonly #lit = new Map<string, Map<Lamp, string>>()
  readonly #due = new Set<string>()
  #soon = false

  constructor(watched: readonly Watched[]) {
    this.#watched = watched
  }

  watch(lamp: Lamp): LampOwner | null {
    const name = lamp.watches
    if (this.#of(name) === undefined) return null
    const lit = this.#lit.get(name) ?? new Map<Lamp, string>()
    this.#lit.set(name, lit.set(lamp, ''))
    const show = (): void => this.#show(name, lamp, true)
    show()
    return {
      refreshed: show,
      ended: () => {
        lit.delete(lamp)
        if (lit.size === 0) this.#lit.delete(name)
      },
    }
  }

  /** Something may be otherwise there. Several changes of one moment are one. */
  changed(name: string): void {
    if (!this.#lit.has(name)) return
    this.#due.add(name)
    if (this.#soon) return
    this.#soon = true
    setImmediate(() => {
      this.#soon = false
      const due = [...this.#due]
      this.#due.clear()
      for (const each of due) for (const lamp of this.#lit.get(each)?.keys() ?? []) this.#show(each, lamp, false)
    })
  }

  #show(name: string, lamp: Lamp, anyway: boolean): void {
    const of = this.#of(name)
    const dialogs = of === undefined ? [] : of.dialogs(name, lamp.extension)
    const text = JSON.stringify(dialogs)
    const lit = this.#lit.get(name)
    if (!anyway && lit?.get(lamp) === text) return
    lit?.set(lamp, text)
    if (dialogs === null) lamp.showUnknown()
    else lamp.showDialogs(dialogs)
  }

  #of(name: string): Watched | undefined {
    return this.#watched.find((candidate) => candidate.has(name))
  }
}
