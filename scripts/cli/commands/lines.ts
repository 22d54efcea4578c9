/** pbx lines: trunks, phones and modem lines; addresses that are ignored for wrong passwords. */
import type { BanView, LineView } from '../../../daemon/schema/operation.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { age, dim, duration, print, printJson, table } from '../output.ts'

export async function lines({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<LineView[]>('/api/lines')
  if (json) return printJson(view)
  print(view.length === 0 ? dim('none configured: add trunks, extensions or lines to the configuration') : lineTable(view))
}

export function lineTable(view: readonly LineView[]): string {
  const head = ['', 'KIND', 'ID', 'STATE', 'FOR', 'CALLS', 'REASON']
  return table(
    head,
    view.map((line) => [line.ok ? '✓' : '✗', line.kind, line.id, line.state, age(line.since), callsOf(line), noteOf(line)]),
  )
}

/** What is wrong, or what somebody who builds dialogues should know. */
function noteOf({ reason, duplex, underruns = 0 }: LineView): string {
  if (reason !== '') return reason
  const gaps = underruns === 0 ? [] : [`${underruns} ${underruns === 1 ? 'gap' : 'gaps'} in what was said`]
  return [...(duplex === 'half' ? ['does not hear while it speaks'] : []), ...gaps].join('; ')
}

function callsOf({ activeCalls, channels }: LineView): string {
  return channels > 0 ? `${activeCalls}/${channels}` : String(activeCalls)
}

export async function bans({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<BanView[]>('/api/bans')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('no address is banned'))
  print(
    table(
      ['ADDRESS', 'FOR ANOTHER', 'WRONG PASSWORDS'],
      view.map((ban) => [ban.address, duration(ban.seconds), String(ban.failures)]),
    ),
  )
}

export async function unban({ json, client }: Context, address: string): Promise<number> {
  const view = await (await client()).delete<{ address: string; lifted: boolean }>(`/api/bans/${encodeURIComponent(address)}`)
  if (json) printJson(view)
  else print(view.lifted ? `${address} may register again` : `${address} is not banned: see "pbx lines bans"`)
  return view.lifted ? exitCode.done : exitCode.failed
}
