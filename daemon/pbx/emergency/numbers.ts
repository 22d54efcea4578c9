/** Which numbers call for help: those of the country, those everywhere, and those of the configuration, also behind the habitual prefix. */
import { emergencyNumbers } from '../../numbers.ts'
import type { Config } from '../../schema/config.ts'

type Numbering = Pick<Config, 'site' | 'emergency'>

/** null where what was dialled is none. */
export function emergencyNumberIn({ site, emergency }: Numbering, dialled: string): string | null {
  const numbers = [...emergencyNumbers(site.country), ...emergency.numbers]
  const digits = dialled.replaceAll(/[\s().\-/]/g, '')
  const { outsidePrefix = '' } = site
  return numbers.find((number) => digits === number || digits === outsidePrefix + number) ?? null
}

/** All that a phone may dial to call for help. */
export function emergencyDialled({ site, emergency }: Numbering): string[] {
  const numbers = [...emergencyNumbers(site.country), ...emergency.numbers]
  const { outsidePrefix = '' } = site
  return [...new Set(numbers.flatMap((number) => [number, outsidePrefix + number]))]
}
