/** Mail addresses as people write them: one, with or without a name (RFC 5322 3.4). */
import addressparser from 'nodemailer/lib/addressparser'

export interface MailAddress {
  readonly name: string
  readonly address: string
}

const longest = 320
/** RFC 5321 4.5.3.1: 64 octets before the @, 255 after it. */
const form =
  /^[^\s@<>()[\]\\,;:"]{1,64}@(?:[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9\u0080-\uffff-]{0,61}[A-Za-z0-9\u0080-\uffff])?\.)*[A-Za-z0-9\u0080-\uffff-]{1,63}$/

/** The address, or a sentence that says what is wrong. */
export function readAddress(text: string): MailAddress | string {
  // oxlint-disable-next-line no-control-regex -- a line break would begin another header line
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'must not hold line breaks or control characters'
  if (text.length > longest) return `must have at most ${longest} characters`
  const found = addressparser(text)
  if (found.length > 1) return 'must be one address: send a mail to each'
  const [only] = found
  if (only === undefined || 'group' in only || typeof only.address !== 'string') return 'must be one mail address'
  const { address, name } = only
  if (!form.test(address) || address.includes('..')) return 'must be a mail address, such as pat@example.com'
  return { name: name ?? '', address }
}
