/** pbx lines: trunks, phones and modem lines; addresses that are ignored for wrong passwords. */
import type { Command } from 'commander'
import type { BanView, LineView } from '../../../daemon/schema/operation.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { age, dim, duration, print, printJson, table } from '../output.ts'

export function linesCommand(): Command {
  const commands = group('lines', 'trunks, phones and modem lines, each with its state and the reason')
  commands.addCommand(finish(group('list', 'list all lines (same as "pbx lines")'), lines, ['pbx lines']), { isDefault: true })
  commands.addCommand(finish(group('bans', 'list addresses that are banned after wrong passwords'), bans, ['pbx lines bans']))
  commands.addCommand(
    finish(
      group('unban', 'lift the ban of an address; exit 1 when it was not banned').argument(
        '<address>',
        'the address from "pbx lines bans"',
      ),
      unban,
      ['pbx lines unban 192.0.2.40', 'pbx lines unban 2001:db8:1:2::/64'],
    ),
  )
  return commands
}

async function lines({ json, client }: Context): Promise<void> {
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
  const gaps = underruns === 0 ? [] : [`${underruns} ${underruns === 1 ? 'gap' : 'gaps'} in its audio`]
  return [...(duplex === 'half' ? ['half duplex: hears nothing while it speaks'] : []), ...gaps].join('; ')
}

function callsOf({ activeCalls, channels }: LineView): string {
  return channels > 0 ? `${activeCalls}/${channels}` : String(activeCalls)
}

async function bans({ json, client }: Context): Promise<void> {
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

async function unban({ json, client }: Context, address: string): Promise<number> {
  const view = await (await client()).delete<{ address: string; lifted: boolean }>(`/api/bans/${encodeURIComponent(address)}`)
  if (json) printJson(view)
  else print(view.lifted ? `${address} may register again` : `${address} is not banned: see "pbx lines bans"`)
  return view.lifted ? exitCode.done : exitCode.failed
}
