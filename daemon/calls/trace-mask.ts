/**
 * What of a trace is stored unless the configuration says `voice.trace: full`: what happened, when and why, without what was pressed,
 * said or spoken. Texts are kept only where a name on the list says that they are no words of a person.
 */
import { forLog, Ours } from '../base/for-log.ts'
import type { TraceEntry } from '../store/tables.ts'

/** Members of `data` whose texts are names, codes and places; `forLog` still takes numbers, addresses and queries out of them. */
const plain: ReadonlySet<string> = new Set([
  'actionUrl',
  'answeredBy',
  'bargeIn',
  'cause',
  'engine',
  'event',
  'fif',
  'finishOnKey',
  'input',
  'language',
  'mediaUrl',
  'message',
  'method',
  'partialUrl',
  'path',
  'prompt',
  'reason',
  'recordingId',
  'streamSid',
  'to',
  'transcriptReason',
  'transcriptStatus',
  'url',
  'voice',
])
/** T.30 frames whose field is a number or a password of somebody (T.30 5.3.6). */
const namingFrame = /\b(?:TSI|CSI|CIG|PWD|SUB|SEP|SID|PSA|NSF|NSS|NSC)\b/

/** `own`: its text is a sentence of ours. */
export function masked(entry: TraceEntry, own = false): TraceEntry {
  const { data, ...rest } = entry
  const text = own ? entry.text : textOf(entry)
  if (data === undefined) return { ...rest, text }
  return { ...rest, text, data: entry.kind === 'frame' && namingFrame.test(entry.text) ? { fif: '***' } : values(data, '') }
}

function textOf({ kind, text }: TraceEntry): string {
  if (kind === 'key') return '*'
  if (kind === 'prompt') return hidden(text)
  return forLog(text)
}

function values(value: unknown, name: string): unknown {
  if (typeof value === 'string') return plain.has(name) ? forLog(value) : hidden(value)
  if (value instanceof Ours) return value.text
  if (Array.isArray(value)) return value.map((item) => values(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, item]) => [member, values(item, member)]))
}

function hidden(text: string): string {
  return text === '' ? '' : `*** (${text.length} characters)`
}

/** The same without marks of what is ours, for a reader who may see all of it. */
export function unmarked(value: unknown): unknown {
  if (value instanceof Ours) return value.text
  if (Array.isArray(value)) return value.map(unmarked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, item]) => [member, unmarked(item)]))
}
