/** Letters that were lost before a text came here: U+FFFD, or half of a pair of surrogates. They are kept as a question mark. */

const replacement = '\ufffd'
const lost = '?'

function withoutLost(text: string): string {
  return text.isWellFormed() && !text.includes(replacement) ? text : text.toWellFormed().replaceAll(replacement, lost)
}

/** The value with every text of it whole; `told` of the place (a JSON pointer) of each that was not. */
export function withoutLostIn<T>(value: T, told: (path: string) => void, path = ''): T {
  if (typeof value === 'string') {
    const whole = withoutLost(value)
    if (whole !== value) told(path)
    return whole as T
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown, at) => withoutLostIn(one, told, `${path}/${at}`)) as T
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutLostIn(one as unknown, told, `${path}/${name}`)])) as T
}
