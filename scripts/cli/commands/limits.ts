/** pbx limits, pbx limits reset. */
import type { Command } from 'commander'
import type { LimitView } from '../../../daemon/schema/limits.ts'
import { type Context, finish, group } from '../command.ts'
import { green, print, printJson, red, table, yellow } from '../output.ts'

export function limitsCommand(): Command {
  const limits = finish(group('limits', "today's use by the box and by each token: texts, faxes, call minutes"), list, [
    'pbx limits',
    'pbx limits --json',
    'pbx limits reset --token booking-system',
  ])
  limits.enablePositionalOptions()
  limits.addCommand(
    finish(
      group('reset', 'set the counts of today to zero, once you know what used them up').option(
        '--token <name>',
        'only for this access token',
      ),
      reset,
      ['pbx limits reset', 'pbx limits reset --token booking-system'],
    ),
  )
  return limits
}

const names: Readonly<Record<string, string>> = {
  texts: 'parts of texts',
  faxes: 'faxes',
  callMinutes: 'call minutes',
  internationalMinutes: 'international call minutes',
}

async function list({ json, client }: Context): Promise<void> {
  show(json, await (await client()).get<LimitView[]>('/api/limits'))
}

async function reset({ json, client }: Context, { token }: { token?: string }): Promise<void> {
  show(json, await (await client()).post<LimitView[]>('/api/limits/reset', token === undefined ? {} : { token }))
}

function show(json: boolean, view: readonly LimitView[]): void {
  if (json) return printJson(view)
  print(
    table(
      ['WHOSE', 'WHAT', 'USED TODAY', 'LIMIT', 'STATE'],
      view.map(({ of, name, what, used, most }) => {
        const state = used >= most ? red('reached') : used * 2 >= most ? yellow('half used') : green('ok')
        return [of === 'box' ? 'box' : `token ${name}`, names[what] ?? what, String(used), String(most), state]
      }),
    ),
  )
}
