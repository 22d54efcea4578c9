/**
 * What verbs can do in addition to playing to their call and taking input from it. Each ability is made here once for all calls, and bound
 * to the document that runs; nobody between here and the verb knows its name. A verb with a new ability is its file, a line in the table of
 * verbs, and an entry here.
 */
import { readFileSync } from 'node:fs'
import type { PlaySource } from '../../drivers/line.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import { noteTransfer } from '../calls/second-leg.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { AddressPolicy } from '../outbox/address.ts'
import type { Destinations } from '../routing/destinations.ts'
import type { Taken } from '../routing/taken.ts'
import type { Config } from '../schema/config.ts'
import { spokenSources } from '../speech/prompts.ts'
import type { Speaker } from '../speech/speaker.ts'
import type { Application } from './session-types.ts'
import type { FrameCheck } from './stream/messages.ts'
import { Streams, type FinishedStream, type StreamOrder } from './stream/streams.ts'

export interface AbilityOptions {
  readonly config: Pick<Config, 'voice'>
  /** Which addresses applications may name. */
  readonly policy: AddressPolicy
  readonly destinations: Pick<Destinations, 'send'>
  readonly calls: Pick<Calls, 'tellStatus'>
  readonly speaker: Speaker
  readonly clock: Clock
  readonly log: Log
  readonly userAgent: string
  /** As streams name the box. */
  readonly accountSid: string
  /** Of frames that servers of streams send. */
  readonly checkFrame: FrameCheck
}

/** One document as it runs. */
export interface DocumentRun {
  readonly call: Call
  readonly application: Application
  readonly language: string
  /** Aborted on hang-up, and when the document is replaced. */
  readonly signal: AbortSignal
  /** Aborted when the document is replaced while the caller is there. */
  readonly replaced: AbortSignal
}

export interface ConnectHow {
  readonly timeoutSeconds: number
  /** Spoken to who answers; '' for nothing. */
  readonly announce: string
  /** `stay`: the caller is still there when who answered has hung up. */
  readonly afterwards: 'end' | 'stay'
  /** In a queue the larger goes first. */
  readonly priority?: number
  /** To a number outside: whose number is shown, `caller` or `trunk`, and the only trunk. */
  readonly outside?: { readonly shows: string; readonly trunkId?: string }
}

export interface VerbAbilities {
  /** Takes the call to an internal destination and stays with it until that or the document ends. */
  connect(destination: string, how: ConnectHow): Promise<Taken>
  /** Opens a media stream of this call; resolves when it has ended. `statusUrl` receives its status events; '' for none. */
  stream(
    order: Omit<StreamOrder, 'call' | 'secret' | 'signal' | 'replaced' | 'status'> & { readonly statusUrl: string },
  ): Promise<FinishedStream>
}

export type BindAbilities = (run: DocumentRun) => VerbAbilities

const never = new AbortController().signal

export function createVerbAbilities(options: AbilityOptions): BindAbilities {
  const { config, policy, destinations, speaker, clock, log, userAgent, accountSid, checkFrame } = options
  const streams = new Streams({
    policy,
    clock,
    log,
    userAgent,
    accountSid,
    checkFrame,
    most: config.voice.streams,
    ...ownAuthority(config),
  })
  return (run) => ({
    connect(destination, { announce, outside, ...how }) {
      const { call, application, signal } = run
      const kind = outside === undefined ? 'route' : 'forward'
      if (!application.internal) noteTransfer(call, destination.replace(/^external:/, ''), kind)
      return destinations.send(call, destination, {
        ...how,
        signal,
        announce: announcement(speaker, run, announce),
        ...(outside === undefined ? {} : { dialler: { ...outside, phone: false, classOfService: application.classOfService } }),
      })
    },
    stream({ statusUrl, ...order }) {
      const { call, application, signal, replaced } = run
      const status: StreamOrder['status'] = (event) => {
        if (statusUrl !== '') options.calls.tellStatus(call, event, statusUrl)
      }
      // In the background it goes on when the document has ended.
      const lasts = order.background ? { signal: call.over, replaced: never } : { signal, replaced }
      return streams.run({ ...order, ...lasts, call, secret: application.secret, status })
    },
  })
}

/** Spoken to somebody else than the caller. */
function announcement(speaker: Speaker, { call, language, signal }: DocumentRun, text: string): Promise<PlaySource>[] {
  if (text === '') return []
  return spokenSources(speaker, { text, language, callId: call.id, signal })
}

function ownAuthority({ voice: { streamCaFile } }: AbilityOptions['config']): { authority?: string } {
  return streamCaFile === undefined ? {} : { authority: readFileSync(streamCaFile, 'utf8') }
}
