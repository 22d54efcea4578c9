/** pbx alarms: who is told what, a test of it, and to take something in hand. */
import type { AlarmsView, AlarmTestView } from '../../../daemon/schema/alarms.ts'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { theOne } from '../ids.ts'
import { bold, dim, green, localTime, print, printJson, red, shortId } from '../output.ts'

export async function alarms({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<AlarmsView>('/api/alarms')
  if (json) return printJson(view)
  if (view.rules.length === 0) print(dim('nobody is told: write a rule under alarms'))
  for (const { id, events, severity, now, notify } of view.rules) {
    const told = notify.map(({ way, to }) => `${to} (${way})`).join(', ')
    print(`${id}: ${severity} of ${events.join(', ')}, to ${told === '' ? 'nobody' : told}${now ? '' : '; not at this hour'}`)
  }
  for (const { rule, event, times, toldAt, nextAt } of view.alarms) {
    print(`\n${event.until === null ? red('✗') : green('✓')} ${bold(shortId(event.eventId))}  ${localTime(event.since)}  ${event.code}`)
    print(`  ${event.text}`)
    const next = nextAt === null ? '' : `, next ${localTime(nextAt)}`
    const hand = event.acknowledgedBy === '' ? '' : `, in the hands of ${event.acknowledgedBy}`
    print(
      `  ${dim(`${rule}: told ${times === 0 ? 'not yet' : `${times === 1 ? 'once' : `${times} times`}, last ${localTime(toldAt)}`}${next}${hand}`)}`,
    )
  }
}

/** Ways of the alarms themselves: nothing else keeps what became of them. */
const ownWays: readonly string[] = ['call', 'webhook']

export async function test({ json, client }: Context, rule: string | undefined): Promise<number> {
  const view = await (await client()).post<AlarmTestView>('/api/alarms/test', rule === undefined ? {} : { rule })
  const code = view.length > 0 && view.every(({ ok }) => ok) ? exitCode.done : exitCode.failed
  if (json) return (printJson(view), code)
  if (view.length === 0) print('nobody is told: write a rule with notify under alarms')
  for (const one of view) {
    print(`${one.ok ? green('✓') : red('✗')} ${one.rule}: ${one.to} (${one.way})${one.ok ? '' : `: ${one.error}`}`)
  }
  const queued = new Set(view.flatMap(({ ok, way }) => (ok && !ownWays.includes(way) ? [way] : [])))
  for (const way of queued) print(dim(`what became of it: pbx ${way} list`))
  return code
}

export async function acknowledge({ json, client }: Context, given: string | undefined): Promise<void> {
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
