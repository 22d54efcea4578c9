/** What falls due first, in O(log n): a binary heap by time, then by order of arrival. */
export interface Due {
  at: number
  order: number
}

export class DueHeap<T extends Due> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (first === undefined || last === undefined || items.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++
      if (!before(items[child]!, last)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = last
    return first
  }

  /** Takes out one item, wherever it is; whether it was there. */
  remove(item: T): boolean {
    const at = this.#items.indexOf(item)
    if (at < 0) return false
    const rest = this.#items.splice(0)
    rest.splice(at, 1)
    for (const other of rest) this.push(other)
    return true
  }
}

function before(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
