/** pbx sms: send texts, look at them, at the trunks, and at the numbers that asked not to be texted. */
import type { SmsSentView, SmsSummary, SmsTrunkView, SmsView, SuppressedView } from '../../../daemon/schema/sms.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { age, bold, dim, green, localTime, print, printJson, red, table, yellow } from '../output.ts'

export async function send({ json, client }: Context, to: readonly string[], { text }: { text: string }): Promise<number> {
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

export async function list({ json, client }: Context, options: { state?: string; limit: number }): Promise<void> {
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

export async function show({ json, client }: Context, id: string): Promise<void> {
  const text = await (await client()).get<SmsView>(`/api/sms/${encodeURIComponent(id)}`)
  if (json) return printJson(text)
  const paint = text.status === 'failed' || text.status === 'unknown' ? red : text.completedAt === null ? yellow : green
  print(`${bold(text.messageId)}  ${paint(text.status)}${text.error === '' ? '' : `: ${text.error}`}`)
  const parts = text.parts.map(({ accepted, report }) => report ?? (accepted ? 'taken by the network' : 'not sent'))
  const facts: [string, string][] = [
    ['to', text.to],
    ['from', text.from === '' ? text.trunkId : `${text.from} (${text.trunkId})`],
    ['accepted', localTime(text.createdAt)],
    ['sent', localTime(text.sentAt)],
    ['over', localTime(text.completedAt)],
    ['tries', String(text.attempts)],
    ['next try', localTime(text.nextAttemptAt)],
    ['parts', `${text.segments} ${text.encoding}: ${parts.join(', ')}`],
    ['belongs to', text.subject === '' ? '-' : text.subject],
    ['text', text.body],
  ]
  for (const [name, value] of facts) print(`${dim(name.padEnd(10))} ${value}`)
}

export async function trunks({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<SmsTrunkView[]>('/api/sms/trunks')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none is configured: write sms: { trunks: [...] }'))
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

export async function stopList({ json, client }: Context): Promise<void> {
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

export async function stopListAdd({ json, client }: Context, number: string): Promise<void> {
  const view = await (await client()).post<SuppressedView>(`/api/sms/stop-list/${encodeURIComponent(number)}`)
  if (json) printJson(view)
  else print(`${view.number} is not texted any more`)
}

export async function stopListRemove({ json, client }: Context, number: string): Promise<void> {
  const view = await (await client()).delete<{ removed: string }>(`/api/sms/stop-list/${encodeURIComponent(number)}`)
  if (json) printJson(view)
  else print(`${view.removed} may be texted again`)
}
