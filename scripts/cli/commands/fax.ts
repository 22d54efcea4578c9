/** pbx fax: send a PDF and see it through, look at faxes, try again, cancel. */
import { type Command, Option } from 'commander'
import type { FaxSummary, FaxView } from '../../../daemon/schema/fax.ts'
import { faxStates } from '../../../daemon/schema/states.ts'
import { type Client, CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { deleteCommand, idsIn } from '../stored.ts'
import { age, bold, dim, duration, green, harmless, localTime, print, printJson, printRaw, red, table, yellow } from '../output.ts'
import { readGiven } from '../owner.ts'

export function faxCommand(): Command {
  const fax = group('fax', 'outgoing faxes')
  const id = ['<faxId>', 'the fax id, or a part that is unique; "last" for the newest'] as const
  fax.addCommand(
    finish(
      group('send', 'send a PDF as a fax and show its progress; exit 1 when it fails')
        .argument('<file>', 'the PDF')
        .requiredOption('--to <number>', 'the fax number')
        .option('--cover', 'add a cover page')
        .option('--cover-to <name>', 'recipient on the cover page')
        .option('--cover-from <name>', 'sender on the cover page')
        .option('--subject <text>', 'subject on the cover page')
        .addOption(new Option('--priority <priority>', 'faxes with a higher priority are sent first').choices(['low', 'normal', 'high']))
        .option('--portfolio', 'if the PDF is a portfolio, send every PDF inside, sorted by name')
        .option('--no-wait', 'queue the fax and exit, without waiting'),
      send,
      ['pbx fax send letter.pdf --to +15551230001', 'pbx fax send form.pdf --to 555-123-0001 --cover-to "Dr. Hay" --no-wait'],
    ),
  )
  fax.addCommand(
    finish(
      group('list', 'list faxes, newest first')
        .addOption(new Option('--state <state>', 'show only these').choices(faxStates))
        .option('--limit <n>', 'show at most this many', rows, 50),
      list,
      ['pbx fax list', 'pbx fax list --state failed'],
    ),
  )
  fax.addCommand(finish(group('show', 'show one fax with its calls').argument(...id), show, ['pbx fax show last']))
  fax.addCommand(
    finish(group('retry', 'call again now; a fax that has ended is sent again as a new fax').argument(...id), retry, [
      'pbx fax retry last',
    ]),
  )
  fax.addCommand(finish(group('cancel', 'cancel a fax').argument(...id), cancel, ['pbx fax cancel last']))
  fax.addCommand(deleteCommand({ kind: 'fax', ids: idsIn('/api/fax', 'faxId') }, 'pbx fax delete', 'a fax that has ended and its document'))
  return fax
}

interface SendOptions {
  to: string
  cover?: true
  coverTo?: string
  coverFrom?: string
  subject?: string
  priority?: 'low' | 'normal' | 'high'
  portfolio?: true
  wait?: boolean
}

const barWidth = 20

async function send({ json, client }: Context, file: string, options: SendOptions): Promise<number> {
  const { to, priority, coverTo, coverFrom, subject } = options
  const pdf = readGiven(file)
  const withCover = options.cover ?? (coverTo !== undefined || coverFrom !== undefined || subject !== undefined)
  const cover = {
    ...(coverTo === undefined ? {} : { to: coverTo }),
    ...(coverFrom === undefined ? {} : { from: coverFrom }),
    ...(subject === undefined ? {} : { subject }),
  }
  const asked = await client()
  const fax = await asked.post<FaxSummary>('/api/fax', {
    to,
    pdfBase64: pdf.toString('base64'),
    ...(withCover ? { cover } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(options.portfolio ? { portfolio: 'files' } : {}),
  })
  if (!json) for (const warning of fax.warnings) print(yellow(warning))
  if (options.wait === false) {
    if (json) printJson(fax)
    else print(`${fax.faxId}: accepted, ${pages(fax.pages)} to ${fax.to}; see "pbx fax show ${fax.faxId}"`)
    return exitCode.done
  }
  if (!json) print(dim(`fax ${fax.faxId}: ${pages(fax.pages)} to ${fax.to}; Ctrl-C leaves it to the daemon`))
  return follow(asked, fax.faxId, json)
}

/** Shows every change until the fax has ended. */
async function follow(client: Client, faxId: string, json: boolean): Promise<number> {
  let last: FaxView | undefined
  let shown = ''
  const live = process.stdout.isTTY && !json
  await client.stream<FaxView>(`/api/fax/${encodeURIComponent(faxId)}/watch`, undefined, (fax) => {
    last = fax
    if (json) return printRaw(JSON.stringify(fax))
    const line = progressLine(fax)
    if (line === shown) return
    shown = line
    // A line that the terminal wraps could not be written over.
    if (live) process.stdout.write(`\r\u001b[K${harmless(line).slice(0, (process.stdout.columns || 80) - 1)}`)
    else print(line)
  })
  if (live) print()
  if (last === undefined) throw new CommandError('the daemon reported nothing about the fax')
  if (!json) print(endLine(last))
  return last.status === 'sent' ? exitCode.done : exitCode.failed
}

function progressLine(fax: FaxSummary): string {
  const done = fax.pages === 0 ? 0 : Math.round((fax.pagesSent / fax.pages) * barWidth)
  const bar = `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}] ${fax.pagesSent}/${fax.pages}`
  const left =
    fax.estimatedSeconds === null || fax.estimatedSeconds === 0 || fax.completedAt !== null
      ? ''
      : `, about ${duration(fax.estimatedSeconds)} left`
  return `${bar} ${stateWords(fax)}${left}`
}

const phases: Readonly<Record<string, string>> = {
  negotiating: 'negotiating',
  training: 'training the modem',
  page: 'sending',
}

/** What a fax does at the moment, in words. */
function stateWords(fax: FaxSummary): string {
  switch (fax.status) {
    case 'queued':
      return 'waiting'
    case 'processing':
      return fax.estimatedSeconds === null ? 'preparing the pages' : 'waiting for a line'
    case 'dialing':
      return `calling ${fax.to}`
    case 'sending': {
      const { phase = 'page', page = fax.pagesSent + 1, bitRate = fax.bitRate, percent = null } = fax.progress ?? {}
      if (phase === 'confirmed') return `page ${fax.pagesSent} confirmed`
      const rate = bitRate === 0 || phase !== 'page' ? '' : ` at ${bitRate} bit/s`
      const part = percent === null ? '' : `, ${percent} %`
      return `page ${page}: ${phases[phase] ?? phase}${rate}${part}`
    }
    case 'retrying':
      return `${fax.message} Next try at ${localTime(fax.nextAttemptAt)}`
    default:
      return fax.status
  }
}

function endLine(fax: FaxSummary): string {
  const doubled = fax.possibleDuplicatePages.length === 0 ? '' : ` Page ${fax.possibleDuplicatePages.join(', ')} may have arrived twice.`
  if (fax.status === 'sent') {
    const how = `${pages(fax.pages)} in ${duration(fax.durationSeconds)}, ${fax.bitRate} bit/s${fax.ecm ? ' with error correction' : ''}`
    return `${green('sent')}: ${how}${fax.remoteStationId === '' ? '' : `, received by ${fax.remoteStationId}`}.${doubled}`
  }
  if (fax.status === 'canceled') return `${yellow('canceled')}: ${fax.pagesSent} of ${pages(fax.pages)} arrived.${doubled}`
  return `${red('failed')} (${fax.reason ?? 'unknown'}): ${fax.message} ${fax.pagesSent} of ${pages(fax.pages)} arrived.${doubled}`
}

function pages(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`
}

async function list({ json, client }: Context, options: { state?: string; limit: number }): Promise<void> {
  const view = await (await client()).list<FaxSummary>('/api/fax', options.limit, { state: options.state })
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none'))
  print(
    table(
      ['FAX ID', 'TO', 'STATE', 'PAGES', 'CALLS', 'AGE', 'WHAT'],
      view.map((fax) => [
        fax.faxId,
        fax.to,
        fax.status,
        `${fax.pagesSent}/${fax.pages}`,
        String(fax.attempts),
        age(fax.createdAt),
        fax.completedAt === null ? stateWords(fax) : fax.message,
      ]),
    ),
  )
}

async function show({ json, client }: Context, id: string): Promise<void> {
  const fax = await (await client()).get<FaxView>(`/api/fax/${encodeURIComponent(id)}`)
  if (json) printJson(fax)
  else printFax(fax)
}

function printFax(fax: FaxView): void {
  print(`${bold(fax.faxId)}  ${fax.completedAt === null ? progressLine(fax) : endLine(fax)}`)
  const facts: [string, string][] = [
    ['to', fax.to],
    ['from', fax.from],
    ['accepted', localTime(fax.createdAt)],
    ['ended', localTime(fax.completedAt)],
  ]
  for (const [name, value] of facts) print(`${dim(name.padEnd(9))} ${value}`)
  for (const warning of fax.warnings) print(`${dim('warning'.padEnd(9))} ${warning}`)
  const { calls } = fax
  if (calls.length === 0) return print(dim('no call yet'))
  print(
    table(
      ['CALL', 'AT', 'LINE', 'OUTCOME', 'PAGES', 'RATE', 'TOOK', 'CODE', 'WHAT'],
      calls.map((call) => [
        call.callId,
        localTime(call.at),
        call.line,
        call.outcome,
        String(call.pages),
        call.bitRate === 0 ? '-' : String(call.bitRate),
        duration(call.durationSeconds),
        call.t30Code === null ? (call.sipCode === 0 ? '-' : `SIP ${call.sipCode}`) : `T.30 ${call.t30Code}`,
        call.text,
      ]),
    ),
  )
  print(dim(`every frame of a call: pbx trace ${calls.at(-1)!.callId}`))
}

async function retry({ json, client }: Context, id: string): Promise<void> {
  const fax = await (await client()).post<FaxSummary>(`/api/fax/${encodeURIComponent(id)}/retry`)
  if (json) return printJson(fax)
  print(`${fax.faxId}: ${fax.status === 'queued' ? 'sent again as a new fax' : 'will be called now'}; see "pbx fax show ${fax.faxId}"`)
}

async function cancel({ json, client }: Context, id: string): Promise<void> {
  const fax = await (await client()).post<FaxView>(`/api/fax/${encodeURIComponent(id)}/cancel`)
  if (json) printJson(fax)
  else print(endLine(fax))
}
