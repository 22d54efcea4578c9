/** What there is to know of a provider, as data: how it is asked, what its answers and its own requests look like. */

/** A JSON pointer (RFC 6901) into an answer or a request; '' where the provider has no such thing. */
export type Pointer = string

/** All of these must hold: the value at the pointer is the text, or one of them. */
export type Condition = Readonly<Record<Pointer, string | readonly string[]>>

/**
 * A request. In every text of it `{{name}}` stands for a value: to, from, body, messageId, validitySeconds, account,
 * secret, number, callbackUrl, since. A field that is empty then is left out.
 */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Appended to the provider's address. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A body of one of the two forms, or none. */
  readonly form?: Readonly<Record<string, string>>
  readonly json?: Readonly<Record<string, unknown>>
}

export interface TextFields {
  readonly id: Pointer
  readonly from: Pointer
  readonly to: Pointer
  /** Of several the first that has words. */
  readonly body: Pointer | readonly Pointer[]
  /** A time in ISO 8601 (UTC where it names no zone) or RFC 2822, or seconds or milliseconds since the epoch. */
  readonly at: Pointer
  /** What kind of message it is, for one that has neither words nor files nor anything else that is known. */
  readonly kind?: Pointer
  readonly media?: MediaFields
  /** Of a provider that brings a long text as the network does: of which text it is a part, of how many, and which one, from 1. */
  readonly part?: { readonly reference: Pointer; readonly total: Pointer; readonly index: Pointer }
  /** What else may come with a text, by its name for people. Values of several pointers stand behind each other. */
  readonly besides?: Readonly<Record<string, Pointer | readonly Pointer[]>>
}

/**
 * Where the pictures and other files of a text are: in a list, whose items are addresses or have one at `url`; or, without `list`, in fields
 * that are numbered where `{{index}}` stands (0, 1, 2 and so on), or in the one field `url`.
 */
export interface MediaFields {
  readonly list?: Pointer
  readonly url: Pointer
  readonly contentType: Pointer
  /** How many there are, where the provider says so. */
  readonly count?: Pointer
}

export type ReceiptState = 'delivered' | 'buffered' | 'failed' | 'expired'

export interface Template {
  readonly auth: 'basic' | 'bearer' | 'none'
  readonly send: RequestTemplate
  readonly answer: {
    readonly id: Pointer
    readonly code: Pointer
    readonly text: Pointer
    /** For a provider that answers 200 to what it refuses: what a text that was taken looks like. */
    readonly accepted?: Condition
  }
  /** What is worth another attempt, besides 429 and 500 to 599. */
  readonly temporary: { readonly statuses: readonly number[]; readonly codes: readonly string[] }
  /** How the provider is asked for a text whose answer was lost: its newest texts, newest first. */
  readonly lookUp?: {
    readonly request: RequestTemplate
    readonly list: Pointer
    readonly id: Pointer
    readonly to: Pointer
    readonly body: Pointer
    readonly at: Pointer
    readonly when?: Condition
    readonly next: Pointer
  }
  /** How the provider is asked for texts that came. */
  readonly poll?: {
    readonly request: RequestTemplate
    readonly list: Pointer
    readonly fields: TextFields
    readonly when?: Condition
    /** Address of the next page, whole or without the host. */
    readonly next: Pointer
    /** For a list that says how many files a text has, and has them in a list of their own. */
    readonly media?: ListedMedia
  }
  readonly webhook?: WebhookTemplate
}

export type Signature =
  | {
      readonly kind: 'hmac-sha256'
      /** Name of the header. */
      readonly header: string
      /** What stands before the signature in the header, such as sha256=. */
      readonly prefix: string
      readonly encoding: 'hex' | 'base64'
      /**
       * What is signed, with {{timestamp}}, {{body}} and {{query}} for values; the body unless given. A request is only taken when
       * the part that it is read from is signed: the body of a POST, the query of a GET.
       */
      readonly signs?: string
      /** Header with the time of the signature, in seconds or milliseconds since 1970; it may differ by 300 s. */
      readonly timestampHeader?: string
    }
  | { readonly kind: 'twilio' }
  | { readonly kind: 'telnyx' }

export interface WebhookTemplate {
  readonly signature: Signature
  readonly content: 'json' | 'form'
  /** What the provider wants to read. */
  readonly answer: { readonly type: string; readonly body: string }
  readonly text?: { readonly when?: Condition; readonly fields: TextFields }
  readonly receipt?: {
    readonly when?: Condition
    readonly id: Pointer
    readonly to: Pointer
    readonly state: Pointer
    /** By the provider's word; words that are not listed are ignored. */
    readonly states: Readonly<Record<string, ReceiptState>>
    readonly code: Pointer
    readonly text: Pointer
  }
}

export interface ListedMedia {
  readonly count: Pointer
  /** Address of the list of files, whole or without the host. */
  readonly address: Pointer
  readonly list: Pointer
  /** Address of a file; without `ending` where it has that. */
  readonly url: Pointer
  readonly ending: string
  readonly contentType: Pointer
}

/** A provider that is known: its template and where it is. */
export interface Profile {
  readonly url: string
  readonly longestValiditySeconds?: number
  readonly template: Template
}

/** The value at a pointer; undefined where there is none. */
export function at(document: unknown, pointer: Pointer): unknown {
  if (pointer === '') return undefined
  let value: unknown = document
  for (const key of keysOf(pointer)) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function keysOf(pointer: Pointer): string[] {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * The document once for each member of a list that one of the pointers goes into by its first member (`/results/0/from`), as if that member
 * were the only one: providers send several things at once, and their documentation shows one.
 */
export function eachOf(document: unknown, pointers: readonly Pointer[]): unknown[] {
  let documents = [document]
  for (const pointer of pointers) documents = documents.flatMap((one) => apart(one, keysOf(pointer)))
  return documents
}

function apart(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined || value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return [value]
  if (Array.isArray(value)) return key === '0' ? value.flatMap((item) => apart(item, rest).map((one) => [one])) : [value]
  return apart((value as Record<string, unknown>)[key], rest).map((one) => ({ ...value, [key]: one }))
}

/** The list itself may be the answer: '' is the whole of it here. */
export function listAt(document: unknown, pointer: Pointer): readonly unknown[] {
  const list = pointer === '' ? document : at(document, pointer)
  return Array.isArray(list) ? list : []
}

/** '' for what is no text and no number. */
export function textAt(document: unknown, pointer: Pointer): string {
  const value = at(document, pointer)
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Date.parse would take it for a time of this machine's zone. */
const withoutZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/

/** Milliseconds since the epoch; null for what is no time. */
export function timeAt(document: unknown, pointer: Pointer): number | null {
  const text = textAt(document, pointer)
  if (text === '') return null
  const number = Number(text)
  const time = Number.isNaN(number) ? Date.parse(withoutZone.test(text) ? `${text}Z` : text) : number < 1e11 ? number * 1000 : number
  return Number.isFinite(time) ? time : null
}

export function holds(condition: Condition | undefined, document: unknown): boolean {
  return Object.entries(condition ?? {}).every(([pointer, wanted]) => {
    const value = textAt(document, pointer)
    return typeof wanted === 'string' ? value === wanted : wanted.includes(value)
  })
}

/** A request made of a template and values. The template is read only: each request is built from scratch. */
export type Values = Readonly<Record<string, string>>

export interface FilledRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const mark = /\{\{\s*(\w+)\s*\}\}/g
const wholeMark = /^\{\{\s*validitySeconds\s*\}\}$/

function fill(text: string, values: Values, write: (value: string) => string = (value) => value): string {
  return text.replaceAll(mark, (_, name: string) => write(values[name] ?? ''))
}

/** @param base address of the provider */
export function fillRequest(template: RequestTemplate, base: string, values: Values): FilledRequest {
  const url = new URL(base.replace(/\/$/, '') + fill(template.path, values, encodeURIComponent))
  const empty = [...url.searchParams].filter(([, value]) => value === '')
  for (const [name] of empty) url.searchParams.delete(name)
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, value] of Object.entries(template.headers ?? {})) {
    // A header ends at a line break: what a value brings along would be headers of its own.
    headers[name.toLowerCase()] = fill(value, values, (part) => part.replaceAll(/[^\x20-\x7e]/g, ''))
  }
  if (template.form !== undefined) {
    const filled = Object.entries(template.form).map(([name, value]) => [name, fill(value, values)] as [string, string])
    headers['content-type'] ??= 'application/x-www-form-urlencoded'
    return { method: template.method, url, headers, body: new URLSearchParams(filled.filter(([, value]) => value !== '')).toString() }
  }
  if (template.json !== undefined) {
    headers['content-type'] ??= 'application/json'
    return { method: template.method, url, headers, body: JSON.stringify(fillValue(template.json, values)) }
  }
  return { method: template.method, url, headers, body: null }
}

/** Inside JSON, values are set into texts before they are written out: nothing in them can end a text. */
function fillValue(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return wholeMark.test(value) ? Number(fill(value, values)) : fill(value, values)
  if (Array.isArray(value)) return value.map((item) => fillValue(item, values))
  if (value === null || typeof value !== 'object') return value
  const filled = Object.entries(value).map(([key, inner]) => [key, inner, fillValue(inner, values)] as const)
  return Object.fromEntries(filled.filter(([, before, now]) => now !== '' || before === '').map(([key, , now]) => [key, now]))
}
