/** Counts by labels since the start of the daemon, for those who measure it. */

export type Tally = readonly (readonly [labels: Record<string, string>, value: number])[]

export class Counts {
  readonly #counts = new Map<string, { labels: Record<string, string>; value: number }>()

  add(labels: Record<string, string>, amount = 1): void {
    const key = Object.values(labels).join(' ')
    const entry = this.#counts.get(key)
    if (entry === undefined) this.#counts.set(key, { labels, value: amount })
    else entry.value += amount
  }

  tally(): Tally {
    return [...this.#counts.values()].map(({ labels, value }) => [labels, value])
  }
}
