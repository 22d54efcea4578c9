/** Feature codes: no two are dialled alike. */
import { featureNames } from '../../schema/config/pbx-codes.ts'
import type { Config } from '../../schema/config.ts'
import type { MeaningContext } from '../meaning.ts'

export function checkCodes({ featureCodes }: Config, { fault }: MeaningContext): void {
  for (const [index, name] of featureNames.entries()) {
    const code = featureCodes[name]
    const other = featureNames.slice(0, index).find((before) => featureCodes[before] === code)
    if (code !== false && other !== undefined)
      fault(['featureCodes', name], `"${code}" is the code of ${other} already; write another one, or false`)
  }
}
