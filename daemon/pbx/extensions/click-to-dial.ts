/**
 * Click-to-dial: a phone of the house rings, and the person who answers there calls somebody, as if they had dialled: with the class, the
 * number and the recording of that extension, held and transferred like any conversation. The call's own leg is that of the phone.
 */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import { newCallRow } from '../../calls/new-call.ts'
import type { OwnEnd } from '../../calls/state.ts'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import type { Destinations } from '../../routing/destinations.ts'
import { soundRefusal } from '../../routing/inbound.ts'
import type { Taken } from '../../routing/taken.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import type { Destination } from '../../schema/destination.ts'
import { phoneDialler } from '../outside/outside.ts'
import { planOutside } from '../outside/plan.ts'

export interface ClickToDialOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'begin' | 'dial' | 'drive' | 'draining' | 'minutes'>
  readonly trunks: Pick<Trunks, 'phone' | 'hasPhone' | 'isUp'>
  readonly destinations: Pick<Destinations, 'take'>
  readonly clock: Clock
  readonly isHelp: (number: string) => boolean
}

export interface ClickOrder {
  readonly extension: string
  /** As people write it. */
  readonly to: string
  /** What the phone shows next to the number; '' for nothing. */
  readonly shown: string
  /** A number of a trunk, which the callee sees in place of that of the extension. */
  readonly callerId?: string
  readonly customerId?: string
  readonly userId?: string
  readonly externalRef?: string
  /** Name of the access token. */
  readonly token?: string
  /** How long the phone rings. */
  readonly timeoutSeconds: number
  readonly record: boolean
}

interface Target {
  readonly to: string
  readonly destination: Destination
}

/**
 * The person who asked for the call sits at that phone: it answers at once where it is set to do so. No phone obeys one header alone (RFC
 * 5373, and what Yealink, Snom, Grandstream and Polycom agree on).
 */
export const answersByItself = { 'Call-Info': '<sip:click-to-dial>;answer-after=0', 'Answer-Mode': 'Auto' }

export class ClickToDial {
  readonly #options: ClickToDialOptions

  constructor(options: ClickToDialOptions) {
    this.#options = options
  }

  /**
   * Rings the phone; resolves with the callId when the call is on the disk. `alongside` runs in that transaction with the callId. Throws
   * ApiError: extension_unknown, extension_unavailable, number_invalid, destination_denied, daily_limit, no_line.
   */
  async place(order: ClickOrder, alongside: (callId: string) => void): Promise<string> {
    const { config, calls, trunks, clock } = this.#options
    const extension = config.extensions.find(({ number }) => number === order.extension)
    if (extension === undefined) throw new ApiError('extension_unknown', `There is no extension ${order.extension.slice(0, 20)}.`)
    const dialler = { ...phoneDialler(extension), ...this.#shows(order.callerId) }
    const target = this.#target(order, dialler)
    if (!trunks.isUp || calls.draining) throw new ApiError('no_line', 'No call can be placed now.', { retryAfterSeconds: 10 })
    if (!trunks.hasPhone(extension.number)) throw new ApiError('extension_unavailable', `No phone of ${extension.number} is registered.`)
    const row = Object.assign(newCallRow(clock.now(), 'outbound'), rowOf(order, extension, target.to))
    const tooMuch = target.destination.kind === 'external' ? calls.minutes.refusal(row) : null
    if (tooMuch !== null) throw tooMuch
    const call = await calls.begin(row, () => alongside(row.callId))
    call.note('state', `click-to-dial: ${extension.number} is rung, for ${target.to}`)
    const claim = trunks.phone()
    const { timeoutSeconds, shown } = order
    calls.dial(
      call,
      claim.dial({ to: extension.number, from: target.to, callerName: shown, timeoutSeconds, headers: answersByItself }, call.over),
    )
    calls.drive(call, () => this.#talk(call, target.destination, dialler))
    return call.id
  }

  async #talk(call: Call, destination: Destination, dialler: ReturnType<typeof phoneDialler>): Promise<void> {
    const { destinations, config } = this.#options
    if (!(await call.taken)) return
    const taken = await destinations.take(call, destination, { signal: call.over, dialler })
    if (taken.outcome === 'answered' || call.over.aborted || call.ending) return
    await soundRefusal(call, taken, config.site.country)
    call.end(endOf(taken))
  }

  /** Whom to call. */
  #target({ to, extension }: ClickOrder, dialler: ReturnType<typeof phoneDialler>): Target {
    const { config, isHelp } = this.#options
    const number = normaliseNumber(to, config.site.country, new Set(config.extensions.map((one) => one.number)))
    if (number.kind === 'invalid' || number.dial === extension)
      throw new ApiError('number_invalid', 'This number cannot be called.', {
        details: [{ path: '/to', message: number.warning ?? 'must be a telephone number' }],
      })
    if (number.kind === 'extension') return { to: number.dial, destination: { kind: 'extension', number: number.dial } }
    if (number.kind === 'emergency' || isHelp(number.dial))
      throw new ApiError('destination_denied', 'Emergency calls must be made on the phone.')
    const plan = planOutside(config, number.dial, dialler)
    if ('refused' in plan) throw new ApiError(plan.sipCode === 484 ? 'number_invalid' : 'destination_denied', plan.refused)
    return { to: plan.to, destination: { kind: 'external', number: plan.to } }
  }

  #shows(callerId: string | undefined): { shows?: string } {
    if (callerId === undefined) return {}
    const { trunks, site } = this.#options.config
    const { e164 } = normaliseNumber(callerId, site.country)
    if (e164 !== null && trunks.some(({ numbers }) => numbers.includes(e164))) return { shows: e164 }
    throw new ApiError('validation_failed', 'callerId must be a number of a trunk.', {
      details: [{ path: '/callerId', message: 'must be a number of a trunk' }],
    })
  }
}

function rowOf(
  { customerId, userId, externalRef, token, record, timeoutSeconds }: ClickOrder,
  { number, name }: ExtensionConfig,
  to: string,
) {
  return {
    state: 'dialing' as const,
    agentFirst: true as const,
    from: number,
    callerName: name,
    to,
    extension: number,
    timeoutSeconds,
    ...(customerId === undefined ? {} : { customerId }),
    ...(userId === undefined ? {} : { userId }),
    ...(externalRef === undefined ? {} : { externalRef }),
    ...(token === undefined ? {} : { token }),
    ...(record ? { record: true as const } : {}),
  }
}

function endOf({ outcome }: Taken): OwnEnd {
  switch (outcome) {
    case 'busy':
      return { reason: 'busy', by: 'callee' }
    case 'refused':
      return { reason: 'rejected', by: 'callee' }
    case 'failed':
      return { reason: 'failed', by: 'system' }
    default:
      return { reason: 'no-answer', by: 'system' }
  }
}
