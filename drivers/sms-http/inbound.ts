/** Texts and receipts as a provider writes them. */
import { createHash } from 'node:crypto'
import { parseForeignJson } from '../foreign-json.ts'
import { fitsGsm } from '../gsm-alphabet.ts'
import type { InboundText, SmsReport } from '../sms.ts'
import { partOf } from '../user-data-header.ts'
import { readBesides, readMedia } from './besides.ts'
import { holds, textAt, timeAt, type TextFields, type WebhookTemplate } from './template.ts'

/** Providers carry other services by the same road, and name them before the number. */
const carrier = /^(whatsapp|rcs|messenger|sms|mms|tel):(.+)$/i
const plainCarriers: readonly string[] = ['sms', 'mms', 'tel']

/** Null where it names no sender. @param own number of the trunk, for a provider that does not name the recipient */
export function readText(document: unknown, fields: TextFields, own: string): InboundText | null {
  const sender = textAt(document, fields.from)
  if (sender === '') return null
  const [from, by] = withoutCarrier(sender)
  const bodies = [fields.body].flat().map((pointer) => textAt(document, pointer))
  const body = bodies.find((words) => words !== '') ?? ''
  const media = readMedia(document, fields.media)
  const part = partIn(document, fields.part)
  const besides = [...by, ...readBesides(document, fields, body, media.length)]
  return {
    from,
    to: withoutCarrier(textAt(document, fields.to))[0] || own,
    body,
    encoding: fitsGsm(body) ? 'GSM-7' : 'UCS-2',
    sentAt: timeAt(document, fields.at),
    providerId: textAt(document, fields.id),
    ...(part === null ? {} : { part }),
    ...(media.length === 0 ? {} : { media }),
    ...(besides.length === 0 ? {} : { besides }),
  }
}

function partIn(document: unknown, pointers: TextFields['part']): ReturnType<typeof partOf> {
  if (pointers === undefined) return null
  const reference = textAt(document, pointers.reference)
  // The parts of one text share a reference, which may be any text.
  const number = /^\d{1,9}$/.test(reference) ? Number(reference) : createHash('sha256').update(reference).digest().readUInt32BE(0)
  const [total = 0, index = 0] = [pointers.total, pointers.index].map((pointer) =>
    Number(/^\d{1,3}$/.exec(textAt(document, pointer))?.[0] ?? 0),
  )
  return partOf(number, total, index)
}

function withoutCarrier(address: string): [address: string, by: string[]] {
  const found = carrier.exec(address.trim())
  if (found === null) return [address, []]
  return [found[2]!.trim(), plainCarriers.includes(found[1]!.toLowerCase()) ? [] : [`by ${found[1]}`]]
}

/** A text of a list that is asked for again and again needs an id: what it says serves where the provider gives none. */
export function readListed(document: unknown, fields: TextFields, own: string): InboundText | null {
  const text = readText(document, fields, own)
  if (text === null || text.providerId !== '') return text
  const { from, to, body, sentAt } = text
  return {
    ...text,
    providerId: createHash('sha256')
      .update(JSON.stringify([from, to, body, sentAt]))
      .digest('hex'),
  }
}

/** Null where it is none, or says nothing that counts. */
export function readReceipt(document: unknown, template: WebhookTemplate['receipt'], now: number): SmsReport | null {
  if (template === undefined || !holds(template.when, document)) return null
  const word = textAt(document, template.state)
  const reference = textAt(document, template.id)
  if (reference === '' || !Object.hasOwn(template.states, word)) return null
  const state = template.states[word]!
  const code = textAt(document, template.code)
  const said = textAt(document, template.text) || `the provider says: ${word}`
  return {
    reference,
    to: textAt(document, template.to),
    state,
    text: state === 'delivered' ? '' : code === '' ? said : `${said} (code ${code})`,
    at: now,
  }
}

/** A request of the provider as one document: fields of a form as texts. Undefined where it cannot be read. */
export function documentOf(body: Buffer, content: WebhookTemplate['content']): unknown {
  if (content === 'form') return Object.fromEntries(new URLSearchParams(body.toString('utf8')))
  try {
    return parseForeignJson(body)
  } catch {
    return undefined
  }
}
