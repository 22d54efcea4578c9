/**
 * Telephone numbers as somebody wrote them, in a request, an address or a spreadsheet: what is the number, and what stands around it. Pure,
 * and without any numbering plan (numbers.ts has those).
 */
import { numberOfUri } from './number-uri.ts'

export interface WrittenNumber {
  /** Digits, `*` and `#`, with a + in front where one was written; as it was given, where it is no number. */
  readonly number: string
  /** Digits behind the number: x101, ext. 5, ;ext=7; '' for none. */
  readonly extension: string
  /** The digits behind are written as dial programs write what is to be dialled later: with a pause, or a #. */
  readonly dialledLater: boolean
  /** White space stands in front: a + of an address that was not escaped is read as a space. */
  readonly afterSpace: boolean
  /** Nothing but digits and spaces. */
  readonly isBare: boolean
}

/** A longer text is no number. */
const longestWritten = 256

/** `sip:` and `tel:` are read by numberOfUri; these have a number behind them in the same way. */
const scheme = /^\s*(?:callto|sms|smsto|mms|fax|modem|whatsapp|facetime|facetime-audio|skype|phone):(?:\/\/)?/i
const telScheme = /^\s*(tel|sips?):\/\//i
/** A name and an address: "Ann" <sip:+15551230001@host>. */
const inBrackets = /^[^<>]*<([^<>]*)>\s*$/
/** Words for an extension, of the languages of the house and a few more, and the marks that dial programs write. */
const extensionWord =
  /(?:[;,]?\s*(?:extensi[oó]n|extn?|anexo|interno?|int|poste|durchwahl|dw|app|nebenstelle|toestel|ramal|x)[.:=\s]*|\s*#|\s*[,;pw]+)\s*(\d{1,6})#?\s*$/i
/** Two numbers with a semicolon between are none. */
const isUri = /^\s*(?:tel|sips?):|^[^;]*(?:;\s*[a-z][\w-]*(?:=[^;]*)?)+$/i
const separators = /[\s().\-/]/g

/** Full-width digits, other scripts, marks that cannot be seen, and dashes of typographers are as plain ones. */
function plainText(raw: string): string {
  return raw
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Mn}\p{Me}]/gu, '')
    .replaceAll(/\p{Nd}/gu, digitOf)
    .replaceAll(/%2B/gi, '+')
    .replaceAll(/[\u2010-\u2015\u2212\u30fc]/g, '-')
}

/** Digits of each script are ten code points in a row, the first of which is a multiple of ten from U+0660 or begins its row. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!
  if (code < 0x80) return digit
  let zero = code
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}

export function readWritten(raw: string): WrittenNumber {
  if (raw.length > longestWritten) return { number: raw, extension: '', dialledLater: false, afterSpace: false, isBare: false }
  const text = plainText(raw)
  const uri = text.replace(inBrackets, '$1').replace(scheme, 'tel:').replace(telScheme, '$1:')
  const behind = extensionWord.exec(uri)
  const front =
    behind === null
      ? ''
      : uri
          .slice(0, behind.index)
          .replace(/^\s*tel:/i, '')
          .replaceAll(separators, '')
  // *98#5 and 31#5551234 are codes: in front of an extension stands a whole number.
  const isBefore = /^\+?\d{7,}$/.test(front)
  const parameter = /^\s*(?:tel|sips?):[^@;?]*;(?:[^;]*;)*?ext=(\d{1,11})/i.exec(uri)?.[1]
  return {
    number: isBefore ? front : (isUri.test(uri) ? numberOfUri(uri) : uri).trim().replaceAll(separators, ''),
    extension: isBefore ? behind![1]! : (parameter ?? ''),
    dialledLater: isBefore && /^\s*[#,;pw]+\s*\d/i.test(behind![0]),
    isBare: /^[\d\s]+$/.test(text),
    afterSpace: /^\s+\d/.test(text),
  }
}
