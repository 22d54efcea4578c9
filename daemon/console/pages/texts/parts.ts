/** How many parts a text makes while it is typed (3GPP TS 23.038), as daemon/messaging/segments.ts splits it when it is sent. */

export interface Parts {
  readonly encoding: 'GSM-7' | 'UCS-2'
  readonly count: number
  /** Places that are left in the last part. */
  readonly left: number
}

export const mostParts = 10

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Each takes two places. */
const extension = new Set('\f^{}\\[~]|€')

export function partsOf(text: string): Parts {
  const letters = [...text.toWellFormed()]
  const gsm = letters.every((letter) => basic.has(letter) || extension.has(letter))
  const places = (letter: string): number => (gsm ? (extension.has(letter) ? 2 : 1) : letter.length)
  const [whole, part] = gsm ? [160, 153] : [70, 67]
  const encoding = gsm ? 'GSM-7' : 'UCS-2'
  const total = letters.reduce((sum, letter) => sum + places(letter), 0)
  if (total <= whole) return { encoding, count: 1, left: whole - total }
  let count = 1
  let used = 0
  for (const letter of letters) {
    const needed = places(letter)
    // A letter that takes two places is never cut.
    if (used + needed > part) {
      count += 1
      used = 0
    }
    used += needed
  }
  return { encoding, count, left: part - used }
}
