/** Where a transfer leads: to what the phone would have reached by dialling that number, with the same rights. */
import type { Leg } from '../../../drivers/line.ts'
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

/** A part of the house in which calls wait, and what a phone means that transfers a call there. */
export interface WaitingPlace {
  /** Where a call goes that is transferred to this destination in this moment. */
  transferred(destination: Destination): Destination
  /** Where a call goes that is transferred to this leg, which waits there; the leg's own call is ended. null: it does not wait there. */
  give(leg: Leg): Destination | null
}

export interface TransferOptions {
  readonly config: Config
  /** Whether a number is one for emergencies, to which nobody is transferred: a person who needs help dials it. */
  readonly isHelp: (number: string) => boolean
  readonly places: readonly WaitingPlace[]
}

/** Whether that party may have its calls transferred at all. */
export function mayTransfer({ trunks }: Config, { extension, trunkId }: Party): boolean {
  return extension !== '' || trunks.some(({ id, transfers }) => id === trunkId && transfers)
}

export function transferWay({ config, isHelp, places }: TransferOptions, by: Party, to: string): TransferWay {
  if (isHelp(to)) return { sipCode: 603, text: 'a call cannot be transferred to an emergency number' }
  const number = normaliseNumber(to, config.site.country).e164 ?? to
  const route = routeInbound(config, { trunkId: by.trunkId, extension: by.extension, to: [to, number] })
  const known = config.extensions.find(({ number: own }) => own === to)
  // A provider's switch names our phones, and nobody outside at our expense.
  const dialled = route?.destination ?? (known === undefined ? null : { kind: 'extension' as const, number: to })
  if (dialled === null) return { sipCode: 404, text: `${to} is not a valid destination` }
  const destination = places.reduce((at: Destination, place) => place.transferred(at), dialled)
  const extension = config.extensions.find((candidate) => candidate.number === by.extension)
  return extension === undefined ? { destination } : { destination, dialler: phoneDialler(extension) }
}
