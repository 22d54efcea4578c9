/** pbx callbacks list, show, retry. */
import { type Command, Option } from 'commander'
import type { CallbackDetailView, CallbackView } from '../../../daemon/schema/applications.ts'
import { callbackStates } from '../../../daemon/schema/states.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { idsOf, wholeId } from '../stored.ts'
import { age, dim, localTime, print, printJson, table } from '../output.ts'

export function callbacksCommand(): Command {
  const callbacks = group('callbacks', 'callbacks to applications: pending, delivered and given up')
  callbacks.addCommand(
    finish(
      group('list', 'list callbacks that are pending or were given up')
        .addOption(new Option('--state <state>', 'show only these').choices(callbackStates))
        .option('--limit <n>', 'show at most this many', rows, 50),
      list,
      ['pbx callbacks list', 'pbx callbacks list --state dead'],
    ),
  )
  callbacks.addCommand(
    finish(group('show', 'show one callback with its body').argument('<eventId>'), show, [
      'pbx callbacks show 019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55',
    ]),
  )
  callbacks.addCommand(
    finish(group('retry', 'send a callback again now').argument('[eventId]').option('--dead', 'all callbacks that were given up'), retry, [
      'pbx callbacks retry 019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55',
      'pbx callbacks retry --dead',
    ]),
  )
  return callbacks
}

const callbackIds = idsOf('/api/callbacks', 'eventId')

async function list({ json, client }: Context, options: { state?: string; limit: number }): Promise<void> {
  const state = options.state === undefined ? '' : `&state=${options.state}`
  const view = await (await client()).get<CallbackView[]>(`/api/callbacks?limit=${options.limit}${state}`)
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none'))
  print(
    table(
      ['EVENT ID', 'KIND', 'STATE', 'AGE', 'TRIES', 'NEXT', 'LAST RESULT', 'URL'],
      view.map((row) => [
        row.eventId,
        row.kind,
        row.state,
        age(row.createdAt),
        String(row.attempts),
        localTime(row.nextAttemptAt),
        row.lastResult,
        row.url,
      ]),
    ),
  )
}

async function show({ json, client }: Context, eventId: string): Promise<void> {
  const box = await client()
  const view = await box.get<CallbackDetailView>(`/api/callbacks/${encodeURIComponent(await wholeId(box, callbackIds, eventId))}`)
  if (json) return printJson(view)
  const facts: [string, string][] = [
    ['event', `${view.kind} (${view.eventId})`],
    ['about', view.subject],
    ['to', view.url],
    ['state', `${view.state}, ${view.attempts} tries`],
    ['made', localTime(view.createdAt)],
    ['last try', `${localTime(view.lastAttemptAt)}  ${view.lastResult}`],
    ['next try', localTime(view.nextAttemptAt)],
    ['body', view.body || 'not kept after delivery'],
  ]
  for (const [name, value] of facts) print(`${dim(name.padEnd(9))} ${value}`)
}

async function retry({ json, client }: Context, eventId: string | undefined, options: { dead?: true }): Promise<void> {
  if ((eventId === undefined) === (options.dead === undefined)) {
    throw new CommandError('give one event id, or --dead', {
      exit: exitCode.usage,
      code: 'usage',
      fix: 'pbx callbacks list --state dead',
    })
  }
  const asked = await client()
  const ids =
    eventId === undefined
      ? (await asked.get<CallbackView[]>('/api/callbacks?state=dead&limit=1000')).map((row) => row.eventId)
      : [await wholeId(asked, callbackIds, eventId)]
  for (const id of ids) await asked.post(`/api/callbacks/${encodeURIComponent(id)}/retry`)
  if (json) printJson({ retried: ids })
  else print(ids.length === 0 ? dim('no callback was given up') : `${ids.length} will be sent now: see "pbx callbacks list"`)
}
