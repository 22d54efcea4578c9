/** Calls by which a phone wants to take another call's place (Replaces, RFC 3891). */
import type { InboundCall, Leg } from '../line.ts'
import type { PbxLeg, ReplacedCall } from '../pbx.ts'
import { text, whole } from './reading.ts'

type Take = (call: InboundCall, replaced: ReplacedCall) => void

export class ReplacingCalls {
  #take: Take | null = null

  /** As of `PbxLines`. */
  onReplacing(take: Take): void {
    if (this.#take !== null) throw new Error('somebody takes the calls that replace others already')
    this.#take = take
  }

  /** `replaces`: of the engine's message. */
  hand(call: InboundCall, replaces: object, legs: ReadonlyMap<number, Leg & PbxLeg>): void {
    if (this.#take === null) return call.leg.reject(603)
    const { leg, callId, toTag, fromTag, early } = replaces as Record<string, unknown>
    const replaced = legs.get(whole(leg)) ?? null
    this.#take(call, { leg: replaced, callId: text(callId), toTag: text(toTag), fromTag: text(fromTag), early: early === true })
  }
}
