/** The modem lines that are for voice, as lines for calls. */
import { lineDigits } from '../fax/line-dialling.ts'
import type { ServedLines, Via } from '../routing/lines.ts'
import type { Config } from '../schema/config.ts'
import { statusOf, type Modem } from './modem.ts'

export function voiceLines(config: Config, modems: readonly Modem[]): ServedLines {
  const voiced = modems.filter(({ config: { roles } }) => roles.includes('voice'))
  const find = (via: Via): Modem | undefined => voiced.find(({ line }) => via.kind === 'trunk' && line.id === via.trunkId)
  return {
    serves: (via) => find(via) !== undefined,
    driver: {
      isUp: voiced.length > 0,
      lines: () => voiced.map(({ line }) => statusOf(line)),
      dial: ({ via, to, timeoutSeconds }) => {
        const { line, config: own } = find(via)!
        return line.placeCall(lineDigits(to, config.site.country, own.dial), timeoutSeconds)
      },
    },
  }
}
