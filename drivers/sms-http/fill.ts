/** A request made of a template and values. The template is read only: each request is built from scratch. */
import type { RequestTemplate } from './template.ts'

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
