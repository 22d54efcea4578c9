/** pbx events: the history of the box, newest last, so that what follows comes below. */
import { type Command, Option } from 'commander'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { boxEventKinds, type BoxEventKind } from '../../../daemon/schema/states.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { bold, dim, duration, green, localTime, print, printJson, printRaw, red, yellow } from '../output.ts'

export function eventsCommand(): Command {
  return finish(
    group('events', 'what was the matter with the box, from when until when: lines, parts, disk, clock, updates, logins')
      .option('--follow', 'go on with what happens, until Ctrl-C')
      .option('--lasting', 'only what lasts')
      .addOption(new Option('--kind <kind>', 'only these').choices(boxEventKinds))
      .option('--code <code>', 'only this one, such as line-main')
      .option('--limit <n>', 'at most so many', rows, 20),
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
  if (found.length === 0 && !follow) return print(dim(lasting ? 'nothing is the matter' : 'nothing has happened yet'))
  for (const event of found.toReversed()) show(event)
  if (!follow) return
  await asked.stream<BoxEventView>('/api/box/events/follow', {}, (event) => {
    const wanted = (kind === undefined || event.kind === kind) && (code === undefined || event.code === code)
    if (wanted && (lasting !== true || event.until === null)) show(event)
  })
}

const marks = { notice: dim('·'), warning: yellow('!'), error: red('✗') } as const

/** When, what, what mends it, who was told. */
function block({ severity, code, since, until, text, fix, acknowledgedBy, told }: BoxEventView): string {
  const lasted = until === null ? bold('lasts') : until === since ? '' : `for ${duration((Date.parse(until) - Date.parse(since)) / 1000)}`
  const head = [until === null ? marks[severity] : green('✓'), localTime(since), severity, code, lasted].filter((word) => word !== '')
  const latest = told.at(-1)
  return [
    head.join('  '),
    `   ${text}`,
    ...(until === null && fix !== '' ? [`   ${dim(`mend: ${fix}`)}`] : []),
    ...(latest === undefined ? [] : [`   ${dim(`told: ${latest.to} (${latest.way}) at ${localTime(latest.at)}`)}`]),
    ...(acknowledgedBy === '' ? [] : [`   ${dim(`taken in hand by ${acknowledgedBy}`)}`]),
  ].join('\n')
}
