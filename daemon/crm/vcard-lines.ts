/**
 * The lines of vCards, as bytes: folded lines and those of quoted-printable made one, with their group, name and parameters. Versions 2.1, 3.0
 * (RFC 2426) and 4.0 (RFC 6350) differ in how parameters are written and values are encoded, and each program in what it calls a version.
 */
import { quoted } from '../base/for-log.ts'

export interface VcardLine {
  /** Such as `item1`; '' for none. */
  readonly group: string
  /** In capitals. */
  readonly name: string
  /** By name in capitals; one without a name, as in TEL;CELL, is a TYPE or the encoding. */
  readonly parameters: ReadonlyMap<string, readonly string[]>
  /** Bytes, each a letter. */
  readonly value: string
}

export interface VcardText {
  readonly lines: readonly VcardLine[]
  /** Names of what is not read. */
  readonly unread: ReadonlySet<string>
  readonly isWhole: boolean
  readonly fault?: string
}

const wanted = new Set(['FN', 'N', 'ORG', 'TEL', 'EMAIL', 'UID', 'KIND', 'X-ABLABEL', 'X-ABSHOWAS', 'VERSION'])
/** More lines of these than any card has, and a longer one. */
const [mostLines, longestLine] = [200, 2000]
const encodings = new Set(['QUOTED-PRINTABLE', 'BASE64', 'B', '8BIT', '7BIT'])

/** A line of the file that goes on in the next ones, or does not. */
interface Open {
  readonly parts: string[]
  size: number
  readonly quotedPrintable: boolean
  /** Old programs do not fold pictures: what follows is of the picture while it has nothing but letters of base64. */
  readonly base64: boolean
}

const base64Row = /^[A-Za-z0-9+/=]+\s*$/

function opened(line: string): Open {
  const head = line.slice(0, 500)
  return {
    parts: [line],
    size: line.length,
    quotedPrintable: /^[^:]*[;=]QUOTED-PRINTABLE/i.test(head),
    base64: /^[^:]*[;=](?:BASE64|B)[;:]/i.test(head),
  }
}

/** `bytes`: each a letter. What stands in front of the first card is left out. A card within a card (AGENT) is one of its own. */
export function cardsOf(bytes: string): VcardText[] {
  const cards: Card[] = []
  /** The card whose lines come, behind those that it is within. */
  const within: Card[] = []
  let open: Open | null = null
  const close = (): void => {
    if (open !== null) (within.at(-1) ?? cards.at(-1))?.add(open)
    open = null
  }
  const begin = (isInner: boolean): void => {
    const card = new Card()
    cards.push(card)
    // A card that is cut off holds no other.
    if (!isInner) within.length = 0
    within.push(card)
  }
  for (const line of bytes.split(/\r\n?|\n/)) {
    if (open !== null && (line.startsWith(' ') || line.startsWith('\t'))) extend(open, line.slice(1))
    else if (open !== null && open.quotedPrintable && open.parts.at(-1)!.endsWith('=')) {
      open.parts.push(open.parts.pop()!.slice(0, -1))
      extend(open, line)
    } else if (open?.base64 === true && base64Row.test(line)) extend(open, line)
    else {
      const isInner = /^(?:[\w-]+\.)?AGENT(?:;[^:]*)?:\s*$/i.test(open?.parts[0]?.slice(0, 200) ?? '')
      close()
      if (/^BEGIN:VCARD\s*$/i.test(line)) begin(isInner)
      else if (/^END:VCARD\s*$/i.test(line)) within.pop()?.end()
      else if (line.trim() !== '') open = opened(line)
    }
  }
  close()
  return cards
}

function extend(open: Open, more: string): void {
  open.parts.push(more)
  open.size += more.length
}

class Card implements VcardText {
  readonly lines: VcardLine[] = []
  readonly unread = new Set<string>()
  isWhole = false
  fault?: string

  end(): void {
    this.isWhole = true
  }

  add({ parts, size }: Open): void {
    const [head = ''] = parts
    const [, , name = ''] = /^(?:([\w-]+)\.)?([\w-]+)/.exec(head) ?? []
    if (!wanted.has(name.toUpperCase())) return void (name !== '' && this.unread.add(name.toUpperCase().slice(0, 40)))
    if (size > longestLine) this.fault ??= `a line of the card has more than ${longestLine} characters`
    else if (this.lines.length === mostLines) this.fault ??= `the card has more than ${mostLines} lines of names and numbers`
    else {
      const line = lineOf(parts.join(''))
      if (line === null) this.fault ??= `the line ${quoted(head.slice(0, 40))} has no colon`
      else this.lines.push(line)
    }
  }
}

function lineOf(text: string): VcardLine | null {
  const [head = '', value] = splitOnce(text)
  if (value === undefined) return null
  const [path = '', ...given] = splitOutside(head, ';')
  const dot = path.indexOf('.')
  const parameters = new Map<string, string[]>()
  for (const one of given) {
    const equals = one.indexOf('=')
    const bare = one.trim().toUpperCase()
    const name = equals !== -1 ? one.slice(0, equals).trim().toUpperCase() : encodings.has(bare) ? 'ENCODING' : 'TYPE'
    const values = one
      .slice(equals + 1)
      .replaceAll('"', '')
      .split(',')
      .map((part) => part.trim())
    parameters.set(name, [...(parameters.get(name) ?? []), ...values])
  }
  return {
    group: dot === -1 ? '' : path.slice(0, dot).toLowerCase(),
    name: path
      .slice(dot + 1)
      .trim()
      .toUpperCase(),
    parameters,
    value,
  }
}

/** At the first colon that is not within quotes. */
function splitOnce(text: string): [string, string?] {
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted
    else if (text[at] === ':' && !quoted) return [text.slice(0, at), text.slice(at + 1)]
  }
  const colon = text.indexOf(':')
  return colon === -1 ? [text] : [text.slice(0, colon), text.slice(colon + 1)]
}

function splitOutside(text: string, mark: string): string[] {
  const parts: string[] = []
  let [from, quoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted
    else if (text[at] === mark && !quoted) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}
