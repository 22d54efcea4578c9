/** The observers of a fax, called on every change. */
export class Watchers {
  readonly #of = new Map<string, Set<() => void>>()

  /** Calls `changed` at every change until the returned function is called. */
  add(faxId: string, changed: () => void): () => void {
    const watchers = this.#of.get(faxId) ?? new Set()
    this.#of.set(faxId, watchers.add(changed))
    return () => {
      watchers.delete(changed)
      if (watchers.size === 0) this.#of.delete(faxId)
    }
  }

  tell(faxId: string): void {
    for (const changed of this.#of.get(faxId) ?? []) changed()
  }
}
