/** Where a phone may have its calls sent: any number that it may dial itself, under the class of service of its extension. */
import { normaliseNumber } from '../../numbers/numbers.ts'
import { canSendOn, type Dialler } from '../../routing/destinations.ts'
import { routeInbound } from '../../routing/dial-plan.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import { destinationText, type Destination } from '../../schema/destination.ts'
import { planOutside } from '../outside/plan.ts'

export type ForwardTarget =
  /** `dialler`: of a number outside. */
  { readonly destination: Destination; readonly dialler?: Dialler } | { readonly refused: string }

/** `dialled`: as a person would at that phone. */
export function forwardTarget(config: Config, extension: ExtensionConfig, dialled: string): ForwardTarget {
  const { e164 } = normaliseNumber(dialled, config.site.country)
  const route = routeInbound(config, { trunkId: '', extension: extension.number, to: e164 === null ? [dialled] : [dialled, e164] })
  if (route === null) return { refused: 'There is no such number.' }
  const { destination } = route
  if (destination.kind !== 'external') {
    if (!canSendOn(destinationText(destination))) return { refused: 'Calls cannot be forwarded to this number.' }
    return destinationText(destination) === extension.number ? { refused: 'An extension cannot forward to itself.' } : { destination }
  }
  const dialler: Dialler = { classOfService: extension.class, phone: true, shows: extension.callerId ?? 'trunk' }
  const plan = planOutside(config, destination.number, dialler)
  return 'refused' in plan ? { refused: plan.refused } : { destination, dialler }
}
