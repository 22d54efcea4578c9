/** pbx alarms: who is told what, a test of it, and to take something in hand. */
import type { Command } from 'commander'
import type { AlarmsView, AlarmTestView } from '../../../daemon/schema/alarms.ts'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { theOne } from '../stored.ts'
import { bold, dim, green, localTime, print, printJson, red, shortId } from '../output.ts'

export function alarmsCommand(): Command {
  const commands = group('alarms', 'who is told what is the matter with the box, and what is told now')
  commands.addCommand(finish(group('list', 'rules and alarms (what "pbx alarms" alone shows)'), alarms, ['pbx alarms']), {
    isDefault: true,
  })
  commands.addCommand(
    finish(
      group('test', 'tell everybody of a rule, or of all, that nothing is the matter; exit 1 when somebody cannot be told').argument(
        '[rule]',
      ),
      test,
      ['pbx alarms test', 'pbx alarms test office'],
    ),
  )
  commands.addCommand(
    finish(
      group('ack', 'take in hand what lasts: nobody is told of it again before it is over').argument(
        '[event]',
        'the event as pbx alarms shows it (default: all that last)',
      ),
      acknowledge,
      ['pbx alarms ack', 'pbx alarms ack 6f0a1d37'],
    ),
  )
  return commands
}

async function alarms({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<AlarmsView>('/api/alarms')
  if (json) return printJson(view)
  if (view.rules.length === 0) print(dim('nobody is told: write a rule under alarms'))
  for (const { id, events, severity, now, notify } of view.rules) {
    const told = notify.map(({ way, to }) => `${to} (${way})`).join(', ')
    print(`${id}: ${severity} of ${events.join(', ')}, to ${told === '' ? 'nobody' : told}${now ? '' : '; not at this hour'}`)
  }
  for (const one of view.alarms.filter((alarm, at, all) => all.findIndex(isOf(alarm)) === at)) {
    const { event } = one
    print(`\n${event.until === null ? red('✗') : green('✓')} ${bold(shortId(event.eventId))}  ${localTime(event.since)}  ${event.code}`)
    print(`  ${event.text}`)
    for (const told of view.alarms.filter(isOf(one))) print(`  ${dim(toldLine(told))}`)
  }
}

type Alarm = AlarmsView['alarms'][number]

const isOf =
  ({ event }: Alarm) =>
  (other: Alarm): boolean =>
    other.event.eventId === event.eventId

function toldLine({ rule, event, times, toldAt, nextAt }: Alarm): string {
  const so = times === 0 ? 'not told yet' : `told ${times === 1 ? 'once' : `${times} times`}, last ${localTime(toldAt)}`
  const next = nextAt === null ? '' : `, next ${localTime(nextAt)}`
  const hand = event.acknowledgedBy === '' ? '' : `, in the hands of ${event.acknowledgedBy}`
  return `${rule}: ${so}${next}${hand}`
}

/** Where it is seen what became of it, for ways that are not called as their command. */
const seenIn: Readonly<Record<string, string>> = { call: 'pbx calls --all', webhook: 'pbx callbacks list' }

export async function test({ json, client }: Context, rule: string | undefined): Promise<number> {
  const view = await (await client()).post<AlarmTestView>('/api/alarms/test', rule === undefined ? {} : { rule })
  const code = view.length > 0 && view.every(({ ok }) => ok) ? exitCode.done : exitCode.failed
  if (json) return (printJson(view), code)
  if (view.length === 0) print('nobody is told: write a rule with notify under alarms')
  for (const one of view) {
    print(`${one.ok ? green('✓') : red('✗')} ${one.rule}: ${one.to} (${one.way})${one.ok ? '' : `: ${one.error}`}`)
  }
  const queued = new Set(view.flatMap(({ ok, way }) => (ok ? [way] : [])))
  for (const way of queued) print(dim(`what became of it: ${seenIn[way] ?? `pbx ${way} list`}`))
  return code
}

async function acknowledge({ json, client }: Context, given: string | undefined): Promise<void> {
  const box = await client()
  const eventId =
    given === undefined
      ? undefined
      : theOne(
          given,
          (await box.list<BoxEventView>('/api/box/events', 1000)).map((event) => event.eventId),
        )
  const view = await box.post<{ acknowledged: number }>('/api/alarms/acknowledge', eventId === undefined ? {} : { eventId })
  if (json) return printJson(view)
  print(
    view.acknowledged === 0
      ? 'nothing was left to be taken in hand'
      : `${view.acknowledged} taken in hand: nobody is told again before it is over`,
  )
}
