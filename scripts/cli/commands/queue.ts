/** pbx queue: who waits, who takes calls, what became of those of a day. */
import { Argument, type Command } from 'commander'
import type { QueueView } from '../../../daemon/schema/queues.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { age, bold, dim, duration, print, printJson, table } from '../output.ts'

export function queueCommand(): Command {
  return finish(
    group('queue', 'show queues: waiting callers, members, figures of a day; with an action: log a member in or out, pause or resume')
      .argument('[name]', 'the queue (default: all)')
      .addArgument(new Argument('[action]', 'what to do with the member').choices(['login', 'logout', 'pause', 'resume']))
      .argument('[extension]', 'extension of the member')
      .option('--day <date>', 'figures of this day, such as 2026-03-02 (default: today)')
      .option('--reason <text>', 'the reason for the pause')
      .option('--paused', 'log in, and pause at once'),
    queue,
    ['pbx queue', 'pbx queue nurses --day 2026-03-02', 'pbx queue nurses pause 103 --reason lunch', 'pbx queue nurses login 104 --paused'],
  )
}

interface QueueOptions {
  readonly day?: string
  readonly reason?: string
  readonly paused?: true
}

async function queue(
  { json, client }: Context,
  name: string | undefined,
  action: string | undefined,
  extension: string | undefined,
  { day, reason, paused }: QueueOptions,
): Promise<void> {
  const daemon = await client()
  if (name === undefined) {
    const view = await daemon.get<QueueView[]>('/api/queues')
    if (json) return printJson(view)
    return print(view.length === 0 ? dim('none configured: add queues to the configuration') : overview(view))
  }
  const path = `/api/queues/${encodeURIComponent(name)}`
  if (action !== undefined && extension === undefined)
    throw new CommandError(`give the extension of the member: pbx queue ${name} ${action} EXTENSION`, { exit: exitCode.usage })
  const view =
    action === undefined
      ? await daemon.get<QueueView>(day === undefined ? path : `${path}?day=${encodeURIComponent(day)}`)
      : await daemon.post<QueueView>(`${path}/members/${encodeURIComponent(extension!)}`, {
          action,
          ...(reason === undefined ? {} : { reason }),
          ...(paused === undefined ? {} : { paused }),
        })
  if (json) return printJson(view)
  print(`${bold(view.id)}  ${view.name === '' ? '' : `${view.name}, `}${view.strategy}`)
  print(view.callers.length === 0 ? dim('no caller waits') : callerTable(view))
  print()
  print(memberTable(view))
  print()
  print(figures(view))
}

function overview(view: readonly QueueView[]): string {
  return table(
    ['QUEUE', 'NAME', 'WAIT', 'LONGEST', 'MEMBERS', 'ANSWERED TODAY', 'ABANDONED'],
    view.map(({ id, name, callers, members, answered, offered, abandoned }) => {
      const there = members.filter(({ state }) => !['logged out', 'no phone', 'paused'].includes(state)).length
      const longest = Math.max(0, ...callers.map(({ waitedSeconds }) => waitedSeconds))
      const waits = callers.length === 0 ? '-' : duration(longest)
      return [id, name, String(callers.length), waits, `${there}/${members.length}`, `${answered}/${offered}`, String(abandoned)]
    }),
  )
}

function callerTable({ callers }: QueueView): string {
  return table(
    ['PLACE', 'FROM', 'NAME', 'STATE', 'WAITS', 'PRIORITY', 'RINGS', 'CALL'],
    callers.map(({ from, callerName, state, waitedSeconds, priority, ringing, callId }, index) => [
      String(index + 1),
      from,
      callerName,
      state,
      duration(waitedSeconds),
      String(priority),
      ringing.join(' ') || '-',
      callId,
    ]),
  )
}

function memberTable({ members }: QueueView): string {
  return table(
    ['MEMBER', 'NAME', 'STATE', 'FOR', 'OFFERED', 'ANSWERED', 'MISSED', 'TALK', 'REASON'],
    members.map(({ extension, name, state, since, offered, answered, missed, talkSeconds, reason }) => [
      extension,
      name,
      state,
      age(since),
      String(offered),
      String(answered),
      String(missed),
      duration(talkSeconds),
      reason,
    ]),
  )
}

function figures({ day, offered, answered, abandoned, sentOn, waitP50Seconds, waitP95Seconds }: QueueView): string {
  const waited = (seconds: number | null): string => (seconds === null ? '-' : duration(seconds))
  return table(
    ['DAY', 'OFFERED', 'ANSWERED', 'ABANDONED', 'SENT ON', 'WAIT P50', 'WAIT P95'],
    [[day, ...[offered, answered, abandoned, sentOn].map(String), waited(waitP50Seconds), waited(waitP95Seconds)]],
  )
}
