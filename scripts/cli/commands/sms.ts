/** pbx sms: send texts, look at them, at the trunks, and at the numbers that asked not to be texted. */
import { type Command, Option } from 'commander'
import type { SmsSentView, SmsSummary, SmsTrunkView, SmsView, SuppressedView } from '../../../daemon/schema/sms.ts'
import { smsStates } from '../../../daemon/schema/states.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { deleteCommand, idsIn } from '../stored.ts'
import { age, bold, dim, green, localTime, print, printJson, red, table, yellow } from '../output.ts'

export function smsCommand(): Command {
  const sms = group('sms', 'outgoing text messages')
  sms.addCommand(
    finish(
      group('send', 'send a text; waits up to 8 s for the trunk; exit 1 when no number can be reached')
        .argument('<number...>', 'the recipients')
        .requiredOption('--text <text>', 'the text'),
      send,
      ['pbx sms send +15551230001 --text "We are closed today."', 'pbx sms send 555-123-0001 555-123-0002 --text "Hello" --json'],
    ),
  )
  sms.addCommand(
    finish(
      group('list', 'list texts, newest first')
        .addOption(new Option('--state <state>', 'show only these').choices(smsStates))
        .option('--limit <n>', 'show at most this many', rows, 50),
      list,
      ['pbx sms list', 'pbx sms list --state unknown'],
    ),
  )
  sms.addCommand(
    finish(
      group('show', 'show one text with the reports of the network').argument(
        '<messageId>',
        'the text id, or a part that is unique; "last" for the newest',
      ),
      show,
      ['pbx sms show last'],
    ),
  )
  sms.addCommand(finish(group('trunks', 'show the trunks for texts, with their state'), trunks, ['pbx sms trunks']))
  const stopped = group('stop-list', 'numbers that opted out of texts')
  stopped.addCommand(finish(group('list', 'list the numbers, with the message that opted each out'), stopList, ['pbx sms stop-list list']))
  stopped.addCommand(
    finish(group('add', 'send no more texts to a number').argument('<number>'), stopListAdd, ['pbx sms stop-list add +15551230001']),
  )
  stopped.addCommand(
    finish(group('remove', 'allow texts to a number again').argument('<number>'), stopListRemove, [
      'pbx sms stop-list remove +15551230001',
    ]),
  )
  sms.addCommand(stopped)
  sms.addCommand(deleteCommand({ kind: 'sms', ids: idsIn('/api/sms', 'messageId') }, 'pbx sms delete', 'a text'))
  return sms
}

async function send({ json, client }: Context, to: readonly string[], { text }: { text: string }): Promise<number> {
  const answer = await (await client()).post<SmsSentView>('/api/sms', { to, text })
  if (json) printJson(answer)
  else {
    for (const { to: number, status, messageId, segments, encoding, error } of answer.messages) {
      const what = status === 'accepted' ? green('sent') : status === 'queued' ? yellow('queued') : red(status)
      const parts = segments === undefined ? '' : `, ${segments === 1 ? '1 part' : `${segments} parts`} ${encoding}`
      print(`${number}: ${what}${parts}${error === undefined ? '' : `: ${error}`}${messageId === undefined ? '' : dim(`  ${messageId}`)}`)
    }
  }
  return answer.sent + answer.queued > 0 ? exitCode.done : exitCode.failed
}

async function list({ json, client }: Context, options: { state?: string; limit: number }): Promise<void> {
  const view = await (await client()).list<SmsSummary>('/api/sms', options.limit, { state: options.state })
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none'))
  print(
    table(
      ['MESSAGE ID', 'TO', 'STATE', 'PARTS', 'TRUNK', 'TRIES', 'AGE', 'WHAT'],
      view.map((text) => [
        text.messageId,
        text.to,
        text.status,
        String(text.segments),
        text.trunkId,
        String(text.attempts),
        age(text.createdAt),
        text.nextAttemptAt === null ? text.error : `${text.error} Next try at ${localTime(text.nextAttemptAt)}`,
      ]),
    ),
  )
}

async function show({ json, client }: Context, id: string): Promise<void> {
  const text = await (await client()).get<SmsView>(`/api/sms/${encodeURIComponent(id)}`)
  if (json) return printJson(text)
  const paint = text.status === 'failed' || text.status === 'unknown' ? red : text.completedAt === null ? yellow : green
  print(`${bold(text.messageId)}  ${paint(text.status)}${text.error === '' ? '' : `: ${text.error}`}`)
  const parts = text.parts.map(({ accepted, report }) => report ?? (accepted ? 'accepted by the network' : 'not sent'))
  const facts: [string, string][] = [
    ['to', text.to],
    ['from', text.from === '' ? text.trunkId : `${text.from} (${text.trunkId})`],
    ['accepted', localTime(text.createdAt)],
    ['sent', localTime(text.sentAt)],
    ['ended', localTime(text.completedAt)],
    ['tries', String(text.attempts)],
    ['next try', localTime(text.nextAttemptAt)],
    ['parts', `${text.segments} ${text.encoding}: ${parts.join(', ')}`],
    ['belongs to', text.subject === '' ? '-' : text.subject],
    ['text', text.body],
  ]
  for (const [name, value] of facts) print(`${dim(name.padEnd(10))} ${value}`)
}

async function trunks({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<SmsTrunkView[]>('/api/sms/trunks')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none configured: add sms: { trunks: [...] } to the configuration'))
  print(
    table(
      ['TRUNK', 'KIND', 'NUMBER', 'STATE', 'SINCE', 'WHAT'],
      view.map(({ id, kind, number, default: preferred, ok, state, since, reason, facts }) => [
        preferred ? `${id} (default)` : id,
        kind,
        number === '' ? '-' : number,
        ok ? green(state) : red(state),
        age(since),
        [reason, ...Object.entries(facts).map(([name, value]) => `${name} ${value}`)].filter((part) => part !== '').join(', '),
      ]),
    ),
  )
}

async function stopList({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<SuppressedView[]>('/api/sms/stop-list')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none'))
  print(
    table(
      ['NUMBER', 'SINCE', 'BY'],
      view.map(({ number, since, by }) => [number, localTime(since), by]),
    ),
  )
}

async function stopListAdd({ json, client }: Context, number: string): Promise<void> {
  const view = await (await client()).post<SuppressedView>(`/api/sms/stop-list/${encodeURIComponent(number)}`)
  if (json) printJson(view)
  else print(`${view.number} gets no more texts`)
}

async function stopListRemove({ json, client }: Context, number: string): Promise<void> {
  const view = await (await client()).delete<{ removed: string }>(`/api/sms/stop-list/${encodeURIComponent(number)}`)
  if (json) printJson(view)
  else print(`${view.removed} may get texts again`)
}
