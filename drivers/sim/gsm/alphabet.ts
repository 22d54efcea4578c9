/** The simulated phone's own reading of the GSM 7-bit default alphabet (3GPP TS 23.038): septets with their bit offset. */

const table =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u{1b}ÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const shifted = new Map([...'^{}\\[~]|€\f'].map((character, i) => [character, [20, 40, 41, 47, 60, 61, 62, 64, 101, 10][i]!]))
const unshifted = new Map([...shifted].map(([character, code]) => [code, character]))

export function isGsm(text: string): boolean {
  return [...text].every((character) => (table.includes(character) && character !== '\u{1b}') || shifted.has(character))
}

export function septetsOf(text: string): number[] {
  return [...text].flatMap((character) =>
    shifted.has(character) ? [27, shifted.get(character)!] : [Math.max(0, table.indexOf(character))],
  )
}

export function textOf(septets: readonly number[]): string {
  let text = ''
  let shift = false
  for (const septet of septets) {
    if (septet === 27) shift = true
    else {
      text += shift ? (unshifted.get(septet) ?? table[septet]) : table[septet]
      shift = false
    }
  }
  return text
}

/** Bit by bit, behind `fill` empty bits. */
export function pack(septets: readonly number[], fill = 0): number[] {
  const octets: number[] = Array.from({ length: Math.ceil((fill + septets.length * 7) / 8) }, () => 0)
  septets.forEach((septet, i) => {
    for (let bit = 0; bit < 7; bit++) {
      const at = fill + i * 7 + bit
      if ((septet & (1 << bit)) !== 0) octets[at >> 3]! |= 1 << (at & 7)
    }
  })
  return octets
}

export function unpack(octets: readonly number[], count: number, fill = 0): number[] {
  return Array.from({ length: count }, (_, i) => {
    let septet = 0
    for (let bit = 0; bit < 7; bit++) {
      const at = fill + i * 7 + bit
      if (((octets[at >> 3] ?? 0) & (1 << (at & 7))) !== 0) septet |= 1 << bit
    }
    return septet
  })
}
