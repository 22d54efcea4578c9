/** What a person should do about certificates. */
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import { readCertificate } from './issue.ts'
import { boxNames } from './names.ts'
import type { Keeper } from './keeper.ts'
import { dayMs, missingIn, renewDays } from './state.ts'
import type { Config } from '../schema/config.ts'

/** A renewal that has not come so long after it was due does not come by itself. */
const lateDays = 5
const endsDays = 21

export interface CertificateFacts {
  readonly config: Pick<Config, 'http' | 'sip' | 'provisioning'>
  readonly keeper: Pick<Keeper, 'state' | 'fault'>
  readonly now: number
}

export function* certificateWarnings({ config, keeper, now }: CertificateFacts): Iterable<CodedWarning> {
  const { state, fault } = keeper
  const make = 'sudo pbx certificate make, then have people trust the new authority (docs/security.md)'
  if (fault !== '')
    yield { code: 'certificate', severity: 'warning', text: said`The certificate is as it was: ${fault}`, fix: 'pbx certificate' }
  if (state?.maker === 'old') {
    const text = 'The certificate of the web port could vouch for any site: nobody should trust it, and Apple devices refuse it'
    yield { code: 'certificate-old', severity: 'warning', text, fix: make }
  }
  if (state?.maker === 'box') {
    const lacking = missingIn(state.leaf, boxNames(config))
    const text = said`The certificate of the box is not for ${ours(lacking.join(', '))}: its authority was made without it`
    if (lacking.length > 0) yield { code: 'certificate-names', severity: 'notice', text, fix: make }
  }
  const files = new Set([config.http.tls?.cert, config.sip.tls?.cert].flatMap((file) => file ?? []))
  for (const file of files) {
    const until = Date.parse(readCertificate(file)?.validTo ?? '')
    const isBox = state?.maker === 'box' && file === config.http.tls?.cert
    const days = Math.floor((until - now) / dayMs)
    if (Number.isNaN(until) || days > (isBox ? renewDays - lateDays : endsDays)) continue
    const when = days < 0 ? 'has ended' : `ends in ${days} days`
    const fix = isBox ? 'sudo pbx certificate renew; journalctl -u pbxd-certificate' : `put another one in its place: it is taken at once`
    yield { code: `certificate-ends-${file}`, severity: days < 0 ? 'error' : 'warning', text: ours(`The certificate ${file} ${when}`), fix }
  }
}
