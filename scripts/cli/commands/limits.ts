/** pbx limits, pbx limits reset. */
import type { LimitView } from '../../../daemon/schema/limits.ts'
import type { Context } from '../context.ts'
import { green, print, printJson, red, table, yellow } from '../output.ts'

const names: Readonly<Record<string, string>> = {
  texts: 'parts of texts',
  faxes: 'faxes',
  callMinutes: 'call minutes',
  internationalMinutes: 'international call minutes',
}

export async function list({ json, client }: Context): Promise<void> {
  show(json, await (await client()).get<LimitView[]>('/api/limits'))
}

export async function reset({ json, client }: Context, { token }: { token?: string }): Promise<void> {
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
