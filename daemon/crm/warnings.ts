/** What a person should know of the CRM and of the directory. */
import type { CodedWarning } from '../base/health.ts'
import type { Config } from '../schema/config.ts'
import { misfitWords, type Misfits } from './client/misfits.ts'
import { mostOfNumber } from './directory.ts'
import type { NumberSurvey } from './number-survey.ts'
import type { CrmStatus } from './status.ts'

export function* crowdedOf({ seen: { crowded } }: NumberSurvey): Iterable<CodedWarning> {
  if (crowded.length === 0) return
  const numbers = crowded.map((number) => number.replace('~', '...')).join(', ')
  yield {
    code: 'crowded-number',
    severity: 'warning',
    text: `More than ${mostOfNumber} customers have the number ${numbers}, so it identifies no caller and no name is shown for it`,
    fix: 'it is probably a placeholder: remove it from the customers in the CRM, or from the imported list',
  }
}

/** What is not as agreed is shown for a day. */
const misfitShownMs = 24 * 3_600_000

export function* misfitsOf({ last, total }: Misfits, now: number): Iterable<CodedWarning> {
  if (last === null || now - Date.parse(last.at) > misfitShownMs) return
  yield {
    code: 'crm-misfit',
    severity: 'warning',
    text: `${total} values in answers of the CRM were ignored; the last one: ${misfitWords(last)}`,
    fix: 'see docs/crm-requests.md; pbx crm check tests every answer',
  }
}

/** From then on a CRM takes no signature of ours. */
const mostSkewMs = 300_000

export function* warningsOf(config: Config, status: CrmStatus, lockedOut: string | null): Iterable<CodedWarning> {
  const { state, crm, queue } = status.view()
  if (config.crm.tls.insecure)
    yield {
      code: 'crm-insecure',
      severity: 'warning',
      text: 'The certificate of the CRM is not checked',
      fix: 'use crm.tls.ca instead of crm.tls.insecure',
    }
  if (state === 'degraded' && crm.circuit !== 'closed')
    yield {
      code: 'crm-away',
      severity: 'warning',
      text: `The CRM does not answer: ${crm.lastError ?? 'no answer'}`,
      fix: 'names come from the directory of the box meanwhile; see pbx crm status',
    }
  if (lockedOut !== null && crm.circuit === 'closed') {
    const skewed = Math.abs(crm.clockSkewMs ?? 0) > mostSkewMs
    yield {
      code: 'crm-refuses',
      severity: 'warning',
      text: `The CRM refuses the box: ${lockedOut}${skewed ? `, and its clock is ${Math.round((crm.clockSkewMs ?? 0) / 1000)} s from ours` : ''}`,
      fix: skewed
        ? 'set the clock of the CRM, or of this box'
        : 'compare crm.secret and crm.token with those of the CRM; pbx crm check tests them',
    }
  }
  if (queue.dead > 0)
    yield {
      code: 'crm-dead',
      severity: 'warning',
      text: `${queue.dead} calls were given up because the CRM did not accept them`,
      fix: 'see pbx crm queue --dead; pbx crm retry --dead sends them again',
    }
}
