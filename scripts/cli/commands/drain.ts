/** pbx drain: no new calls, before an upgrade or before the box is switched off. */
import { type Command, InvalidArgumentError } from 'commander'
import type { DrainView } from '../../../daemon/schema/drain.ts'
import { type Context, finish, group } from '../command.ts'
import { print, printJson } from '../output.ts'

interface Options {
  readonly for?: number
  readonly now?: true
  readonly off?: true
  readonly show?: true
}

export function drainCommand(): Command {
  return finish(
    group('drain', 'take no new calls: requests are accepted and wait, calls in progress go on; it lasts over restarts')
      .option('--for <time>', 'end the calls that are still there after this time: 90s, 60m, 2h (default: they end by themselves)', seconds)
      .option('--now', 'end the calls in progress at once')
      .option('--off', 'take calls again')
      .option('--show', 'only show how it stands'),
    drain,
    ['pbx drain', 'pbx drain --for 60m', 'pbx drain --off'],
  )
}

async function drain({ json, client }: Context, options: Options): Promise<void> {
  const box = await client()
  const view = await asked(box, options)
  if (json) return printJson(view)
  if (!view.draining) return print('The box takes calls.')
  const end = view.until === null ? '' : `\nThe calls that are left are ended at ${new Date(view.until).toLocaleString()}.`
  print(
    `The box takes no new calls. In progress: ${view.calls}, waiting to be dialled: ${view.waiting}.${end}\nTo take calls again: pbx drain --off`,
  )
}

function asked(box: Awaited<ReturnType<Context['client']>>, options: Options): Promise<DrainView> {
  if (options.show) return box.get<DrainView>('/api/drain')
  if (options.off) return box.delete<DrainView>('/api/drain')
  const time = options.now ? 0 : options.for
  return box.post<DrainView>('/api/drain', time === undefined ? {} : { seconds: time })
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

function seconds(text: string): number {
  const [, count = '', unit = 's'] = /^(\d{1,5})([smh])?$/.exec(text) ?? []
  const total = Number(count) * (units[unit] ?? 1)
  if (count === '' || total > 86_400) throw new InvalidArgumentError('Give a time of at most one day, such as 90s, 60m or 2h.')
  return total
}
