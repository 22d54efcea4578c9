/** What people set at their phones: do not disturb, and where their calls go. Durable; observers are notified of changes. */
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { ExtensionSettingsRow } from '../../store/tables.ts'
import type { Call } from '../../calls/call.ts'

// Who is on the telephone at the moment.

/** Whether a phone of the extension calls somebody or talks; one that only rings is free. */
export function isEngaged(calls: readonly Call[], extension: string): boolean {
  return calls.some(
    ({ row, party }) =>
      row.endedAt === null &&
      (party.extension === extension ||
        (row.legs ?? []).some(({ to, trunkId, state }) => to === extension && trunkId === '' && state === 'in-progress')),
  )
}

export type ExtensionSettings = Readonly<Omit<ExtensionSettingsRow, 'updatedAt'>>

const asDelivered: ExtensionSettings = { doNotDisturb: false, forwardAll: null, forwardBusy: null, forwardNoAnswer: null }

export class SettingsOfExtensions {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  readonly #observers = new Set<(extension: string) => void>()

  constructor({ store, clock }: { readonly store: Store; readonly clock: Pick<Clock, 'now'> }) {
    this.#store = store
    this.#clock = clock
  }

  of(extension: string): ExtensionSettings {
    const row = this.#store.tables.extensionSettings.get(extension)
    if (row === undefined) return asDelivered
    const { updatedAt: _, ...settings } = row
    return settings
  }

  /** Resolves when it is durable. `alongside` runs in the transaction. */
  async change(extension: string, changes: Partial<ExtensionSettings>, alongside: () => void = () => undefined): Promise<void> {
    const { tables } = this.#store
    await this.#store.transaction(() => {
      tables.extensionSettings.put(extension, { ...this.of(extension), ...changes, updatedAt: this.#clock.now() })
      alongside()
    })
    for (const observe of this.#observers) observe(extension)
  }

  /** The observer is called with the number of an extension whose settings have changed; the answer ends that. */
  onChange(tell: (extension: string) => void): () => void {
    this.#observers.add(tell)
    return () => void this.#observers.delete(tell)
  }
}
