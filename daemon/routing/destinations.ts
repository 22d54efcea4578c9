/**
 * Where a call can be taken: one table of the kinds of destinations, for the configuration that names them, for the dial plan, for
 * verbs, fallbacks and menus. A new kind is a line here, unless it is that of a number of the house; the part that takes its calls enters
 * itself (`Takers`).
 */
import type { InboundCall, PlaySource } from '../../drivers/line.ts'
import { Registry } from '../base/registry.ts'
import type { Call } from '../calls/call.ts'
import { mailboxNumbers, type Config, type ExtensionConfig } from '../schema/config.ts'
import { siteOf } from '../schema/config/sites.ts'
import { destinationText, parseDestination, type Destination } from '../schema/destination.ts'
import { houseKinds } from '../schema/house-kinds.ts'
import type { HouseKind } from '../schema/house-numbers.ts'
import type { Outcome, Taken } from './taken.ts'

export interface TakeRequest {
  /** Aborted when the call has ended, or is to go elsewhere: ringing phones are released. */
  readonly signal: AbortSignal
  /** How long it may ring; 30 s where it is left out. */
  readonly timeoutSeconds?: number
  /** Played to who answers before the two hear each other, in this order. A part that cannot be made is left out. */
  readonly announce?: readonly Promise<PlaySource>[]
  /** `stay`: the caller is still there when who answered has hung up. By default the call ends then. */
  readonly afterwards?: 'end' | 'stay'
  /** In a queue the larger goes first; 0 where it is left out. */
  readonly priority?: number
  /** Who wants a number outside; by default who called, or the administrator who wrote the destination down. */
  readonly dialler?: Dialler
  /** The destinations that have sent the call on to this one, since a person decided anything. */
  readonly via?: readonly string[]
  /** Why the last called party has not taken it. */
  readonly after?: Outcome
  /** The extension that has sent the call on, and has left it. */
  readonly sentBy?: string
  /** Of a call that has just come in; absent for one that somebody in the house sends on. */
  readonly arrival?: Arrival
}

export interface Dialler {
  readonly classOfService: ExtensionConfig['class']
  /** A desk phone, which needs a rule of `outbound`. */
  readonly phone: boolean
  /** Whose number the far end sees: the trunk's own, the caller's, or this one. */
  readonly shows: string
  /** Only this trunk. */
  readonly trunkId?: string
}

export interface Arrival {
  readonly info: InboundCall
  /** A fax machine may call this number too. */
  readonly faxes: boolean
}

/** Nobody means a call to be sent on more often without a person's doing. */
const mostHops = 10

type Kind = Destination['kind']
type Of<K extends Kind> = Extract<Destination, { kind: K }>

/** Takes calls to destinations of one kind; resolves when it has no part in the call any more. */
export type Take<K extends Kind> = (call: Call, destination: Of<K>, request: TakeRequest) => Promise<Taken>

/** Who takes calls, by the kind of the destination: parts of the daemon enter themselves. */
export type Takers = { readonly [K in Kind]: Take<K> }

/** A name that the configuration does not have. */
export interface Missing {
  /** Such as `ring group`. */
  readonly what: string
  readonly name: string
  readonly known: readonly string[]
}

interface DestinationKind<K extends Kind> {
  /** null: it exists. */
  check(destination: Of<K>, config: Config): Missing | null
  /** Whether a call that is under way can be sent there, by a verb or as a fallback; others are for calls that come in. */
  readonly sendOn: boolean
  /** What answers by itself, unless it refuses at once, as a full box does. */
  readonly machine: boolean
  /** Whether faxes are received there: always, where the rule does not say `fax: off`, or never. */
  readonly faxes: 'always' | 'by-rule' | 'never'
}

function missing(what: string, name: string, known: readonly string[]): Missing | null {
  return known.includes(name) ? null : { what, name, known }
}

const extensionsOf = (config: Config): string[] => config.extensions.map(({ number }) => number)

/** What is reached by a number of the house, except for an extension. */
const ofTheHouse: DestinationKind<HouseKind> = { check: () => null, sendOn: true, machine: true, faxes: 'never' }

const destinationKinds: { readonly [K in Kind]: DestinationKind<K> } = {
  ...(Object.fromEntries(Object.keys(houseKinds).map((kind) => [kind, ofTheHouse])) as { [K in HouseKind]: DestinationKind<K> }),
  endpoint: {
    check: ({ id }, config) =>
      missing(
        'voice endpoint',
        id,
        config.voice.endpoints.map((endpoint) => endpoint.id),
      ),
    sendOn: false,
    machine: false,
    faxes: 'by-rule',
  },
  extension: {
    check: ({ number }, config) => (siteOf(config, number) === undefined ? missing('extension', number, extensionsOf(config)) : null),
    sendOn: true,
    machine: false,
    faxes: 'never',
  },
  external: {
    check: () => null,
    sendOn: true,
    machine: false,
    faxes: 'never',
  },
  remote: { check: () => null, sendOn: true, machine: false, faxes: 'never' },
  fax: { check: () => null, sendOn: false, machine: false, faxes: 'always' },
  hangup: { check: () => null, sendOn: false, machine: false, faxes: 'never' },
  group: {
    check: ({ id }, config) =>
      missing(
        'ring group',
        id,
        config.ringGroups.map((group) => group.id),
      ),
    sendOn: true,
    machine: false,
    faxes: 'never',
  },
  queue: {
    check: ({ id }, config) =>
      missing(
        'queue',
        id,
        config.queues.map((queue) => queue.id),
      ),
    sendOn: true,
    machine: false,
    faxes: 'never',
  },
  menu: {
    check: ({ id }, config) =>
      missing(
        'menu',
        id,
        config.menus.map((menu) => menu.id),
      ),
    sendOn: true,
    machine: true,
    faxes: 'by-rule',
  },
  hours: {
    check: ({ id }, config) =>
      missing(
        'hours',
        id,
        config.hours.map((hours) => hours.id),
      ),
    sendOn: true,
    machine: false,
    faxes: 'by-rule',
  },
  voicemail: {
    check: ({ extension }, config) => missing('mailbox', extension, mailboxNumbers(config)),
    sendOn: true,
    machine: true,
    faxes: 'by-rule',
  },
}

function kindOf<K extends Kind>(destination: Of<K>): DestinationKind<K> {
  return destinationKinds[destination.kind as K]
}

/** null where what the destination names exists. */
export function checkExists(destination: Destination, config: Config): Missing | null {
  return kindOf(destination).check(destination, config)
}

/** Whether a call that is under way can be sent to a destination as it is written in the configuration. */
export function canSendOn(text: string): boolean {
  const destination = parseDestination(text)
  return destination !== undefined && kindOf(destination).sendOn
}

/** Whether a machine answers at a destination as it is written. */
export function isMachine(text: string): boolean {
  const destination = parseDestination(text)
  return destination !== undefined && kindOf(destination).machine
}

/** Whether faxes are received at a destination as it is written. `byRule`: the rule that leads there does not say `fax: off`. */
export function receivesFaxes(text: string, byRule: boolean): boolean {
  const destination = parseDestination(text)
  const { faxes } = destination === undefined ? { faxes: 'never' } : kindOf(destination)
  return faxes === 'always' || (faxes === 'by-rule' && byRule)
}

export class Destinations {
  readonly takers = new Registry<Takers>('taker of the destination', Object.keys(destinationKinds) as Kind[])

  constructor() {
    this.takers.add('hangup', async (call) => declined(call))
  }

  /** Takes the call there and stays with it until that has no part in it any more. */
  async take<K extends Kind>(call: Call, destination: Of<K>, request: TakeRequest): Promise<Taken> {
    if (request.arrival === undefined && !kindOf(destination).sendOn) return notFurther(call, destination)
    const via = request.via ?? []
    if (via.length > mostHops) return inCircles(call, via)
    const text = destinationText(destination)
    const left = call.step(text)
    const take: Take<K> = this.takers.get(destination.kind as K)
    const taken = await take(call, destination, { ...request, via: [...via, text] })
    left(taken.outcome)
    return taken
  }

  /** The same of a call that is under way, to a destination as it is written. */
  async send(call: Call, text: string, request: TakeRequest): Promise<Taken> {
    const destination = parseDestination(text)
    if (destination === undefined) return { outcome: 'failed', sipCode: 0, text: `${text} is not a destination` }
    return this.take(call, destination, request)
  }
}

function inCircles(call: Call, via: readonly string[]): Taken {
  const text = `forwarded ${mostHops} times: ${via.join(' -> ')}`
  call.note('error', text)
  return { outcome: 'failed', sipCode: 480, text }
}

function notFurther(call: Call, { kind }: Destination): Taken {
  const text = `a call cannot be forwarded to a destination of the kind ${kind}`
  call.note('error', text)
  return { outcome: 'failed', sipCode: 480, text }
}

function declined(call: Call): Taken {
  call.end({ reason: 'rejected', by: 'system' }, { sipCode: 603 })
  return { outcome: 'refused', sipCode: 603, text: 'declined by a rule' }
}
