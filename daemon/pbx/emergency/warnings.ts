/** What a person must know of calls for help: those of the last day, and that none can be placed. */
import { ours, said } from '../../base/for-log.ts'
import type { CodedWarning } from '../../base/health.ts'
import type { Config } from '../../schema/config.ts'
import type { Emergency } from './emergency.ts'

export function* helpWarnings(config: Config, help: Emergency, fault: (trunkId: string) => string | null): Iterable<CodedWarning> {
  const sought = help.sought()
  const last = sought.at(-1)
  if (last !== undefined) {
    const lost = sought.filter((call) => call.lost)
    const name = config.extensions.find(({ number }) => number === last.extension)?.name ?? ''
    const who = ours([last.extension, name, last.location].filter((text) => text !== '').join(', '))
    yield {
      code: 'emergency-call',
      severity: 'error',
      text:
        lost.length > 0
          ? said`AN EMERGENCY CALL COULD NOT BE PUT THROUGH: ${lost.length} of ${sought.length} in the last day; the last emergency call came from ${who}`
          : said`An emergency number was called ${sought.length} times in the last day, the last time from ${who}`,
      fix: 'pbx calls --all, pbx trace CALLID',
    }
  }
  if (config.extensions.length === 0) return
  const ways = help.trunks()
  if (ways.length > 0 && ways.some((trunkId) => fault(trunkId) === null)) return
  yield {
    code: 'no-emergency-route',
    severity: 'error',
    text: `EMERGENCY NUMBERS CANNOT BE DIALLED: ${ways.length === 0 ? 'there is no trunk' : 'no trunk is up'}`,
    fix:
      (ways.length === 0 ? 'pbx setup, or trunks and lines of the configuration' : 'pbx doctor says what to do about each trunk') +
      '; keep another telephone for emergency calls, and put up a note at the phones',
  }
}
