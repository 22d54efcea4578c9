/** pbx lines: trunks, phones and modem lines. */
import type { LineView } from '../../../daemon/control/services.ts'
import type { Context } from '../context.ts'
import { age, dim, print, printJson, table } from '../output.ts'

export async function lines({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<LineView[]>('/lines')
  if (json) return printJson(view)
  print(view.length === 0 ? dim('none configured: add trunks, extensions or lines to the configuration') : lineTable(view))
}

export function lineTable(view: readonly LineView[]): string {
  const head = ['', 'KIND', 'ID', 'STATE', 'FOR', 'CALLS', 'REASON']
  return table(
    head,
    view.map((line) => [line.ok ? '✓' : '✗', line.kind, line.id, line.state, age(line.since), callsOf(line), line.reason]),
  )
}

function callsOf({ activeCalls, channels }: LineView): string {
  return channels > 0 ? `${activeCalls}/${channels}` : String(activeCalls)
}
