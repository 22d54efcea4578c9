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
import { certificateWarnings } from './warnings.ts'

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
