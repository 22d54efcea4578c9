/** pbx history: ended calls. */
import { type Command, Option } from 'commander'
import type { CallRecordView, HistoryAnswer } from '../../../daemon/schema/history.ts'
import { callOutcomes, historyDirections } from '../../../daemon/schema/states.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { bold, dim, duration, green, localTime, print, printJson, red, table, yellow } from '../output.ts'

export function historyCommand(): Command {
  const history = group('history', 'ended calls: caller, number called, time, outcome, and the way each call took')
  history.addCommand(
    finish(
      group('list', 'list calls, newest first (same as "pbx history")')
        .argument('[number]', 'a number or an extension that took part in the call')
        .addOption(new Option('--outcome <outcome>', 'show only this outcome').choices(callOutcomes))
        .addOption(new Option('--direction <direction>', 'show only this direction').choices(historyDirections))
        .option('--from <time>', 'calls that started at this time or later: 2026-03-02, or 2026-03-02T14:00')
        .option('--to <time>', 'calls that started before this time')
        .option('--limit <n>', 'show at most this many', rows, 50),
      list,
      ['pbx history', 'pbx history 102 --outcome missed', 'pbx history +15551230001 --from 2026-03-01 --json'],
    ),
    { isDefault: true },
  )
  history.addCommand(
    finish(
      group('show', 'show one call, step by step').argument('<callId>', 'the call id, or any part of it; "last" for the newest'),
      show,
      ['pbx history show last', 'pbx history show CA019aa4c1'],
    ),
  )
  return history
}

interface Wanted {
  readonly outcome?: string
  readonly direction?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

async function list({ json, client }: Context, number: string | undefined, { limit, ...wanted }: Wanted): Promise<void> {
  const asked = new URLSearchParams({ order: 'desc', limit: String(limit) })
  if (number !== undefined) asked.set('phoneNumber', number)
  for (const name of ['outcome', 'direction', 'from', 'to'] as const) {
    const value = wanted[name]
    if (value !== undefined) asked.set(name, name === 'from' || name === 'to' ? moment(name, value) : value)
  }
  const { items } = await (await client()).get<HistoryAnswer>(`/api/pbx/calls/history?${asked}`)
  if (json) return printJson(items)
  if (items.length === 0) return print(dim('no call matches'))
  print(
    table(
      ['CALL', 'STARTED', 'DIRECTION', 'FROM', 'TO', 'OUTCOME', 'WHO', 'WAITED', 'TALKED'],
      items.map((call) => [
        call.callId,
        localTime(call.startedAt),
        call.direction,
        caller(call),
        call.to,
        colour(call.outcome ?? call.state),
        call.extension ?? '-',
        duration(call.ringSeconds ?? 0),
        duration(call.talkSeconds ?? 0),
      ]),
    ),
  )
}

async function show({ json, client }: Context, callId: string): Promise<void> {
  const call = await (await client()).get<CallRecordView>(`/api/pbx/calls/history/${encodeURIComponent(callId)}`)
  if (json) return printJson(call)
  print(`${bold(call.callId)}  ${call.direction}  ${colour(call.outcome ?? call.state)}`)
  print(`  ${caller(call)} -> ${call.to}${call.trunkId === undefined ? '' : dim(` through ${call.trunkId}`)}`)
  const lines = [
    ...call.steps.map((step) => ({ at: step.at, text: `forwarded to ${step.to}${step.outcome === '' ? '' : dim(`  (${step.outcome})`)}` })),
    ...call.legs.flatMap((leg) => [
      { at: leg.startedAt, text: `ringing ${leg.to}${leg.trunkId === '' ? '' : ` through ${leg.trunkId}`}` },
      ...(leg.answeredAt === null ? [] : [{ at: leg.answeredAt, text: `${leg.to} answered` }]),
    ]),
    ...(call.endedAt === undefined ? [] : [{ at: call.endedAt, text: `ended by the ${call.hangupBy}${sipStatus(call)}` }]),
    ...(call.notes ?? []).map(({ createdAt, text }) => ({ at: createdAt, text: `note: ${text}` })),
  ].sort((a, b) => a.at.localeCompare(b.at))
  print(`  ${localTime(call.startedAt)}`)
  for (const { at, text } of lines)
    print(`  ${dim(`+${duration((Date.parse(at) - Date.parse(call.startedAt)) / 1000)}`.padEnd(9))} ${text}`)
  print(`  waited ${duration(call.ringSeconds ?? 0)}, talked ${duration(call.talkSeconds ?? 0)}`)
  for (const recording of call.recordings) print(dim(`  recording ${recording}`))
}

function sipStatus({ sipCode = 0 }: CallRecordView): string {
  return sipCode === 0 ? '' : dim(`  (SIP ${sipCode})`)
}

function caller({ from, callerName }: CallRecordView): string {
  return `${from === '' ? 'withheld' : from}${callerName === undefined ? '' : ` ${callerName}`}`
}

function colour(outcome: string): string {
  if (outcome === 'answered' || outcome === 'fax' || outcome === 'app') return green(outcome)
  return outcome === 'failed' || outcome === 'missed' || outcome === 'abandoned' ? red(outcome) : yellow(outcome)
}

/** A day is its midnight here. */
function moment(name: string, text: string): string {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
  if (Number.isNaN(at.getTime()))
    throw new CommandError(`--${name} ${text} is not a time; write 2026-03-02 or 2026-03-02T14:00`, { exit: exitCode.usage })
  return at.toISOString()
}
