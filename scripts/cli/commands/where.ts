/** pbx where: where a call would go, and why. */
import type { Command } from 'commander'
import type { WhereStep } from '../../../daemon/schema/extensions.ts'
import { type Context, finish, group } from '../command.ts'
import { print, printJson } from '../output.ts'

export function whereCommand(): Command {
  return finish(
    group('where', 'show where a call would go, step by step, and why; no call is made')
      .argument('<number>', 'the number that is dialled')
      .option('--from <number>', 'the extension that dials (default: the call comes in through a trunk)')
      .option('--at <time>', 'at this time, such as 2026-12-24T18:00-05:00 (default: now)'),
    where,
    ['pbx where +15550001000', 'pbx where +15551230000 --from 101', 'pbx where +15550001000 --at 2026-12-24T18:00-05:00'],
  )
}

async function where({ json, client }: Context, to: string, { from = '', at }: { from?: string; at?: string }): Promise<void> {
  const query = new URLSearchParams({ to, from, ...(at === undefined ? {} : { at }) })
  const steps = await (await client()).get<WhereStep[]>(`/api/where?${query}`)
  if (json) return printJson(steps)
  for (const { depth, text } of steps) print(`${'  '.repeat(depth)}${text}`)
}
