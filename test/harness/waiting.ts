/** Waits of the tests, in one place: how long something may take to come depends on the machine, what is asserted of it never does. */

/** How many times longer a wait may take here than on a machine that is as fast as usual; the runner measures it (scripts/test-machine.mjs). */
export const patience = Math.max(1, Number(process.env['TEST_PATIENCE'] ?? 1))

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Where something changes, and others wait for it to be as they want it. */
export class Waiting {
  #wakers: (() => void)[] = []
  #changes = 0

  wake(): void {
    this.#changes++
    for (const wake of this.#wakers.splice(0)) wake()
  }

  /**
   * Looks at each change, and after `everyMs` without one, until `look` finds something: what is neither undefined nor false. Rejects with what
   * `missing` says when that takes longer than `ms` on a machine of usual speed.
   */
  async until<T>(look: () => T | undefined | false, ms: number, missing: (within: string) => string, everyMs = Infinity): Promise<T> {
    const most = ms * patience
    const deadline = performance.now() + most
    for (;;) {
      const began = performance.now()
      const changes = this.#changes
      const found = look()
      if (found !== undefined && found !== false) return found
      // To look may take a while: between two looks there is time for what comes meanwhile.
      const took = performance.now() - began
      if (took > 5) await pause(Math.min(4 * took, 500))
      const left = deadline - performance.now()
      if (left <= 0) throw new Error(missing(`not within ${most} ms`))
      // It has come while nobody waited, and may be the last.
      if (this.#changes !== changes) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, everyMs))
        this.#wakers.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }
}

/**
 * Repeats a question until the answer is true; rejects with `what` when that takes longer than `ms` on a machine of usual speed. One that costs
 * much, such as the start of a program, is asked less often: it takes at most half of the time.
 */
export async function eventually(what: string, question: () => boolean | Promise<boolean>, ms = 30_000, everyMs?: number): Promise<void> {
  await found(what, async () => (await question()) || undefined, ms, everyMs)
}

/**
 * The same, and resolves with what `look` finds: the first that is neither undefined nor false. `everyMs`: at most so often, and the less often the
 * longer it takes: what has been waited for grows by a tenth of it, and by a quarter of a second, at most.
 */
export async function found<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 30_000,
  everyMs = 20,
): Promise<T> {
  const most = ms * patience
  const began = performance.now()
  for (;;) {
    const asked = performance.now()
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    const waited = performance.now() - began
    if (waited > most) throw new Error(`${typeof what === 'string' ? what : what()}: not within ${most} ms`)
    await pause(Math.max(everyMs, performance.now() - asked, Math.min(waited / 10, 250)))
  }
}
