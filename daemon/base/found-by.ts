/** How people find a person: by a part of the name, whatever its accents, or by any part of the number. */

/** In small letters, without accents. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

const leastDigits = 3

/** Three digits and more, without a letter, are a part of a number; everything else is a part of a name. */
export function finds(q: string): (found: { readonly names: readonly string[]; readonly numbers: readonly string[] }) => boolean {
  const digits = digitsOf(q)
  if (digits.length >= leastDigits && !/\p{L}/u.test(q)) return ({ numbers }) => numbers.some((number) => digitsOf(number).includes(digits))
  const wanted = folded(q.trim())
  return ({ names }) => names.some((name) => folded(name).includes(wanted))
}
