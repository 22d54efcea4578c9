/** What a provider gives next to the words of a text: files to fetch, and everything else in words, so that nothing is lost in silence. */
import type { InboundMedia } from '../sms.ts'
import { at, listAt, textAt, type MediaFields, type Pointer, type TextFields } from './template.ts'

/** More files than this no provider takes; the daemon fetches fewer, and names the others. */
const mostMedia = 30
const longestValue = 500

export function readMedia(document: unknown, fields: MediaFields | undefined): InboundMedia[] {
  if (fields === undefined) return []
  const found = fields.list === undefined ? numbered(document, fields) : listed(document, fields.list, fields)
  const count = Math.min(mostMedia, Number(textAt(document, fields.count ?? '')) || 0)
  const lacking = { url: '', contentType: '', reason: 'the provider gives no address for it' }
  return [...found, ...Array.from({ length: Math.max(0, count - found.length) }, () => lacking)]
}

function listed(document: unknown, list: Pointer, { url, contentType }: MediaFields): InboundMedia[] {
  const value = at(document, list)
  const items = typeof value === 'string' && value !== '' ? [value] : listAt(document, list)
  return items.slice(0, mostMedia).map((item) => {
    const address = typeof item === 'string' ? item : textAt(item, url)
    return mediaAt(address, typeof item === 'string' ? '' : textAt(item, contentType))
  })
}

/** Some providers leave the first number out. */
function numbered(document: unknown, { url, contentType }: MediaFields): InboundMedia[] {
  const mark = '{{index}}'
  const indexes = url.includes(mark) ? ['', ...Array.from({ length: mostMedia }, (_, index) => String(index))] : ['']
  return indexes.flatMap((index) => {
    const address = textAt(document, url.replace(mark, index))
    return address === '' ? [] : [mediaAt(address, textAt(document, contentType.replace(mark, index)))]
  })
}

function mediaAt(url: string, contentType: string): InboundMedia {
  if (url === '') return { url, contentType, reason: 'the provider gives no address for it' }
  return { url, contentType }
}

/** @param media how many files it has */
export function readBesides(document: unknown, { besides = {}, kind = '' }: TextFields, body: string, media: number): string[] {
  const found = Object.entries(besides).flatMap(([name, pointers]) => {
    const values = [pointers].flat().flatMap((pointer) => wordsAt(document, pointer))
    const others = values.filter(
      (value, index) => value !== body && value !== JSON.stringify({ text: body }) && values.indexOf(value) === index,
    )
    return others.length === 0 ? [] : [`${name}: ${others.join(', ')}`]
  })
  const named = textAt(document, kind)
  if (body !== '' || media > 0 || found.length > 0 || /^(|sms|text)$/i.test(named)) return found
  return [`a message of the kind "${named.slice(0, 60).replaceAll('"', "'")}", which has no words and cannot be shown here`]
}

/** An object as the provider writes it; an empty one is nothing. */
function wordsAt(document: unknown, pointer: Pointer): string[] {
  const value = at(document, pointer)
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [String(value).slice(0, longestValue)]
  if (Object.keys(value).length === 0) return []
  return [JSON.stringify(value).slice(0, longestValue)]
}
