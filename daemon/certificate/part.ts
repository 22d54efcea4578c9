/**
 * The certificate of the web port and of SIP over TLS while the daemon runs: another one is put to use without a restart, by whatever it was replaced,
 * and the box's own is renewed before its end and when an address changes. On an installed box root alone can sign: the daemon asks
 * pbxd-certificate.service by writing a file whose content nobody reads.
 */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repeated } from '../base/clock.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { Keeper } from './keeper.ts'
import { certificateRoutes } from './routes.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import { readCertificate } from './issue.ts'
import { boxNames } from './names.ts'
import { dayMs, missingIn, renewDays } from './state.ts'
import type { Config } from '../schema/config.ts'

// What a person should do about certificates.

/** A renewal that has not come so long after it was due does not come by itself. */
const lateDays = 5
const endsDays = 21

interface CertificateFacts {
  readonly config: Pick<Config, 'http' | 'sip' | 'provisioning'>
  readonly keeper: Pick<Keeper, 'state' | 'fault'>
  readonly now: number
}

function* certificateWarnings({ config, keeper, now }: CertificateFacts): Iterable<CodedWarning> {
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
    const when = days < 0 ? 'has ended' : `ends in ${days === 1 ? '1 day' : `${days} days`}`
    const fix = isBox ? 'sudo pbx certificate renew; journalctl -u pbxd-certificate' : `put another one in its place: it is taken at once`
    yield { code: `certificate-ends-${file}`, severity: days < 0 ? 'error' : 'warning', text: ours(`The certificate ${file} ${when}`), fix }
  }
}

export interface CertificatePart extends Part {
  /** Of the box's authority, in PEM; null where the certificate is not the box's own. */
  readonly authority: () => string | null
  /** The observer is called whenever files of certificates were replaced. It throws where it cannot use them. */
  onReplaced(reload: () => void): void
}

const times = { firstMs: 1000, everyMs: 10_000 }
/** pbxd-certificate.path waits for it. */
const dueFile = 'certificate-due'

export function certificatePart(core: Core): CertificatePart {
  const { config, configFile, clock, log } = core
  const reloads = new Set<() => void>()
  const reload = (): void => reloads.forEach((one) => one())
  const ask = (): void => writeFileSync(join(dirname(config.control.socket), dueFile), '')
  const keeper = configFile === null ? null : new Keeper({ config, configFile, clock, log, reload, ask })
  const looks = repeated(clock, times, async () => keeper?.look())
  const authority = (): string | null => keeper?.state?.authority?.toString() ?? null
  return {
    name: 'certificate',
    authority,
    onReplaced: (one) => void reloads.add(one),
    routes: certificateRoutes(authority),
    warnings: () => (keeper === null ? [] : certificateWarnings({ config, keeper, now: clock.now() })),
    start: () => looks.start(),
    stop: () => looks.stop(),
  }
}
