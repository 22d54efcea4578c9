/** Sections of the configuration that a route of another room sets, such as the opening times: in the text, with its comments, as a change like any other. */
import { pause, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { ConfigDesk } from './desk.ts'
import { valuesOf, withValues, type Values } from './edit.ts'
import { ConfigError } from './load.ts'

export interface Sections {
  /**
   * Resolves once the change has stood. `change`: of the values that the text has now. Throws ApiError: validation_failed with the first fault
   * in its words, config_change_running, config_unapplied, config_taken_back, not_supported.
   */
  set(change: (values: Values) => Values, order: { readonly by: string; readonly note: string }): Promise<void>
}

const lookMs = 100

export function sectionsOf({ desk, clock }: { readonly desk: ConfigDesk; readonly clock: Clock }): Sections {
  return {
    async set(change, order) {
      const fault = desk.fileFault()
      if (fault?.kind === 'other' || fault?.kind === 'refused')
        throw new ApiError(
          'config_unapplied',
          `The configuration file has changes that are not in use (${fault.text}): a technician applies or reverts them first.`,
        )
      const text = fileText(desk)
      const next = withValues(text, change(valuesOf(text) ?? {}))
      const { faults } = desk.check(next)
      const details = faults.map(({ path, text: message }) => ({ path, message }))
      if (faults[0] !== undefined) throw new ApiError('validation_failed', `${faults[0].text}.`, { details })
      desk.apply({ ...order, text: next, confirmed: true })
      while (!desk.isIdle) await pause(clock, lookMs)
      const { change: ended } = desk.state()
      if (ended?.state === 'reverted') throw new ApiError('config_taken_back', `The change was taken back: ${ended.reason}.`)
    },
  }
}

function fileText(desk: ConfigDesk): string {
  try {
    return desk.fileText()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ApiError('config_unapplied', `The configuration file cannot be read: ${error.faults[0]?.text ?? ''}`)
  }
}
