/**
 * Who does what once the daemon runs. A registry is made before the parts that enter themselves and before those that ask it, so no part
 * has to be made before another. `seal` is called at the start, and fails where somebody is missing: not the first call finds that out.
 */
export class Registry<Entries extends object> {
  readonly #what: string
  readonly #names: readonly (keyof Entries)[]
  readonly #entries: Partial<Entries> = {}
  #sealed = false

  /**
   * @param what for errors: what an entry is, such as `taker of the destination`
   * @param names all entries; the start fails without any of them
   */
  constructor(what: string, names: readonly (keyof Entries)[]) {
    this.#what = what
    this.#names = names
  }

  /** Throws where somebody has entered under this name already, where there is no such name, and after `seal`. */
  add<N extends keyof Entries>(name: N, entry: Entries[N]): void {
    if (this.#sealed) throw new Error(`the ${this.#what} ${String(name)} comes too late`)
    if (!this.#names.includes(name)) throw new Error(`there is no ${this.#what} ${String(name)}`)
    if (Object.hasOwn(this.#entries, name)) throw new Error(`there are two for the ${this.#what} ${String(name)}`)
    this.#entries[name] = entry
  }

  /** The same of several at once. */
  addAll(entries: Partial<Entries>): void {
    for (const name of Object.keys(entries) as (keyof Entries)[]) this.add(name, entries[name] as Entries[keyof Entries])
  }

  /** Throws before `seal`. */
  get<N extends keyof Entries>(name: N): Entries[N] {
    if (!this.#sealed) throw new Error(`the ${this.#what} ${String(name)} is asked before the start`)
    return this.#entries[name] as Entries[N]
  }

  /** The same by a name from outside, such as a row of the disk; undefined for one that there is not. */
  find(name: string): Entries[keyof Entries] | undefined {
    return this.#names.find((known) => known === name) === undefined ? undefined : this.get(name as keyof Entries)
  }

  /** Nobody enters any more, and everybody can be asked. Throws, and names all who are missing. */
  seal(): void {
    const missing = this.#names.filter((name) => !Object.hasOwn(this.#entries, name))
    if (missing.length > 0) throw new Error(`nobody is the ${this.#what} ${missing.map(String).join(', ')}`)
    this.#sealed = true
  }
}
