/**
 * What every reader of the log, `/readyz`, `pbx status` or the metrics may see: words from outside (a mail server, a provider, an
 * application, a caller) without anything that names a patient. Mail addresses are removed, of runs of seven and more digits the last four
 * stay, URLs lose their query and their login, and what stands in quotes is a value and is removed. Ids, times and addresses of hosts stay:
 * they lead a technician to the rest, which takes a token or the group of the `pbx` program to read. A name that stands bare in a sentence
 * looks like any other word: at level info there are codes in place of sentences.
 *
 * What is a value and what is ours is known where a sentence is made, and lost afterwards. A sentence that `said` makes says it: its own words, and
 * values marked as `ours` (of the configuration, of files, versions, dates), stay as they are; every other value is masked by itself. A text of which
 * nothing is known is masked as a whole, so that quotes in our own words are for values alone (test/box/phrases.test.ts).
 */

const longest = 2000
const deepest = 8
const mostEntries = 100

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`
/** Left as they are: UUIDs, ids of calls and streams, hashes, times, addresses with their ports, devices, and commands of ours. */
const kept = [
  String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
  String.raw`\b(?:CA|AC|MZ)[0-9a-f]{32}\b`,
  String.raw`\b(?=[0-9a-f]*[a-f])[0-9a-f]{32,128}\b`,
  String.raw`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?`,
  String.raw`(?<![\d.])(?:${octet}\.){3}${octet}(?::\d{1,5})?(?![\d.]*\d)`,
  String.raw`/dev/[\w./:-]+`,
  String.raw`"pbx(?: [a-z-]+)+"`,
]
/** As people of other countries and other programs write them: what opens, and what then closes. */
const quotes = [
  String.raw`"(?:\\.|[^"\\])*(?:"|$)`,
  '“[^”]*(?:”|$)',
  '„[^“”"]*(?:[“”"]|$)',
  '‘[^’]*(?:’|$)',
  '‚[^‘’]*(?:[‘’]|$)',
  '«[^»]*(?:»|$)',
  '»[^«]*(?:«|$)',
  '‹[^›]*(?:›|$)',
  '›[^‹]*(?:‹|$)',
  '「[^」]*(?:」|$)',
  '『[^』]*(?:』|$)',
  '＂[^＂]*(?:＂|$)',
  '&quot;.*?(?:&quot;|$)',
  String.raw`(?<![\p{L}\d])'(?:\\.|[^'\\]|'(?=[\p{L}\d]))*'(?![\p{L}\d])`,
]
/** With a letter before the @: 101@192.0.2.1 is an extension. No mailbox has more than 64 characters (RFC 5321 4.5.3.1), but those of senders that hold a recipient's (jane=clinic.example@list.example). */
const address = String.raw`(?=[^\s<>()"',;:/@\uFF20]{1,100}(?:[@\uFF20]|%40))[^\s<>()"',;:/@\uFF20]*\p{L}[^\s<>()"',;:/@\uFF20]*(?:[@\uFF20]|%40)[^\s<>()"',;:/@\uFF20]+`
/** Two and more words with capitals before an address in pointed brackets: the name of whom it is of. */
const named = String.raw`(?:\p{Lu}(?=\S{0,40}\p{Ll})[\p{L}\p{M}'\u2019-]{1,40},? +){2,5}(?=<(?:sips?:|tel:|mailto:|[^<>\s@]{1,100}@))`
/** Between two digits of a number: what people, files and web pages write there. */
const between = String.raw`(?:[\t\p{Zs}\p{Pd}\p{Cf}().\/_\u00B7]{0,3}|&nbsp;|(?:%[2C][\dA-F]){1,3})`
const digits = String.raw`\+?\p{Nd}(?:${between}\p{Nd}){6,}`

const pattern = new RegExp(
  `(?<kept>${kept.join('|')})|(?<quoted>${quotes.join('|')})|(?<address>${address})|(?<named>${named})|${digits}`,
  'gu',
)
const url = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'<>]*@)?([^\s?#;"'<>]*)[^\s"'<>]*/giu
/** Of an address without its host. */
const query = /\?[^\s"'<>()]*/gu

/** What everything that is taken out has in it, but for the parts of a URL: most texts have none of it, and are many. */
const telling = /["'?@%&<]|[^\p{ASCII}]|\d(?:[\t ().\/_-]{0,3}\d){6}/u

/** `***4567`. */
function lastFour(text: string): string {
  return `***${text.replaceAll(/\D/g, '').slice(-4)}`
}

/** Words of which it is known that they name no patient. */
export class Ours {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

/** A value of the box itself: an id, a name or an address of its configuration, a file, a version, a date of its own. */
export function ours(text: string): Ours {
  return new Ours(text)
}

/** A sentence of ours: said`trunk ${ours(id)}: ${reason}`. A text between quotes is a value and goes; any other is masked as `forLog` does it. */
export function said(words: TemplateStringsArray, ...values: readonly (string | number | Ours)[]): Ours {
  let text = words[0] ?? ''
  for (const [at, value] of values.entries()) {
    const next = words[at + 1] ?? ''
    if (value instanceof Ours || typeof value === 'number') text += String(value)
    else text += text.endsWith('"') && next.startsWith('"') ? '***' : forLog(value)
    text += next
  }
  return new Ours(text)
}

/** A value from outside between quotes of which none is its own: where the sentence is not one of `said`, they say where it ends. */
export function quoted(value: string): string {
  return `"${value.replaceAll('"', "'")}"`
}

/** For a reader who may see what a far end said: its words between quotes stay, without what names a patient in them. */
export function saidOutside(text: string): string {
  return text.replaceAll(/"([^"]*)"/g, (_, words: string) => quoted(forLog(words)))
}

export function forLog(text: string | Ours): string {
  if (text instanceof Ours) return text.text
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  if (!telling.test(cut) && !cut.includes('://')) return cut
  const bare = cut.replace(url, '$1$2').replace(query, (found) => (found.includes('=') ? '' : found))
  return telling.test(bare) ? bare.replace(pattern, withoutPerson) : bare
}

/** What stands for one find of `pattern`. */
function withoutPerson(found: string, ...rest: unknown[]): string {
  const groups = rest.at(-1) as { kept?: string; quoted?: string; address?: string; named?: string }
  if (groups.kept !== undefined) return found
  if (groups.quoted !== undefined) return `${found[0]}***${closing(found[0]!)}`
  if (groups.named !== undefined) return '*** '
  return groups.address === undefined ? lastFour(found) : '***@***'
}

/** What a person gave as the reason of a deed, as the audit trail takes it: words without signs, in plain letters, and no whole number. */
export function reasonForTrail(reason: string): string {
  const plain = forLog(reason).normalize('NFD').replaceAll(/\p{M}/gu, '')
  return plain.replaceAll(/[^\w.:*/-]+/g, ' ').trim()
}

function closing(opening: string): string {
  const pairs: Record<string, string> = {
    '“': '”',
    '„': '“',
    '‘': '’',
    '‚': '‘',
    '«': '»',
    '»': '«',
    '‹': '›',
    '›': '‹',
    '「': '」',
    '『': '』',
  }
  return pairs[opening] ?? opening
}

/** The same of everything within: a copy whose texts can be shown. Errors become plain objects with their stack. */
export function allForLog(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return forLog(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Ours) return value.text
  if (depth === deepest) return '…'
  if (value instanceof Error) return errorForLog(value, depth)
  if (Array.isArray(value)) return value.slice(0, mostEntries).map((item) => allForLog(item, depth + 1))
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`
  if ('toJSON' in value && typeof value.toJSON === 'function') return allForLog((value as { toJSON(): unknown }).toJSON(), depth + 1)
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, mostEntries)
      .map(([name, item]) => [name, allForLog(item, depth + 1)]),
  )
}

function errorForLog(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause, ...more } = error as Error & Record<string, unknown>
  // The first line of a stack is the message again, which may have several lines itself.
  const places = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const all = { ...more, ...(cause === undefined ? {} : { cause }) }
  return { type: name, message: forLog(message), stack: places.join('\n'), ...(allForLog(all, depth + 1) as object) }
}

/** An address of an application as a technician needs it: without query, fragment and login, and with `*` for parts of the path that are ids. */
export function placeOf(address: string): string {
  try {
    const { origin, protocol, host, pathname } = new URL(address)
    const path = pathname.split('/').map((part) => (/\d.*\d.*\d.*\d|%|@/.test(part) || part.length > 40 ? '*' : part))
    return `${origin === 'null' ? `${protocol}//${host}` : origin}${path.join('/')}`
  } catch {
    return forLog(address)
  }
}
