/** Which feature code was dialled, and the number behind it. Pure. */
import type { DialledCode } from '../../routing/desks.ts'
import { featureCatalogue, featureNames, type FeatureCodesConfig, type FeatureName } from '../../schema/config/pbx-codes.ts'

export interface DialledFeature extends DialledCode {
  readonly name: FeatureName
}

/** Of codes that begin alike the longest one that fits; a `#` at the end says that the number is complete. */
export function featureIn(codes: FeatureCodesConfig, dialled: string): DialledFeature | null {
  const text = dialled.replaceAll(/[\s().\-/]/g, '')
  const fitting = featureNames.flatMap((name): { name: FeatureName; code: string; argument: string }[] => {
    const code = codes[name]
    if (code === false || !text.startsWith(code)) return []
    const argument = text.slice(code.length).replace(/#$/, '')
    const fits = featureCatalogue[name].argument === 'none' ? text === code : /^\+?\d*$/.test(argument)
    return fits ? [{ name, code, argument }] : []
  })
  const longest = fitting.toSorted((a, b) => b.code.length - a.code.length)[0]
  return longest === undefined ? null : { name: longest.name, argument: longest.argument }
}
