/**
 * The text of a file that somebody exported: UTF-8, UTF-16, what its content type says, or Windows-1252 where that is plausible, because
 * spreadsheets and telephones of Western countries write it without a word.
 */
import { fromWindows1252 } from '../../drivers/foreign-json.ts'

export interface DecodedFile {
  readonly text: string
  /** The encoding that was assumed because nothing named one; '' for none. */
  readonly assumed: '' | 'windows-1252'
}

const [utf16le, utf16be] = ['utf-16le', 'utf-16be'] as const

/** `charset`: of the content type; '' for none. Throws Error in words for a person. */
export function decodeFile(bytes: Uint8Array, charset: string): DecodedFile {
  mustBeText(bytes)
  const wide = utf16Of(bytes)
  if (wide !== null) return { text: decoded(bytes, wide) ?? fail(`it starts like ${wide.toUpperCase()} but is not`), assumed: '' }
  const utf8 = decoded(bytes, 'utf-8')
  if (utf8 !== null) return { text: utf8, assumed: '' }
  const other = charset !== '' && !/^(?:utf-?8|us-ascii)$/i.test(charset)
  const named = other ? decoded(bytes, charset) : null
  if (named !== null) return { text: named, assumed: '' }
  if (other && !isKnown(charset)) fail(`its charset ${charset.slice(0, 40)} is not known here: export it as UTF-8`)
  const text = fromWindows1252(bytes)
  if (text !== null && isPlausible(text)) return { text, assumed: 'windows-1252' }
  return fail(
    `its letters are not UTF-8${charset === '' ? '' : `, nor ${charset}`}: export it as UTF-8, or give its charset in the content type`,
  )
}

/** null: it is not, or there is no such encoding. A byte order mark is none of the text. */
export function decoded(bytes: Uint8Array, charset: string): string | null {
  if (/^(?:windows-1252|cp-?1252|iso-?8859-1|latin-?1|ansi)$/i.test(charset)) return fromWindows1252(bytes)
  const page = dosPageOf(charset)
  if (page !== null) return fromDos(bytes, page)
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== ''
  } catch {
    return dosPageOf(charset) !== null
  }
}

/**
 * 0x80 to 0xFF of the letters of MS-DOS, which spreadsheets still write as "CSV (MS-DOS)": 437 in the USA, 850 elsewhere, 858 with the euro.
 * Nothing in a file says which, so its content type has to.
 */
const dosPages = {
  437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
} as const

type DosPage = 437 | 850 | 858

/** null: the charset is none of them. */
function dosPageOf(charset: string): DosPage | null {
  const page = /^(?:cp|ibm|dos|oem|x-cp)?[-_]?(437|850|858)$/i.exec(charset)?.[1]
  return page === undefined ? null : (Number(page) as DosPage)
}

function fromDos(bytes: Uint8Array, page: DosPage): string {
  const upper = dosPages[page === 437 ? 437 : 850]
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(/[\u0080-\u00ff]/g, (letter) => (page === 858 && letter === '\u00d5' ? '€' : upper[letter.charCodeAt(0) - 0x80]!))
}

/** By its mark, or by the zeros next to every letter of the alphabet. */
export function utf16Of(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16le
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16be
  if (bytes.length < 4 || bytes.length % 2 === 1) return null
  const some = bytes.subarray(0, 400)
  let [even, odd] = [0, 0]
  some.forEach((byte, at) => {
    if (byte === 0) at % 2 === 0 ? even++ : odd++
  })
  const most = some.length / 4
  return odd > most && even === 0 ? utf16le : even > most && odd === 0 ? utf16be : null
}

const workbooks: readonly (readonly [number[], string])[] = [
  [[0x50, 0x4b, 3, 4], 'this is a workbook (xlsx, ods or numbers) or a ZIP file'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'this is an old workbook (xls)'],
  [[0x25, 0x50, 0x44, 0x46], 'this is a PDF'],
]

function mustBeText(bytes: Uint8Array): void {
  const found = workbooks.find(([first]) => first.every((byte, at) => bytes[at] === byte))
  if (found !== undefined) fail(`${found[1]}: save it as CSV (UTF-8) and send that file`)
}

/**
 * Whether names can look so: what is not of ASCII is a letter or a mark that people write, no capital follows a small letter, and nowhere
 * do four such letters stand in a row, as they do in other alphabets that are read as this one.
 */
export function isPlausible(text: string): boolean {
  const high = text.match(/[\u0080-\uffff]/g)?.length ?? 0
  const odd = [
    /[\0-\u0008\u000e-\u001f\u007f]/g,
    /(?<=\p{L})[^\0-\u007f\p{L}’‘´–·º°ª»](?=\p{L})/gu,
    /(?<=\p{Ll})(?![\0-\u007f])\p{Lu}/gu,
    /[À-ÿŒœŠšŽžŸƒ]{4,}/g,
  ].reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0)
  return odd * 20 <= high
}

function fail(words: string): never {
  throw new Error(words)
}
