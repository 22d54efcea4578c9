/** What a call over a modem of class 2 asks of the world, one thing at a time, and the answers it gets. */
import type { FaxLineResult, FaxProgress } from '../../fax.ts'
import type { ResultCode } from '../results.ts'

export type PageCoding = 'mh' | 'mr' | 'mmr'

export type Effect =
  /** Says it and waits for the result; with `rings` a call that comes in ends the waiting. */
  | { readonly do: 'command'; readonly text: string; readonly ms: number; readonly rings?: true }
  /** Waits for a result that no command asks for. */
  | { readonly do: 'result'; readonly ms: number }
  /** Waits until the modem asks for data, behind CONNECT. */
  | { readonly do: 'xon'; readonly ms: number }
  /** Page data with their end, DLE doubled; `cancel` in place of the rest when the call is stopped. */
  | { readonly do: 'send'; readonly bytes: Uint8Array; readonly cancel: string }
  /** Says `start` and takes page data up to DLE ETX; longer than `most` bytes is no page. */
  | { readonly do: 'receive'; readonly start: number; readonly silentMs: number; readonly most: number }
  /** The page of this number (from 0) as T.4 data. */
  | { readonly do: 'encode'; readonly page: number; readonly fine: boolean }
  | { readonly do: 'read'; readonly data: Uint8Array; readonly coding: PageCoding; readonly fine: boolean; readonly reversed: boolean }
  /** Puts the page that was read last into the file. */
  | { readonly do: 'keep' }
  | { readonly do: 'progress'; readonly progress: FaxProgress }
  | { readonly do: 'frame'; readonly received: boolean; readonly name: string }

export type ReplyCode = ResultCode | 'timeout' | 'closed' | 'ring'

/** `stopped`: somebody wants the call to end. */
export type Answer = { readonly stopped: boolean } & (
  | { readonly of: 'reply'; readonly code: ReplyCode; readonly text: string; readonly lines: readonly string[]; readonly seconds: number }
  | { readonly of: 'sent'; readonly how: 'done' | 'stuck' | 'closed' }
  | { readonly of: 'page'; readonly data: Uint8Array; readonly how: 'whole' | 'silent' | 'too-long' | 'closed' }
  /** Code 0, or spandsp's. */
  | { readonly of: 'encoded'; readonly code: number; readonly data: Uint8Array }
  | { readonly of: 'look'; readonly rows: number; readonly badRows: number }
  | { readonly of: 'kept'; readonly kept: boolean }
  | { readonly of: 'nothing' }
)

export type AnswerOf<K extends Answer['of']> = Extract<Answer, { of: K }>

/** A call as a state machine: it yields what it wants done and is resumed with the answer. Deterministic, knows no clock. */
export type Class2Call = Generator<Effect, FaxLineResult, Answer>
export type Step<T> = Generator<Effect, T, Answer>

/** Answers of the wrong kind end the call as a fault: they do not happen with a runner that keeps the contract. */
export function* ask<K extends Answer['of']>(effect: Effect, kind: K): Step<AnswerOf<K>> {
  const answer = yield effect
  if (answer.of !== kind) throw new Error(`${effect.do} was answered by ${answer.of}`)
  return answer as AnswerOf<K>
}
