/** pbx alarms: rules and open alarms, test messages, acknowledgement. */
import type { Command } from 'commander'
import type { AlarmsView, AlarmTestView } from '../../../daemon/schema/alarms.ts'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { theOne } from '../stored.ts'
import { bold, dim, green, localTime, print, printJson, red, shortId } from '../output.ts'

export function alarmsCommand(): Command {
  const commands = group('alarms', 'alarm rules, open alarms, and who was notified of them')
  commands.addCommand(finish(group('list', 'show rules and alarms (same as "pbx alarms")'), alarms, ['pbx alarms']), {
    isDefault: true,
  })
  commands.addCommand(
    finish(
      group('test', 'send a test message to everyone named in a rule (default: all rules); exit 1 when one cannot be sent').argument(
        '[rule]',
      ),
      test,
      ['pbx alarms test', 'pbx alarms test office'],
    ),
  )
  commands.addCommand(
    finish(
      group('ack', 'acknowledge open alarms: no reminders until they clear').argument(
        '[event]',
        'the event id from "pbx alarms" (default: all open alarms)',
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
  if (view.rules.length === 0) print(dim('no rules: add one under alarms in the configuration'))
  for (const { id, events, severity, now, notify } of view.rules) {
    const names = notify.map(({ way, to }) => `${to} (${way})`).join(', ')
    print(`${id}: ${severity} of ${events.join(', ')}, to ${names === '' ? 'nobody' : names}${now ? '' : '; not at this hour'}`)
  }
  for (const one of view.alarms.filter((alarm, at, all) => all.findIndex(isOf(alarm)) === at)) {
    const { event } = one
    print(`\n${event.until === null ? red('✗') : green('✓')} ${bold(shortId(event.eventId))}  ${localTime(event.since)}  ${event.code}`)
    print(`  ${event.text}`)
    for (const alarm of view.alarms.filter(isOf(one))) print(`  ${dim(sentLine(alarm))}`)
  }
}

type Alarm = AlarmsView['alarms'][number]

const isOf =
  ({ event }: Alarm) =>
  (other: Alarm): boolean =>
    other.event.eventId === event.eventId

function sentLine({ rule, event, times, toldAt, nextAt }: Alarm): string {
  const so = times === 0 ? 'not sent yet' : `sent ${times === 1 ? 'once' : `${times} times`}, last ${localTime(toldAt)}`
  const next = nextAt === null ? '' : `, next ${localTime(nextAt)}`
  const hand = event.acknowledgedBy === '' ? '' : `, acknowledged by ${event.acknowledgedBy}`
  return `${rule}: ${so}${next}${hand}`
}

/** Where it is seen what became of it, for ways that are not called as their command. */
const seenIn: Readonly<Record<string, string>> = { call: 'pbx calls --all', webhook: 'pbx callbacks list' }

async function test({ json, client }: Context, rule: string | undefined): Promise<number> {
  const view = await (await client()).post<AlarmTestView>('/api/alarms/test', rule === undefined ? {} : { rule })
  const code = view.length > 0 && view.every(({ ok }) => ok) ? exitCode.done : exitCode.failed
  if (json) return (printJson(view), code)
  if (view.length === 0) print('no rule notifies anyone: add a rule with notify under alarms in the configuration')
  for (const one of view) {
    print(`${one.ok ? green('✓') : red('✗')} ${one.rule}: ${one.to} (${one.way})${one.ok ? '' : `: ${one.error}`}`)
  }
  const queued = new Set(view.flatMap(({ ok, way }) => (ok ? [way] : [])))
  for (const way of queued) print(dim(`to see the result: ${seenIn[way] ?? `pbx ${way} list`}`))
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
    view.acknowledged === 0 ? 'there was no open alarm to acknowledge' : `${view.acknowledged} acknowledged: no reminders until they clear`,
  )
}
