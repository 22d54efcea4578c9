/** Why a modem of class 2 ended the call: its +FHNG or +FHS, put into the terms of all fax lines. Pure. */
import type { FaxDialResult } from '../../fax.ts'

export interface HangUp {
  /** spandsp's T30_ERR_...: 0 is a proper end. */
  readonly code: number
  readonly text: string
  readonly dial: FaxDialResult
}

type Row = readonly [from: number, to: number, code: number, dial: FaxDialResult, text: string]

/** Numbers of SP-2388-A, decimal. The newer classes write them in hexadecimal digits, which say the same but from A0 on. */
const rows: readonly Row[] = [
  [0, 0, 0, 'connected', 'OK'],
  [1, 1, 2, 'not-a-fax', 'A ring was heard, but no fax machine'],
  [2, 2, 7, 'canceled', 'The fax was stopped'],
  [3, 3, 49, 'no-dialtone', 'There is no loop current on the line: is the cable plugged in?'],
  [4, 4, 49, 'no-answer', 'Nobody answered'],
  [5, 5, 2, 'not-a-fax', 'The call was answered, but no fax machine was heard'],
  [10, 11, 2, 'not-a-fax', 'The call was answered, but no fax machine was heard'],
  [21, 21, 9, 'connected', 'The far end can neither receive nor send'],
  [24, 24, 17, 'connected', 'The far end hung up before the first page'],
  [27, 27, 6, 'connected', 'Training failed even at 2400 bit/s'],
  [28, 28, 18, 'connected', 'The far end gave an answer that was not expected'],
  [20, 39, 20, 'connected', 'The far end stopped answering before the first page'],
  [40, 49, 49, 'connected', 'The page could not be sent to its end'],
  [53, 53, 18, 'connected', 'The far end gave an answer that was not expected after a page'],
  [55, 55, 18, 'connected', 'The far end gave an answer that was not expected after a page'],
  [57, 57, 18, 'connected', 'The far end gave an answer that was not expected after a page'],
  [50, 59, 21, 'connected', 'The far end gave no answer after a page'],
  [70, 79, 34, 'connected', 'The far end stopped before its first page'],
  [91, 91, 27, 'connected', 'No line of the page arrived for five seconds'],
  [90, 99, 26, 'connected', 'The carrier was lost within a page'],
  [100, 109, 30, 'connected', 'The far end stopped answering after a page'],
]

/** Before the final standard (chips of 1989): the table is shorter by some. */
const early: readonly Row[] = [
  ...rows.filter(([from]) => from < 20),
  [33, 33, 20, 'connected', 'The far end stopped answering before the first page'],
  [43, 43, 6, 'connected', 'Training failed'],
  [40, 49, 20, 'connected', 'The far end stopped answering before the first page'],
  [50, 54, 49, 'connected', 'The page could not be sent to its end'],
  [60, 64, 21, 'connected', 'The far end gave no answer after a page'],
  [70, 73, 34, 'connected', 'The far end stopped while it sent'],
]

/** `said` as the modem writes it, with its zeros: `0`, `00`, `A2`. */
export function hangUpOf(said: string, chips: 'standard' | 'early' = 'standard'): HangUp {
  const digits = said.trim().toUpperCase()
  const number = /^A[0-9A-F]$/.test(digits) ? 100 + parseInt(digits.slice(1), 16) : /^\d{1,3}$/.test(digits) ? Number(digits) : -1
  const row = (chips === 'early' ? early : rows).find(([from, to]) => number >= from && number <= to)
  if (row === undefined) return { code: 49, text: `The modem ended the call (its code ${digits.slice(0, 8)})`, dial: 'connected' }
  const [, , code, dial, text] = row
  return { code, dial, text: code === 0 ? text : `${text} (the modem's code ${digits})` }
}
