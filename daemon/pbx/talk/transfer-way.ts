/** Where a transfer leads: to what the phone would have reached by dialling that number, with the same rights. */
import type { Party } from '../../calls/far-leg.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import type { Dialler } from '../../routing/destinations.ts'
import { routeInbound } from '../../routing/dial-plan.ts'
import type { Config } from '../../schema/config.ts'
import type { Destination } from '../../schema/destination.ts'
import { phoneDialler } from '../outside/outside.ts'

export type TransferWay =
  | { readonly destination: Destination; readonly dialler?: Dialler }
  /** The status for the party that asked. */
  | { readonly sipCode: number; readonly text: string }

/** Whether that party may have its calls transferred at all. */
export function mayTransfer({ trunks }: Config, { extension, trunkId }: Party): boolean {
  return extension !== '' || trunks.some(({ id, transfers }) => id === trunkId && transfers)
}

/** `isHelp`: whether a number is one for emergencies, to which nobody is transferred: a person who needs help dials it. */
export function transferWay(config: Config, by: Party, to: string, isHelp: (number: string) => boolean): TransferWay {
  if (isHelp(to)) return { sipCode: 603, text: 'a call cannot be transferred to an emergency number' }
  const number = normaliseNumber(to, config.site.country).e164 ?? to
  const route = routeInbound(config, { trunkId: by.trunkId, extension: by.extension, to: [to, number] })
  const known = config.extensions.find(({ number: own }) => own === to)
  // A provider's switch names our phones, and nobody outside at our expense.
  const destination = route?.destination ?? (known === undefined ? null : { kind: 'extension' as const, number: to })
  if (destination === null) return { sipCode: 404, text: `${to} is not a valid destination` }
  const extension = config.extensions.find((candidate) => candidate.number === by.extension)
  return extension === undefined ? { destination } : { destination, dialler: phoneDialler(extension) }
}

/** To a slot in which nobody waits a phone sends a call to park it there: that is what the Park keys of many do. */
export function parkingWay(way: TransferWay, { isTaken }: { readonly isTaken: (slot: string) => boolean }): TransferWay {
  if (!('destination' in way) || way.destination.kind !== 'parked' || isTaken(way.destination.slot)) return way
  return { ...way, destination: { kind: 'park', slot: way.destination.slot } }
}
