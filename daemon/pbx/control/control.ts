/**
 * What a person does with a call of the house from a page, as if at a phone: takes one that rings or waits; sends one on; ends it. A call for
 * help is left to the phone that made it.
 */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import { newCallRow } from '../../calls/new-call.ts'
import { noteTransfer } from '../../calls/second-leg.ts'
import type { Party } from '../../calls/far-leg.ts'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { checkExists, type Destinations, type Dialler } from '../../routing/destinations.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import type { CallDeed } from '../../schema/history.ts'
import { destinationText, parseDestination, type Destination } from '../../schema/destination.ts'
import type { SettingsOfExtensions } from '../extensions/settings.ts'
import { answersByItself } from '../extensions/click-to-dial.ts'
import { phoneDialler } from '../outside/outside.ts'
import { planOutside } from '../outside/plan.ts'
import type { HouseTalks } from '../talk/talks.ts'
import { transferWay, type TransferWay } from '../talk/transfer-way.ts'

export interface CallControlOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'get' | 'begin' | 'dial' | 'drive' | 'draining'>
  readonly trunks: Pick<Trunks, 'phone' | 'hasPhone' | 'isUp'>
  readonly destinations: Pick<Destinations, 'take'>
  readonly talks: Pick<HouseTalks, 'pickup' | 'places' | 'talkOf'>
  readonly settings: Pick<SettingsOfExtensions, 'of'>
  readonly clock: Clock
  readonly isHelp: (number: string) => boolean
  /** Throws ApiError `call_unknown` where there never was such a call. */
  readonly mustBeKnown: (callId: string) => void
}

interface Way {
  readonly destination: Destination
  readonly dialler?: Dialler
}

const ringSeconds = 20
/** What a person writes in place of a number: everything else is dialled. */
const written: readonly Destination['kind'][] = ['voicemail', 'queue', 'group', 'menu', 'hours']

export class CallControl {
  readonly #options: CallControlOptions

  constructor(options: CallControlOptions) {
    this.#options = options
  }

  /**
   * Rings the phone, which has the call when it is answered; resolves when it rings. `alongside` runs in the transaction that begins that.
   * Throws ApiError: call_unknown, call_ended, not_now, extension_unknown, extension_unavailable, no_line.
   */
  async take(callId: string, number: string, alongside: () => void): Promise<void> {
    const { config, calls, trunks, talks, clock } = this.#options
    const call = this.#find(callId)
    const extension = config.extensions.find((one) => one.number === number)
    if (extension === undefined) throw new ApiError('extension_unknown', `There is no extension ${number.slice(0, 20)}.`)
    if (!talks.pickup.isSought(call))
      throw new ApiError('not_now', call.answered ? 'Somebody else has taken this call.' : 'This call cannot be taken now.')
    if (!trunks.isUp || calls.draining) throw new ApiError('no_line', 'No call can be placed now.', { retryAfterSeconds: 10 })
    if (!trunks.hasPhone(number)) throw new ApiError('extension_unavailable', `No phone of ${number} is registered.`)
    const row = Object.assign(newCallRow(clock.now(), 'outbound'), {
      ...{ state: 'dialing' as const, agentFirst: true as const, from: number, callerName: extension.name, extension: number },
      ...{ to: ringsAt(call) ?? number, timeoutSeconds: ringSeconds, takes: call.id },
    })
    const taking = await calls.begin(row, alongside)
    taking.note('state', `${number} is rung to take the call ${call.id}`)
    const { from, callerName } = call.shown
    const dial = { to: number, from, callerName, timeoutSeconds: ringSeconds, headers: answersByItself }
    const claim = trunks.phone()
    calls.dial(taking, claim.dial(dial, taking.over))
    // A caller who is gone, or talks with somebody else by now, needs no phone to ring.
    call.over.addEventListener('abort', () => taking.end({ reason: 'canceled', by: 'system' }, { sipCode: 487 }), { once: true })
    calls.drive(taking, async () => {
      if (!(await taking.taken)) return
      const has = await talks.pickup.takeCall(taking, () => (talks.pickup.isSought(call) ? call : undefined))
      if (!has) taking.end({ reason: 'canceled', by: 'system' })
    })
  }

  /**
   * Sends the call on: of one that talks the party of the house leaves, `own` (the phone of the person) where it takes part. Throws ApiError:
   * call_unknown, call_ended, not_now, number_invalid, destination_denied, extension_unavailable.
   */
  move(callId: string, to: string, own: string | null): void {
    const call = this.#find(callId)
    const talk = this.#options.talks.talkOf(call)
    const by = talk === null ? own : (talk.houseParty(own)?.extension ?? null)
    this.#send(call, own, this.#way(to, by))
  }

  /** The same to where `choose` says, which may refuse the call. Throws ApiError: call_unknown, call_ended, not_now. */
  sendTo(callId: string, own: string | null, choose: (call: Call) => Destination): void {
    const call = this.#find(callId)
    this.#send(call, own, { destination: choose(call) })
  }

  /** Hangs up. Throws ApiError: call_unknown, call_ended, not_now. */
  end(callId: string): void {
    this.#find(callId).end({ reason: 'api', by: 'system' })
  }

  /** What a person may do with the call now; nothing with one that does not live. */
  deedsOf(callId: string): CallDeed[] {
    const { calls, talks } = this.#options
    const call = calls.get(callId)
    if (call === undefined || hasEnded(call) || this.#isHelp(call)) return []
    const isSought = talks.pickup.isSought(call)
    const moves = isSought || (talks.talkOf(call)?.houseParty(null) ?? null) !== null
    return [...(isSought ? ['take' as const] : []), ...(moves ? ['move' as const] : []), 'end']
  }

  /** Throws ApiError: call_unknown, call_ended, not_now. */
  #find(callId: string): Call {
    const { calls, mustBeKnown } = this.#options
    const call = calls.get(callId)
    if (call === undefined) mustBeKnown(callId)
    if (call === undefined || hasEnded(call)) throw new ApiError('call_ended', 'This call has ended.')
    if (this.#isHelp(call)) throw new ApiError('not_now', 'A call for help is left to the phone that made it.')
    return call
  }

  #isHelp({ row }: Call): boolean {
    return row.extension !== '' && this.#options.isHelp(row.to)
  }

  #send(call: Call, own: string | null, way: Way): void {
    const { talks, destinations } = this.#options
    const talk = talks.talkOf(call)
    const dialler = way.dialler === undefined ? {} : { dialler: way.dialler }
    const isMoving = talks.pickup.move(call, (request) => {
      noteTransfer(call, destinationText(way.destination), 'blind')
      return destinations.take(call, way.destination, { ...request, ...dialler })
    })
    if (isMoving) return
    if (talk === null || talk.houseParty(own) === null)
      throw new ApiError('not_now', 'This call is with a machine or outside the house: it cannot be sent on now.')
    talk.sendOn(own, { ...way })
  }

  #way(to: string, by: string | null): Way {
    const { config, isHelp, talks } = this.#options
    const destination = parseDestination(to)
    if (destination !== undefined && written.includes(destination.kind)) {
      const missing = checkExists(destination, config)
      if (missing !== null) throw new ApiError('number_invalid', `There is no ${missing.what} ${missing.name.slice(0, 64)}.`)
      return { destination }
    }
    const way = by === null ? this.#wayOfNobody(to) : transferWay({ config, isHelp, places: talks.places }, this.#party(by), to)
    if ('sipCode' in way) throw new ApiError(way.sipCode === 404 ? 'number_invalid' : 'destination_denied', `${sentence(way.text)}.`)
    if (way.destination.kind === 'external') {
      const dialler = this.#diallerOf(by)!
      const plan = planOutside(config, way.destination.number, dialler)
      if ('refused' in plan) throw new ApiError(plan.sipCode === 484 ? 'number_invalid' : 'destination_denied', plan.refused)
      return { destination: way.destination, dialler }
    }
    if (way.destination.kind === 'extension') this.#mustBeThere(way.destination.number)
    return way
  }

  /** Who has no phone sends calls to the phones of the house. */
  #wayOfNobody(to: string): TransferWay {
    const { config, isHelp } = this.#options
    if (config.extensions.some(({ number }) => number === to)) return { destination: { kind: 'extension', number: to } }
    const outside = isHelp(to) || normaliseNumber(to, config.site.country).e164 !== null
    return outside
      ? { sipCode: 603, text: 'only a person with a phone may send a call to a number outside' }
      : { sipCode: 404, text: `${to} is not a valid destination` }
  }

  #party = (extension: string): Party => ({ number: extension, name: '', extension, trunkId: '' })

  #diallerOf(extension: string | null): Dialler | null {
    const found: ExtensionConfig | undefined = this.#options.config.extensions.find(({ number }) => number === extension)
    return found === undefined ? null : phoneDialler(found)
  }

  #mustBeThere(number: string): void {
    const { trunks, settings } = this.#options
    if (trunks.hasPhone(number) || settings.of(number).forwardAll !== null) return
    throw new ApiError(
      'extension_unavailable',
      `No phone of ${number} is registered. The mailbox is voicemail:${number}, where there is one.`,
    )
  }
}

function ringsAt({ row }: Call): string | undefined {
  return (row.legs ?? []).find(({ trunkId, endedAt }) => trunkId === '' && endedAt === null)?.to
}

const hasEnded = ({ isTerminal, ending }: Call): boolean => isTerminal || ending

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
