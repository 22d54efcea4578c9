/** pbx calls: who talks to whom. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { CallView, TraceEntryView, TraceView } from '../../../daemon/schema/voice-api.ts'
import { type Client, CommandError } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { idsIn, remove } from '../stored.ts'
import { age, blue, bold, dim, duration, green, harmless, localTime, print, printJson, red, seconds, table, yellow } from '../output.ts'

export function callCommands(): Command[] {
  return [
    finish(
      group('calls', 'calls in progress, with both parties of each')
        .option('--all', 'include the latest ended calls')
        .option('--watch', 'refresh every second until Ctrl-C')
        .option('--limit <n>', 'show at most this many', rows, 50),
      calls,
      ['pbx calls', 'pbx calls --watch', 'pbx calls --all --limit 10'],
    ),
    finish(
      group('trace', 'show everything that happened in one call: events, documents, keys, prompts, timings')
        .argument('<callId>', 'the call id, or any part of it; "last" for the newest')
        .option('--delete', 'delete the trace permanently instead'),
      trace,
      ['pbx trace last', 'pbx trace CA019aa4c1', 'pbx trace last --json'],
    ),
  ]
}

interface Wanted {
  readonly all?: true
  readonly limit: number
  readonly watch?: true
}

const betweenMs = 1000

async function calls({ json, client }: Context, { all, limit, watch }: Wanted): Promise<void> {
  const asked = await client()
  const look = async () => (await asked.list<CallView>('/api/voice/calls', limit, { state: all ? 'all' : 'live' })).map(shown)
  if (json) return printJson(await look())
  if (!watch) return print(screen(await look(), all))
  for (;;) {
    const text = screen(await look(), all)
    // The whole screen again, from its first line.
    process.stdout.write(`${process.stdout.isTTY ? '\u001b[H\u001b[2J' : ''}${harmless(text)}\n`)
    await pause(betweenMs)
  }
}

function screen(view: readonly ReturnType<typeof shown>[], all: true | undefined): string {
  if (view.length === 0) return dim(all ? 'no calls yet' : 'no calls in progress (ended calls: pbx calls --all)')
  return table(
    ['CALL', 'STARTED', 'DIRECTION', 'FROM', 'TO', 'WITH', 'STATE', 'TIME', 'BY'],
    view.map((call) => [
      call.callId,
      localTime(call.startedAt),
      call.direction,
      call.from || 'unknown',
      call.to,
      others(call),
      call.endReason ? `${call.state} (${call.endReason})` : call.activity ? `${call.state} (${call.activity})` : call.state,
      call.endedAt === null ? age(call.startedAt) : duration(call.talkSeconds),
      call.endpoint || '-',
    ]),
  )
}

/** The parties that talk, or else those that ring; for an ended call, the parties that talked. */
export function others({ legs = [], endedAt }: Pick<CallView, 'legs' | 'endedAt'>): string {
  const talk = legs.filter((leg) => leg.answeredAt !== null && (endedAt !== null || leg.endedAt === null))
  if (talk.length > 0) return talk.map(({ to }) => to).join(', ')
  const ringing = endedAt === null ? legs.filter((leg) => leg.endedAt === null) : []
  return ringing.length === 0 ? '-' : `rings ${ringing.map(({ to }) => to).join(', ')}`
}

/** `pbx --json` leaves no member out and has a text where the interface has null: so it always was. */
function shown(call: CallView) {
  const { startedAt, endpoint = '', endReason } = call
  return { ...call, startedAt: startedAt ?? call.createdAt, endpoint, endReason: endReason ?? '' }
}

async function trace(context: Context, callId: string, options: { delete?: true } = {}): Promise<void> {
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
    throw new CommandError(given === 'last' ? 'no calls yet' : `no call id contains ${given}`, {
      code: 'call_unknown',
      fix: 'pbx calls --all',
    })
  if (another)
    throw new CommandError(`${matching.length} call ids contain ${given}: give more characters`, {
      code: 'ambiguous',
      fix: 'pbx calls --all',
    })
  return only.callId
}

function printHead(call: ReturnType<typeof shown>): void {
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

/** What an event reported and how a document reads are what the technician came for; the rest is left to --json. */
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
