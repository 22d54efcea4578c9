/** Extensions, groups and queues as people know them, and whom they notify of a call that nobody took. */
import type { Config } from '../schema/config.ts'
import { parseDestination } from '../schema/destination.ts'

export type Places = Pick<Config, 'extensions' | 'ringGroups' | 'queues'>

export interface Party {
  readonly name: string
  readonly notify: Readonly<Record<string, unknown>>
}

/** `Front desk (101)`, or the number alone. */
export function extensionName({ extensions }: Pick<Config, 'extensions'>, number: string): string {
  const name = extensions.find((extension) => extension.number === number)?.name ?? ''
  return name === '' ? number : `${name} (${number})`
}

/** `place`: the number of an extension, `group:ID` or `queue:ID`. undefined: nobody is notified for it. */
export function partyOf(config: Places, place: string): Party | undefined {
  const destination = parseDestination(place)
  if (destination?.kind === 'extension') {
    const notify = config.extensions.find(({ number }) => number === destination.number)?.notifyMissed
    return notify === undefined ? undefined : { name: extensionName(config, destination.number), notify }
  }
  if (destination?.kind !== 'group' && destination?.kind !== 'queue') return undefined
  const found = (destination.kind === 'group' ? config.ringGroups : config.queues).find(({ id }) => id === destination.id)
  return found?.notifyMissed === undefined ? undefined : { name: found.name === '' ? found.id : found.name, notify: found.notifyMissed }
}
