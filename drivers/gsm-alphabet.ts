/** The GSM default alphabet with its extension (3GPP TS 23.038, 6.2.1), one septet a byte. National tables are not used. */

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const escape = 0x1b

const extension: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
])

const septets: ReadonlyMap<string, readonly number[]> = new Map([
  ...[...basic].map((character, code): [string, number[]] => [character, [code]]).filter(([, [code]]) => code !== escape),
  ...[...extension].map(([code, character]): [string, number[]] => [character, [escape, code]]),
])

export const fitsGsm = (text: string): boolean => [...text].every((character) => septets.has(character))

/** What the alphabet does not have becomes a question mark. */
export function encodeGsm(text: string): Buffer {
  return Buffer.from([...text].flatMap((character) => septets.get(character) ?? [0x3f]))
}

export function decodeGsm(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at]! & 0x7f
    if (code !== escape) text += basic[code]
    // An escape before a code that the extension does not have is shown as the code alone (6.2.1.1); one at the end as a space.
    else if (++at >= bytes.length) text += ' '
    else text += extension.get(bytes[at]!) ?? basic[bytes[at]! & 0x7f]
  }
  return text
}
