/**
 * How a text is split (3GPP TS 23.038 and 23.040): the default alphabet with its extension table, 160 characters or 153 a
 * part, otherwise UCS-2, 70 or 67 a part. A character that takes two places is never cut.
 */
import type { SmsEncoding } from '../../drivers/sms.ts'

export const mostSegments = 10

export interface SplitText {
  /** As it is sent: with `smart` it may differ from what was given. */
  readonly body: string
  readonly encoding: SmsEncoding
  /** Joined they are the body; more than `mostSegments` are for the caller to refuse. */
  readonly segments: readonly string[]
}

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Each takes two places: an escape comes first. */
const extension = new Set('\f^{}\\[~]|€')

const limits = { 'GSM-7': { whole: 160, part: 153 }, 'UCS-2': { whole: 70, part: 67 } } as const

/** Typography that has a plain form. */
const plain: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′`´]/g, "'"],
  [/[“”„‟″«»]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/…/g, '...'],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]/g, ' '],
  [/[\u200b\u2060\ufeff\u00ad]/g, ''],
  [/[•·]/g, '-'],
]

/**
 * `smart`: typographic characters become plain ones where that makes the whole text GSM-7. `fits`: whether the network's own alphabet has all of
 * it besides.
 */
export function splitText(text: string, smart = false, fits: (text: string) => boolean = () => true): SplitText {
  const given = text.toWellFormed()
  const isGsm = (body: string): boolean => inGsm(body) && fits(body)
  if (isGsm(given)) return split(given, 'GSM-7')
  const simple = smart ? plain.reduce((body, [from, to]) => body.replaceAll(from, to), given) : given
  return simple !== given && isGsm(simple) ? split(simple, 'GSM-7') : split(given, 'UCS-2')
}

/** Places a character takes in its alphabet: septets, or UTF-16 units. */
function places(character: string, encoding: SmsEncoding): number {
  return encoding === 'UCS-2' ? character.length : extension.has(character) ? 2 : 1
}

function inGsm(text: string): boolean {
  for (const character of text) if (!basic.has(character) && !extension.has(character)) return false
  return true
}

function split(body: string, encoding: SmsEncoding): SplitText {
  const { whole, part } = limits[encoding]
  let total = 0
  for (const character of body) total += places(character, encoding)
  if (total <= whole) return { body, encoding, segments: [body] }
  const segments: string[] = []
  let segment = ''
  let used = 0
  for (const character of body) {
    const needed = places(character, encoding)
    if (used + needed > part) {
      segments.push(segment)
      segment = ''
      used = 0
    }
    segment += character
    used += needed
  }
  segments.push(segment)
  return { body, encoding, segments }
}
