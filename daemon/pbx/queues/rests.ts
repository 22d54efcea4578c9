/**
 * Members who are left alone after a talk for a queue, in all queues of which they are members. In memory, on the clock that nobody sets: a
 * pause of some seconds is not worth a row.
 */
export class Rests {
  readonly #until = new Map<string, number>()

  /** -Infinity for one who has no rest. */
  until(member: string): number {
    return this.#until.get(member) ?? -Infinity
  }

  /** The longest of several counts. */
  begin(member: string, until: number): void {
    this.#until.set(member, Math.max(until, this.until(member)))
  }
}
