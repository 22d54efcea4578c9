/**
 * The sender's name in letters that the font of the header line has, which is that of code page 437: others become their base letters, Greek
 * and Cyrillic ones Latin ones. A sender must be named on each page (47 CFR 68.318(d)).
 */

const fontHas = new Set('ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥ƒáíóúñÑªº¿¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ßµ±≥≤÷≈°∙·√ⁿ²■')

const pairs = (text: string): [string, string][] => text.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)] as [string, string])

/** Letters without a base letter of their own (NFKD), by their small ones: ISO 843 for Greek, as passports have it for Cyrillic. */
const others = new Map(
  pairs(
    'øo łl đd ðd þth œoe ıi ŧt ħh ŋn ĸk ŀl əe ƙk ɓb ɗd ' +
      'αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo ' +
      'аa бb вv гg дd еe ёe жzh зz иi йi кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ъ ыy ь эe юiu яia ' +
      'єie іi їi ґg ўu јj љlj њnj ћc ђdj џdz ѓg ќk ѕdz',
  ),
)
const signs = new Map(pairs('“" ”" „" ‘\' ’\' ‚\' –- —- ‐- ‑- …... €EUR ©(c) ®(R) ™(TM) №No ×x •· ẞSS'))

function latin(letter: string): string {
  const small = letter.toLowerCase()
  const found = signs.get(letter) ?? others.get(small)
  if (found === undefined) return ''
  return small === letter ? found : found.charAt(0).toUpperCase() + found.slice(1)
}

/** What no letter stands for becomes "?". */
export function headerLetters(text: string): string {
  return [...text.normalize('NFC')]
    .map((letter) => {
      if (/^[ -~]$/.test(letter) || fontHas.has(letter)) return letter
      if (signs.has(letter) || others.has(letter.toLowerCase())) return latin(letter)
      const bare = letter.normalize('NFKD').replaceAll(/\p{M}/gu, '')
      if (bare === letter) return /[\p{Zs}]/u.test(letter) ? ' ' : /[\p{C}\p{M}]/u.test(letter) ? '' : '?'
      return headerLetters(bare)
    })
    .join('')
}
