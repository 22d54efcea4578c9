/** Numbers in URIs (RFC 3966, RFC 3261 section 19.1.6), read by the rules by which the engine reads them (sip/number.h). */

const separators = /[\s().\-/]/g
/** RFC 3966 section 5.1.5: what becomes a whole number by its context; a code, an extension or an emergency number does not. */
const isWhole = (context: string, local: string): boolean => {
  const length = context.length + local.length
  return local.length >= 7 && (context.startsWith('+1') ? length === 12 : length <= 16)
}

/**
 * The number in a `tel:`, `sip:` or `sips:` URI, or in what such a URI holds before its host: without parameters, and behind its
 * `phone-context` where that makes a whole number of it. Any other text is returned as it is.
 */
export function numberOfUri(text: string): string {
  const uri = /^\s*(?:(tel|sips?):)?([^;@?:]*)(;[^@?]*|:[^@]*)?(?:[@?].*)?$/is.exec(text)
  if (uri === null || (uri[1] === undefined && !text.includes(';'))) return text
  const written = uri[2]!.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const number = written.replaceAll(separators, '')
  if (!/^(?=.*[\d*#])\+?[\d*#]+$/.test(number)) return text
  const context = /;\s*phone-context\s*=\s*"?([^;"]*)/i.exec(uri[3] ?? '')?.[1] ?? ''
  const area = context.replaceAll(/%2b/gi, '+').replaceAll(separators, '')
  return /^\+\d+$/.test(area) && /^\d+$/.test(number) && isWhole(area, number) ? area + number : number
}
