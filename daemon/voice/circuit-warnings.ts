/** Applications that are not asked at the moment. */
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { Config } from '../schema/config.ts'

export function circuitWarnings(config: Config, circuits: readonly { readonly endpoint: string }[]): CodedWarning[] {
  return circuits.map(({ endpoint }) => {
    const url = config.voice.endpoints.find(({ id }) => id === endpoint)?.controlUrl
    return {
      code: `circuit ${endpoint}`,
      severity: 'error',
      text: said`The application ${ours(endpoint)}${url === undefined ? '' : ` (${url})`} does not answer: its calls go to the fallback`,
      fix: 'pbx calls --all, then pbx trace CALL',
    }
  })
}
