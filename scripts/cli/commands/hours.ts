/** pbx hours: what is open. */
import { Argument, type Command } from 'commander'
import type { HoursView } from '../../../daemon/schema/extensions.ts'
import { CommandError } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { dim, green, localTime, print, printJson, table, yellow } from '../output.ts'

export function hoursCommand(): Command {
  return finish(
    group('hours', 'show which hours are open now and until when; or open and close by hand')
      .argument('[id]', 'the id of the hours')
      .addArgument(new Argument('[state]', 'open or close by hand; auto: follow the calendar again').choices(['open', 'closed', 'auto']))
      .option('--until <time>', 'end of the change by hand: 18:00 or 2026-12-24T18:00, local time (default: until "auto")'),
    hours,
    ['pbx hours', 'pbx hours office closed --until 18:00', 'pbx hours office auto'],
  )
}

async function hours(
  { json, client }: Context,
  id: string | undefined,
  state: string | undefined,
  { until }: { until?: string },
): Promise<void> {
  const box = await client()
  if (id !== undefined && state !== undefined)
    return show(json, [
      await box.post<HoursView>(`/api/hours/${encodeURIComponent(id)}`, { state, ...(until === undefined ? {} : { until }) }),
    ])
  const view = (await box.get<HoursView[]>('/api/hours')).filter((one) => id === undefined || one.id === id)
  if (id !== undefined && view.length === 0) throw new CommandError(`There are no hours ${id}.`)
  show(json, view)
}

function show(json: boolean, view: readonly HoursView[]): void {
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none configured: add hours to the configuration'))
  print(
    table(
      ['HOURS', 'NEXT CHANGE', 'CALLS GO TO', 'TODAY', 'BY HAND', 'NOW'],
      view.map(({ id, open, until, destination, special, override, overrideUntil }) => [
        id,
        localTime(until),
        destination,
        special === null ? '' : special.length === 0 ? 'special: closed' : `special: ${special.join(', ')}`,
        override === null ? '' : `${override}${overrideUntil === null ? '' : ` until ${localTime(overrideUntil)}`}`,
        open ? green('open') : yellow('closed'),
      ]),
    ),
  )
}
