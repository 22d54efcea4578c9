/** pbx trace: one call as a ladder, the caller on the left and the application on the right. */
import type { CallView, TraceEntryView, TraceView } from '../../../daemon/schema/voice-api.ts'
import type { Client } from '../client.ts'
import { CommandError } from '../client.ts'
import { shown } from './calls.ts'
import type { Context } from '../context.ts'
import { idsIn } from '../ids.ts'
import { remove } from './stored.ts'
import { blue, bold, dim, duration, green, localTime, print, printJson, red, seconds, yellow } from '../output.ts'

export async function trace(context: Context, callId: string, options: { delete?: true } = {}): Promise<void> {
  const { json, client } = context
  const asked = await client()
  const id = await fullId(asked, callId)
  if (options.delete) return remove({ kind: 'trace', ids: idsIn('/api/voice/calls', 'callId') })(context, id)
  const view = await asked.get<TraceView>(`/api/voice/calls/${encodeURIComponent(id)}/trace`)
  const call = shown(view.call)
  if (json) return printJson({ ...view, call })
  printHead(call)
  for (const entry of view.entries) print(entryLine(entry))
  if (call.endedAt !== null) print(`\n${bold(call.endReason)}: talked ${duration(call.talkSeconds)}`)
}

const mostSearched = 1000

/** A technician types a part of an id, or `last`. */
async function fullId(client: Client, given: string): Promise<string> {
  if (/^CA[0-9a-f]{32}$/.test(given)) return given
  const known = await client.list<CallView>('/api/voice/calls', mostSearched)
  const matching = given === 'last' ? known.slice(0, 1) : known.filter((call) => call.callId.includes(given))
  const [only, another] = matching
  if (!only)
    throw new CommandError(given === 'last' ? 'there has been no call yet' : `no call has ${given} in its id`, {
      code: 'call_unknown',
      fix: 'pbx calls --all',
    })
  if (another)
    throw new CommandError(`${matching.length} calls have ${given} in their ids: give more of it`, {
      code: 'ambiguous',
      fix: 'pbx calls --all',
    })
  return only.callId
}

export function printHead(call: ReturnType<typeof shown>): void {
  const app = call.endpoint ? `endpoint ${call.endpoint}` : 'no application'
  print(bold(`${call.callId}  ${call.direction}  ${call.from || 'unknown'} -> ${call.to}`))
  print(dim(`${localTime(call.startedAt)} · ${call.trunkId ? `trunk ${call.trunkId} · ` : ''}${app} · ${call.state}`))
  for (const leg of call.legs ?? []) print(dim(`with ${leg.to}${leg.trunkId ? ` through ${leg.trunkId}` : ''} · ${leg.state}`))
  print('')
}

interface Look {
  /** Arrow between caller, box and application. */
  readonly mark: string
  readonly paint: (text: string) => string
}

const plain = (text: string): string => text
const looks: Readonly<Record<string, Look>> = {
  event: { mark: '        ──▶ app', paint: blue },
  document: { mark: '        ◀── app', paint: green },
  prompt: { mark: 'caller ◀──     ', paint: plain },
  key: { mark: 'caller ──▶     ', paint: bold },
  leg: { mark: 'caller ◀─▶     ', paint: dim },
  warning: { mark: '        !      ', paint: yellow },
  error: { mark: '        ✗      ', paint: red },
}
const other: Look = { mark: '        ·      ', paint: dim }

export function entryLine(entry: TraceEntryView): string {
  const { mark, paint } = looks[entry.kind] ?? other
  const text = paint(entry.text)
  return `${dim(seconds(entry.ms).padStart(9))}  ${dim(mark)}  ${entry.kind.padEnd(9)} ${text}${shortData(entry)}`
}

/** What an event told and how a document reads are what the technician came for; the rest is left to --json. */
function shortData({ kind, data }: TraceEntryView): string {
  if (typeof data !== 'object' || data === null) return ''
  const facts = data as Readonly<Record<string, unknown>>
  if (kind === 'event') {
    const told = Object.entries(facts).filter(([, value]) => value !== '')
    return dim(told.map(([name, value]) => `  ${name}=${String(value)}`).join(''))
  }
  if (kind !== 'document' || !Array.isArray(facts['verbs'])) return ''
  const took = typeof facts['ms'] === 'number' ? dim(`  in ${Math.round(facts['ms'])} ms`) : ''
  const indent = ' '.repeat(38)
  return took + facts['verbs'].map((verb) => `\n${indent}${dim(JSON.stringify(verb))}`).join('')
}
