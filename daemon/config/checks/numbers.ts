/** The section `numbers`: patterns that say something, in the list where they mean it. */
import { kindOf } from '../../numbers/number-kind.ts'
import { parseNumberPattern, type NumberPattern } from '../../numbers/reach.ts'
import { isEmergencyNumber } from '../../numbers/numbers.ts'
import type { Config } from '../../schema/config.ts'
import type { MeaningContext, SectionCheck } from './context.ts'
import type { Path } from '../source.ts'

/** A shorter beginning in `allow` opens a whole country or more, with its premium-rate numbers. */
const shortestAllowed = 4

function checkNumbers({ numbers, site }: Config, context: MeaningContext): void {
  const each = (list: keyof Config['numbers'], forms: string, check: (pattern: NumberPattern, path: Path, text: string) => void): void =>
    numbers[list].forEach((text, index) => {
      const path = ['numbers', list, index]
      const pattern = parseNumberPattern(text, site.country)
      if (pattern === undefined) context.fault(path, `"${text}" is not a number or a pattern; write ${forms}`)
      else check(pattern, path, text)
    })
  each('international', 'a country such as GB, a beginning such as +4930*, or a number such as +442079460000', (pattern, path, text) => {
    if (pattern.kind === 'country' && pattern.country === site.country) {
      context.warning(path, `${text} is the country of the site: its numbers are permitted anyway`)
    }
    if (pattern.kind === 'beginning' && pattern.digits === '+1') {
      context.warning(path, 'this permits all countries of +1, including expensive ones; name the countries instead, such as CA')
    }
    if (pattern.kind !== 'number') return
    const kind = pattern.dial.startsWith('+') ? kindOf(pattern.dial, site.country).kind : 'service'
    if (kind !== 'ordinary') context.fault(path, `"${text}" is not an ordinary number of another country; write it in numbers.allow`)
  })
  each(
    'allow',
    'a number such as +19005551234, a beginning such as +44300*, a short number, or a code such as *67',
    (pattern, path, text) => {
      if (pattern.kind === 'country') {
        context.fault(
          path,
          `write a country in numbers.international: ["${pattern.country}"]; here it would permit its premium-rate numbers`,
        )
      }
      if (pattern.kind === 'beginning' && pattern.digits.length - 1 < shortestAllowed) {
        context.warning(path, `"${text}" permits premium-rate numbers too; write more digits, or the country in numbers.international`)
      }
      if (pattern.kind === 'number' && isEmergencyNumber(pattern.dial, site.country)) {
        context.fault(path, `${text} is an emergency number: programs never call it`)
      }
    },
  )
  each('deny', 'a number such as +15551234567, a beginning such as +1555*, a short number, or a country such as CA', () => undefined)
}

export const checks: readonly SectionCheck[] = [[['numbers', 'site'], checkNumbers]]
