/** pbx inbox: what was received, and a copy of a document. */
import { basename } from 'node:path'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { writeNew } from '../../../daemon/base/owner.ts'
import type { InboxNewestView, InboxSummaryView } from '../../../daemon/schema/inbox.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { deleteCommand, inboxIds, wholeId } from '../stored.ts'
import { bytes, dim, duration, localTime, print, printJson, table } from '../output.ts'
import { readOfDaemon } from '../owner.ts'

function cursor(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InvalidArgumentError('A cursor is a number, as nextSince gave it.')
  return Number(text)
}

export function inboxCommand(): Command {
  const inbox = group('inbox', 'received faxes, texts and voicemail')
  inbox.addCommand(
    finish(
      group('list', 'count the items; with the name of a feed, list its newest items')
        .addArgument(new Argument('[feed]', 'which').choices(['faxes', 'sms', 'voicemails']))
        .addOption(new Option('--since <cursor>', 'list what a program that polls with this cursor would get').argParser(cursor))
        .option('--text', 'show the content of texts and voicemails too; it may be private')
        .option('--limit <n>', 'show at most this many', rows, 20),
      list,
      ['pbx inbox', 'pbx inbox faxes', 'pbx inbox sms --since 1772460391000 --json'],
    ),
    { isDefault: true },
  )
  inbox.addCommand(
    finish(
      group('save', 'save the document of a fax, the recording of a voicemail, or a picture of a text')
        .argument('<id>', 'id of the item, or of a picture')
        .argument('[file]', 'the file to write (default: a name in this folder)'),
      save,
      ['pbx inbox save 019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8 fax.pdf'],
    ),
  )
  inbox.addCommand(deleteCommand({ kind: 'inbox', ids: inboxIds }, 'pbx inbox delete', 'a received fax, text or voicemail'))
  return inbox
}

type Feed = 'faxes' | 'sms' | 'voicemails'

interface ListOptions {
  since?: number
  text?: true
  limit: number
}

/** Members of the items of all feeds. */
interface Item {
  id: string
  from: string
  to: string
  receivedAt: string
  pages?: number
  status?: string
  bytes?: number
  body?: string
  segments?: number
  trunkId?: string
  keyword?: string
  mayOptOut?: true
  media?: readonly Media[]
  ext?: string
  durationSeconds?: number
  transcript?: string
  transcriptStatus?: string
}

interface Media {
  id: string
  contentType: string
  bytes: number | null
  state: string
  reason?: string
}

async function list({ json, client }: Context, feed: Feed | undefined, options: ListOptions): Promise<void> {
  const asked = await client()
  if (feed === undefined) {
    const view = await asked.get<InboxSummaryView>('/api/inbox')
    if (json) return printJson(view)
    const rows = view.map(({ feed: name, items, head }) => [name, String(items), String(head)])
    print(table(['FEED', 'ITEMS', 'CURSOR'], rows))
    const missed = view.reduce((sum, { missed: count = 0 }) => sum + count, 0)
    if (missed > 0) print(dim(`${missed} fax ${missed === 1 ? 'call' : 'calls'} brought no page: see pbx inbox faxes`))
    return
  }
  const { since, limit } = options
  const path = since === undefined ? `/api/inbox/newest/${feed}?limit=${limit}` : `/api/inbox/${feed}?limit=${limit}&since=${since}`
  const page = await asked.get<InboxNewestView>(path)
  if (json) return printJson(page)
  const items = page.items as readonly Item[]
  if (items.length === 0) print(dim('none'))
  else {
    const words = options.text === true && feed !== 'faxes'
    const head = ['RECEIVED', 'FROM', 'TO', 'WHAT', 'ID']
    print(
      table(
        words ? [...head, 'TEXT'] : head,
        items.map((item) => rowOf(feed, item, words)),
      ),
    )
  }
  const files = items.flatMap(({ id, media = [] }) => media.map((one) => ({ item: id, ...one })))
  if (files.length > 0) {
    print('\nPictures and other files of texts:')
    const rows = files.map(({ item, id, contentType, bytes: size, state, reason = '' }) => [
      item,
      contentType,
      size === null ? '' : bytes(size),
      state,
      id,
      reason,
    ])
    print(table(['OF', 'TYPE', 'SIZE', 'STATE', 'ID', 'WHY'], rows))
  }
  if (page.missed !== undefined && page.missed.length > 0) {
    print('\nFax calls that brought no page:')
    const rows = page.missed.map(({ at, from, to, durationSeconds, text, callId }) => [
      localTime(at),
      from,
      to,
      duration(durationSeconds),
      text,
      callId,
    ])
    print(table(['ENDED', 'FROM', 'TO', 'LASTED', 'HOW IT ENDED', 'CALL'], rows))
  }
  print(dim(`nextSince ${page.nextSince}`))
}

function rowOf(feed: Feed, item: Item, words: boolean): string[] {
  const text = words ? [(feed === 'sms' ? item.body : item.transcript)?.replaceAll(/\s+/g, ' ') ?? ''] : []
  return [localTime(item.receivedAt), item.from, item.to, whatOf(feed, item), item.id, ...text]
}

function whatOf(feed: Feed, item: Item): string {
  switch (feed) {
    case 'faxes':
      return `${item.pages} ${item.pages === 1 ? 'page' : 'pages'}${item.status === 'complete' ? '' : `, ${item.status}`}, ${bytes(item.bytes ?? 0)}`
    case 'sms':
      return [`${item.segments} ${item.segments === 1 ? 'part' : 'parts'} by ${item.trunkId}`, ...besidesOf(item)].join(', ')
    case 'voicemails':
      return `mailbox ${item.ext}, ${duration(item.durationSeconds ?? 0)}, transcript ${item.transcriptStatus}`
  }
}

function besidesOf({ keyword, mayOptOut, media = [] }: Item): string[] {
  return [
    ...(keyword === undefined ? [] : [keyword]),
    ...(mayOptOut === undefined ? [] : ['may be an opt-out']),
    ...(media.length === 0 ? [] : [`${media.length} ${media.length === 1 ? 'file' : 'files'}`]),
  ]
}

async function save({ json, client }: Context, id: string, file: string | undefined): Promise<number> {
  const box = await client()
  const media = await box.get<{ file: string; name: string }>(`/api/inbox/media/${encodeURIComponent(await wholeId(box, inboxIds, id))}`)
  // Here, whatever the daemon calls it.
  const target = file ?? basename(media.name)
  const content = readOfDaemon(box.socket, media.file)
  try {
    writeNew(target, content, 0o644)
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw new CommandError(exists ? `${target} already exists` : `${target} cannot be written: ${(error as Error).message}`)
  }
  if (json) printJson({ id, file: target })
  else print(target)
  return exitCode.done
}
