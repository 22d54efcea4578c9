/** The daily ceilings. */
import type { Ground } from '../core.ts'
import type { Part } from '../part.ts'
import { Ceilings } from './ceilings.ts'
import { limitRoutes } from './routes.ts'
import { ours, said } from '../base/for-log.ts'
import type { Log } from '../base/log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { LimitView } from '../schema/limits.ts'

/** Warnings about the daily ceilings: at half of one, and when it is reached. */
const words: Readonly<Record<LimitView['what'], string>> = {
  texts: 'parts of texts',
  faxes: 'faxes',
  callMinutes: 'call minutes',
  internationalMinutes: 'international call minutes',
}

/** Those of now whenever it is called; each is logged when it begins and when it gets worse. */
function ceilingWarnings(ceilings: Ceilings, log: Log): () => readonly CodedWarning[] {
  let before = new Map<string, CodedWarning>()
  return () => {
    ceilings.carry().catch((error: unknown) => log.error({ err: error }, 'the use of the day could not be stored'))
    const now = new Map<string, CodedWarning>()
    for (const { of, name, what, used, most } of ceilings.view()) {
      // A ceiling of nothing is reached by nobody's doing.
      if (most === 0 || used * 2 < most) continue
      const full = used >= most
      const code = `daily-${of === 'box' ? 'box' : `token-${name}`}-${what}`
      const text = said`Today ${ours(of === 'box' ? 'the box' : `the token ${name}`)} used ${used} of ${most} ${words[what]}${full ? ': nothing more is accepted' : ''}`
      const severity = full ? 'error' : 'warning'
      if (before.get(code)?.severity !== severity)
        log.warn({ of, token: name, limit: what, used, most }, 'a daily limit is half used or reached')
      now.set(code, { code, severity, text, fix: 'pbx limits' })
    }
    before = now
    return [...now.values()]
  }
}

export function ceilingsPart({ config, store, clock, log }: Ground): Part {
  const ceilings = new Ceilings({ config, store, clock })
  return { name: 'ceilings', routes: limitRoutes({ ceilings, store }), warnings: ceilingWarnings(ceilings, log) }
}
