/**
 * What is made of the configuration once and used often. The configuration of a running daemon is changed in place, by
 * daemon/config/part.ts alone: code that keeps it, or a section or a list of it, sees the change, and values derived from it are computed
 * again.
 */
const changes = new WeakMap<object, number>()

const changesOf = (config: object): number => changes.get(config) ?? 0

/** The configuration has been changed: all that was derived of it is out of date. */
export function configChanged(config: object): void {
  changes.set(config, changesOf(config) + 1)
}

/** The value of `make`, which is called at once, and again by the first who asks after a change. */
export function derived<T>(config: object, make: () => T): () => T {
  let made = make()
  let at = changesOf(config)
  return () => {
    if (at === changesOf(config)) return made
    made = make()
    at = changesOf(config)
    return made
  }
}
