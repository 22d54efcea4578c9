/**
 * What is the matter with the box at a moment: its warnings, its parts and its lines as one list, in which each fault is there once.
 * Pure.
 */
import type { LineStatus } from '../../drivers/line.ts'
import { ours, said, type Ours } from '../base/for-log.ts'
import type { DeclaredWarning, PartReport, Severity } from '../base/health.ts'
import type { BoxEventKind } from '../schema/states.ts'

export interface Condition {
  readonly kind: BoxEventKind
  /** Which it is, among all. */
  readonly code: string
  readonly severity: Severity
  readonly text: string | Ours
  readonly fix: string
  /** Milliseconds since the epoch. */
  readonly since: number
}

export interface Seen {
  readonly warnings: readonly DeclaredWarning[]
  readonly parts: readonly PartReport[]
  readonly lines: readonly LineStatus[]
  readonly now: number
}

/** Parts that are not well because their lines are not. */
const ofLines: readonly string[] = ['trunks', 'modems', 'sms']
/** Of no use to a later reader. */
const nextTry = /; tried again in \d+ (s|min)$/
/** What is under way is no fault of the box. */
const passing: readonly string[] = ['stopping']

export function conditionsOf({ warnings, parts, lines, now }: Seen): Condition[] {
  const warned = warnings.map((warning): Condition => {
    return { ...warning, text: ours(warning.text.replace(nextTry, '')) }
  })
  const has = (code: string): boolean => warned.some((condition) => condition.code === code)
  const isTold = (name: string): boolean => has(name) || (ofLines.includes(name) && warned.some(({ kind }) => kind === 'line'))
  const downParts = parts
    .filter(({ ok, name }) => !ok && !passing.includes(name) && !isTold(name))
    .map(({ name, detail, required }): Condition => {
      return {
        kind: 'part',
        code: `part-${name}`,
        severity: required ? 'error' : 'warning',
        text: ours(`${name} has a fault: ${detail}`),
        fix: 'pbx doctor',
        since: now,
      }
    })
  const downLines = lines
    .filter(({ ok, id }) => !ok && !has(`line-${id}`))
    .map(({ id, kind, state, reason, since }): Condition => {
      const phone = kind === 'extension'
      return {
        kind: 'line',
        code: `${phone ? 'phone' : 'line'}-${id}`,
        // A phone that is switched off is nobody's fault.
        severity: phone ? 'notice' : 'error',
        text: said`${ours(phone ? 'Phone' : 'Line')} ${ours(id)}: ${reason === '' ? state : reason}`,
        fix: phone ? 'check the phone: power, network, password' : 'pbx doctor',
        since: Date.parse(since),
      }
    })
  return [...warned, ...downParts, ...downLines]
}
