/** pbx events: the history of the box, newest last, so that what follows comes below. */
import { type Command, Option } from 'commander'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { boxEventKinds, type BoxEventKind } from '../../../daemon/schema/states.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { bold, dim, duration, green, localTime, print, printJson, printRaw, red, yellow } from '../output.ts'

export function eventsCommand(): Command {
  return finish(
    group('events', 'faults and changes of the box, with start and end: lines, parts, disk, clock, updates, logins')
      .option('--follow', 'keep printing new events until Ctrl-C')
      .option('--lasting', 'show only events that are still open')
      .addOption(new Option('--kind <kind>', 'show only these').choices(boxEventKinds))
      .option('--code <code>', 'show only this code, such as line-main')
      .option('--limit <n>', 'show at most this many', rows, 20),
    events,
    ['pbx events', 'pbx events --follow', 'pbx events --kind line --limit 100', 'pbx events --code line-main --json'],
  )
}

interface Wanted {
  readonly follow?: true
  readonly lasting?: true
  readonly kind?: BoxEventKind
  readonly code?: string
  readonly limit: number
}

async function events({ json, client }: Context, { follow, lasting, kind, code, limit }: Wanted): Promise<void> {
  const asked = await client()
  const query = { kind, code, lasting: lasting === true ? 'true' : undefined }
  const found = await asked.list<BoxEventView>('/api/box/events', limit, query)
  if (json && !follow) return printJson(found)
  const show = (event: BoxEventView): void => (json ? printRaw(JSON.stringify(event)) : print(block(event)))
  if (found.length === 0 && !follow) return print(dim(lasting ? 'no open events' : 'no events yet'))
  for (const event of found.toReversed()) show(event)
  if (!follow) return
  await asked.stream<BoxEventView>('/api/box/events/follow', {}, (event) => {
    const wanted = (kind === undefined || event.kind === kind) && (code === undefined || event.code === code)
    if (wanted && (lasting !== true || event.until === null)) show(event)
  })
}

const marks = { notice: dim('·'), warning: yellow('!'), error: red('✗') } as const

/** Time, fault, fix, and the person who was notified. */
function block({ severity, code, since, until, text, fix, acknowledgedBy, told }: BoxEventView): string {
  const lasted = until === null ? bold('open') : until === since ? '' : `for ${duration((Date.parse(until) - Date.parse(since)) / 1000)}`
  const head = [until === null ? marks[severity] : green('✓'), localTime(since), severity, code, lasted].filter((word) => word !== '')
  const latest = told.at(-1)
  return [
    head.join('  '),
    `   ${text}`,
    ...(until === null && fix !== '' ? [`   ${dim(`fix: ${fix}`)}`] : []),
    ...(latest === undefined ? [] : [`   ${dim(`notified: ${latest.to} (${latest.way}) at ${localTime(latest.at)}`)}`]),
    ...(acknowledgedBy === '' ? [] : [`   ${dim(`acknowledged by ${acknowledgedBy}`)}`]),
  ].join('\n')
}
