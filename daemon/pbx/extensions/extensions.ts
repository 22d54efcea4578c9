/** A call to an extension: its phones ring, and where nobody takes the call it goes on as its people set, or else as the configuration says. */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { ConnectOptions } from '../../routing/connect.ts'
import { type Destinations, type TakeRequest, canSendOn, type Dialler } from '../../routing/destinations.ts'
import { takeToExtension, sendAfter } from '../../routing/extension.ts'
import type { Outcome, Taken } from '../../routing/taken.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import { destinationText, type Destination } from '../../schema/destination.ts'
import { type ExtensionSettings, type SettingsOfExtensions, isEngaged } from './settings.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { routeInbound } from '../../routing/dial-plan.ts'
import { planOutside } from '../outside/plan.ts'

/** Where a phone may have its calls sent: any number that it may dial itself, under the class of service of its extension. */
type ForwardTarget =
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

export interface ExtensionsOptions extends ConnectOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'live'>
  readonly trunks: Trunks
  readonly destinations: Pick<Destinations, 'send' | 'take'>
  readonly settings: Pick<SettingsOfExtensions, 'of'>
}

const busy = (text: string): Taken => ({ outcome: 'busy', sipCode: 486, text })

export async function takeToHouseExtension(options: ExtensionsOptions, call: Call, number: string, request: TakeRequest): Promise<Taken> {
  const { config, destinations, settings } = options
  const extension = config.extensions.find((candidate) => candidate.number === number)
  const set = settings.of(number)
  // Otherwise its phones ring in this very moment.
  if (set.forwardAll !== null && extension !== undefined) {
    const always = await forward(options, call, extension, set.forwardAll, request)
    if (always !== undefined) return always
  }
  const taken = await ring(options, call, number, extension, set, request)
  const over = taken.outcome === 'answered' || taken.outcome === 'canceled' || request.signal.aborted || call.ending
  if (over || extension === undefined) return taken
  // As if it were set here: a phone may have its calls go wherever it may dial itself.
  const redirected = await forward(options, call, extension, taken.redirectedTo ?? null, request)
  if (redirected !== undefined) return redirected
  const forwarded = await forward(options, call, extension, forwardAfter(set, taken.outcome), request)
  return forwarded ?? sendAfter(destinations, call, request, taken, onwards(extension, taken.outcome), `extension ${number}`)
}

async function ring(
  options: ExtensionsOptions,
  call: Call,
  number: string,
  extension: ExtensionConfig | undefined,
  { doNotDisturb }: ExtensionSettings,
  request: TakeRequest,
): Promise<Taken> {
  const engaged = extension?.callWaiting === false && isEngaged(options.calls.live(), number)
  if (doNotDisturb || engaged) {
    const text = doNotDisturb ? 'do not disturb' : 'on the telephone'
    call.note('leg', `extension ${number}: ${text}`)
    return busy(text)
  }
  return takeToExtension(options, call, number, { ...request, timeoutSeconds: request.timeoutSeconds ?? extension?.ringSeconds ?? 25 })
}

/**
 * Sends the call where its people have their calls go. undefined: nowhere, because nothing is set, it is not allowed any more, or the call
 * has been there already.
 */
async function forward(
  { config, destinations }: ExtensionsOptions,
  call: Call,
  extension: ExtensionConfig,
  dialled: string | null,
  request: TakeRequest,
): Promise<Taken | undefined> {
  if (dialled === null) return undefined
  const target = forwardTarget(config, extension, dialled)
  const refused =
    'refused' in target
      ? target.refused
      : (request.via ?? []).includes(destinationText(target.destination))
        ? 'The call has already been there.'
        : null
  if (refused !== null || 'refused' in target) {
    call.note('warning', `extension ${extension.number}: not forwarded to ${dialled}: ${refused}`)
    return undefined
  }
  call.note('state', `extension ${extension.number}: forwarded to ${dialled}`)
  const { timeoutSeconds: _, dialler: __, ...onward } = request
  return destinations.take(call, target.destination, { ...onward, ...(target.dialler === undefined ? {} : { dialler: target.dialler }) })
}

/** A phone that is not there does not answer. */
function forwardAfter({ forwardBusy, forwardNoAnswer }: ExtensionSettings, outcome: Outcome): string | null {
  return outcome === 'busy' || outcome === 'refused' ? forwardBusy : forwardNoAnswer
}

/** A phone that answers with an error is as good as none. */
function onwards({ onBusy, onNoAnswer, onUnreachable }: ExtensionConfig, outcome: Outcome): string | undefined {
  switch (outcome) {
    case 'busy':
    case 'refused':
      return onBusy
    case 'no-answer':
      return onNoAnswer
    case 'unreachable':
    case 'failed':
      return onUnreachable
    case 'answered':
    case 'canceled':
      return undefined
  }
}
