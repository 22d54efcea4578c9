/** Warnings about the daily ceilings: at half of one, and when it is reached. */
import type { Ceilings, CeilingView } from './ceilings/ceilings.ts'
import type { Health } from './health.ts'
import type { Log } from './log.ts'

const words: Readonly<Record<CeilingView['what'], string>> = {
  texts: 'parts of texts',
  faxes: 'faxes',
  callMinutes: 'call minutes',
  internationalMinutes: 'international call minutes',
}

/** Brings the warnings up to date when it is called; each is logged when it begins and when it gets worse. */
export function ceilingWarnings(ceilings: Ceilings, health: Health, log: Log): () => void {
  let raised = new Map<string, string>()
  return () => {
    ceilings.carry().catch((error: unknown) => log.error({ err: error }, 'the use of the day could not be stored'))
    const now = new Map<string, string>()
    for (const { of, name, what, used, most } of ceilings.view()) {
      // A ceiling of nothing is reached by nobody's doing.
      if (most === 0 || used * 2 < most) continue
      const full = used >= most
      const code = `daily-${of === 'box' ? 'box' : `token-${name}`}-${what}`
      const text = `Today ${of === 'box' ? 'the box' : `the token ${name}`} used ${used} of ${most} ${words[what]}${full ? ': nothing more is accepted' : ''}`
      health.warn(code, { severity: full ? 'error' : 'warning', text, fix: 'pbx limits' })
      now.set(code, full ? 'full' : 'half')
      if (raised.get(code) !== now.get(code))
        log.warn({ of, token: name, limit: what, used, most }, 'a daily limit is half used or reached')
    }
    for (const code of raised.keys()) if (!now.has(code)) health.clear(code)
    raised = now
  }
}
