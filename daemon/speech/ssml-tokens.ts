/** A tolerant tokenizer for markup in a text: whatever is not markup is text, and is spoken. */
import { quoted } from '../base/for-log.ts'

export type SsmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Readonly<Record<string, string>>; readonly empty: boolean }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'fault'; readonly text: string }

const markup =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<[?!][^>]*(?:>|$)|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/y

export function* tokenise(source: string): Generator<SsmlToken> {
  let text = ''
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('<', at)
    if (open < 0) break
    text += entities(source.slice(at, open))
    markup.lastIndex = open
    const match = markup.exec(source)
    if (match === null) {
      yield { kind: 'fault', text: `SSML: ${quoted(source.slice(open, open + 20))} is not markup` }
      // A tag that is merely malformed is dropped up to its end; a lone sign is spoken as text.
      const end = /^<\/?[A-Za-z]/.test(source.slice(open, open + 3)) ? source.slice(open + 1).search(/[<>]/) : -1
      if (end >= 0) at = open + 1 + end + (source[open + 1 + end] === '>' ? 1 : 0)
      else if (/^<\/?[A-Za-z]/.test(source.slice(open, open + 3))) at = source.length
      else {
        text += '<'
        at = open + 1
      }
      continue
    }
    at = open + match[0].length
    if (match[1] !== undefined) text += match[1]
    const name = match[3]?.toLowerCase()
    if (name === undefined) continue
    if (text !== '') yield { kind: 'text', text }
    text = ''
    if (match[2] === '/') yield { kind: 'close', name }
    else yield { kind: 'open', name, attributes: readAttributes(match[4] ?? ''), empty: match[5] === '/' }
  }
  text += entities(source.slice(at))
  if (text !== '') yield { kind: 'text', text }
}

function readAttributes(source: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const match of source.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    attributes[match[1]!.toLowerCase()] = entities(match[2] ?? match[3] ?? '')
  }
  return attributes
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function entities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-z]+));/g, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
    return code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ' '
  })
}
