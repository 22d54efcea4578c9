/** pbx config apply, confirm, revert, diff, history: the running daemon is asked, which sees files and secrets as its own user. */
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { writeConfigFile, faultLine } from '../../../daemon/config/source.ts'
import { inWords } from '../../../daemon/config/compare.ts'
import type {
  ConfigChange,
  ConfigCheckView,
  ConfigRevisionView,
  ConfigStateView,
  ConfigUnderWayView,
} from '../../../daemon/schema/config/change.ts'
import { CommandError, exitCode, installedConfig, type Client } from '../client.ts'
import type { Context } from '../command.ts'
import { bold, dim, green, localTime, print, printJson, printNote, red, table, yellow } from '../output.ts'
import { readGiven } from '../owner.ts'
import { patience } from '../patience.ts'

export interface Changing {
  readonly yes?: boolean
  readonly confirm?: boolean
  readonly now?: boolean
  readonly wait?: number
}

const askMs = 250
/** How long a restart may wait for calls, unless somebody says so: as the daemon has it. */
const usualWaitMinutes = 10
/** A restart closes the socket for so long at most. */
const goneMs = 90_000

export async function apply(
  context: Context,
  file: string | undefined,
  { check, note, ...changing }: Changing & { check?: boolean; note?: string },
): Promise<number> {
  const text = file === undefined ? undefined : readGiven(file).toString('utf8')
  return applyText(context, text, file, { ...(check === undefined ? {} : { check }), ...(note === undefined ? {} : { note }), ...changing })
}

/** `text`: by default what the file of the daemon says. `from` names it in faults. */
export async function applyText(
  context: Context,
  text: string | undefined,
  from: string | undefined,
  { check, note, ...changing }: Changing & { check?: boolean; note?: string },
): Promise<number> {
  const client = await context.client()
  const given = text === undefined ? {} : { text }
  const view = await client.post<ConfigCheckView>('/api/config/check', given)
  if (!view.ok || check === true || !context.json) {
    if (context.json) printJson(view)
    else tellCheck(view, from)
    if (!view.ok) return exitCode.failed
    if (check === true) return exitCode.done
  }
  if (view.changes.length > 0 && changing.yes !== true && !context.json && canAsk(from) && !(await agreed('Apply these changes?')))
    return exitCode.failed
  const order = { ...given, ...(note === undefined ? {} : { note }), ...orderOf(changing) }
  const begun = await client.post<ConfigUnderWayView>('/api/config/apply', order)
  return follow(context, client, begun, changing, text)
}

export async function revert(context: Context, revision: number | undefined, changing: Changing): Promise<number> {
  const client = await context.client()
  const order = { ...(revision === undefined ? {} : { revision }), ...orderOf(changing) }
  const begun = await client.post<ConfigUnderWayView>('/api/config/revert', order)
  // Without a number it undoes the change that waits to be confirmed, if there is one.
  return follow(context, client, begun, changing, undefined, begun.state === 'unconfirmed' ? 'reverted' : 'applied')
}

export async function confirm(context: Context): Promise<number> {
  const client = await context.client()
  const begun = await client.post<ConfigUnderWayView>('/api/config/confirm')
  return follow(context, client, begun, { yes: true }, undefined)
}

export async function diff({ client, json }: Context, from: string | undefined, to: string | undefined): Promise<number> {
  const asked = await client()
  const numbers = [from, to].filter((one): one is string => one !== undefined && /^\d+$/.test(one))
  if (to !== undefined && numbers.length < 2)
    throw new CommandError('give the numbers of two revisions', {
      exit: exitCode.usage,
      code: 'usage',
      fix: 'pbx config history',
    })
  let changes: readonly ConfigChange[]
  if (from !== undefined && numbers.length === 0) {
    const view = await asked.post<ConfigCheckView>('/api/config/check', { text: readGiven(from).toString('utf8') })
    if (!view.ok) {
      tellCheck(view, from)
      return exitCode.failed
    }
    changes = view.changes
  } else {
    const query = new URLSearchParams(numbers.map((number, at): [string, string] => [at === 0 ? 'from' : 'to', number]))
    changes = await asked.get<ConfigChange[]>(`/api/config/diff?${query}`)
  }
  if (json) printJson(changes)
  else if (changes.length === 0) print('no differences')
  else for (const change of changes) print(changeLine(change))
  return exitCode.done
}

export async function history({ client, json }: Context): Promise<void> {
  const revisions = await (await client()).get<ConfigRevisionView[]>('/api/config/revisions')
  if (json) return printJson(revisions)
  const rows = revisions.map(({ revision, at, by, outcome, reason, note, changes, summary, inUse }) => {
    const what = outcome === 'reverted' ? `rolled back: ${reason}` : [note, ...summary].filter((text) => text !== '').join('; ')
    return [`${revision}${inUse ? '*' : ''}`, localTime(at).slice(0, 16), by, String(changes), what]
  })
  print(cut(table(['REV', 'WHEN', 'BY', 'KEYS', 'WHAT'], rows)))
  print(dim('* in use. "pbx config diff REV" shows what has changed since,\n"pbx config revert REV" goes back.'))
}

/** Lines that end where the terminal does. */
function cut(text: string): string {
  const width = process.stdout.columns ?? 80
  const line = (one: string): string => (one.length <= width ? one : `${one.slice(0, width - 1)}…`)
  return text
    .split('\n')
    .map((one, at) => (at === 0 ? one : line(one)))
    .join('\n')
}

function orderOf({ confirm: confirmed, now, wait }: Changing): Record<string, unknown> {
  return {
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(now === undefined ? {} : { now }),
    ...(wait === undefined ? {} : { waitSeconds: Math.round(wait * 60) }),
  }
}

/** Whether somebody can be asked: what comes from standard input leaves nobody there. */
const canAsk = (from?: string): boolean => from !== '-' && process.stdin.isTTY && process.stdout.isTTY

/** `usual`: what Enter means. */
export async function agreed(
  question: string,
  { signal, usual = false }: { signal?: AbortSignal; usual?: boolean } = {},
): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await terminal.question(`${question} ${usual ? '[Y/n]' : '[y/N]'} `, signal === undefined ? {} : { signal })
    return answer.trim() === '' ? usual : /^y(es)?$/i.test(answer.trim())
  } catch {
    return false
  } finally {
    terminal.close()
  }
}

export function tellCheck({ ok, faults, warnings, changes, effect, confirm: confirms }: ConfigCheckView, from?: string): void {
  const place = (fault: (typeof faults)[number]): string => faultLine({ ...fault, file: from ?? fault.file })
  for (const fault of faults) printNote(place(fault))
  for (const fault of warnings) printNote(`${place(fault)} ${yellow('(warning)')}`)
  if (!ok) return print(red(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}: nothing was changed`))
  for (const change of changes) print(changeLine(change))
  if (effect === 'none') print('no changes')
  if (effect === 'live') print(dim('takes effect without interrupting calls'))
  if (effect === 'restart') print(dim('needs a restart; the daemon waits until no call is in progress'))
  if (confirms) print(dim('changes how you reach the box: it is rolled back after 60 s unless you confirm it'))
}

function changeLine(change: ConfigChange): string {
  const line = inWords(change) + (change.effect === 'restart' ? ' (restart)' : '')
  return change.change === 'added' ? green(line) : change.change === 'removed' ? red(line) : line
}

/** Until it has stood or was taken back; the exit code is 0 for the `wanted` of both. */
export async function follow(
  { json, choice }: Context,
  client: Client,
  begun: ConfigUnderWayView,
  changing: Changing,
  text: string | undefined,
  wanted: 'applied' | 'reverted' = 'applied',
): Promise<number> {
  // Each line once: on the way back the states of the way there are seen again. Reasons count seconds, so that of a state the first is
  // enough where nobody looks on.
  const told = new Set<string>()
  const say = (line: string, once = line): void => {
    const key = process.stdout.isTTY ? line : once
    if (!json && !told.has(key)) print(dim(line))
    told.add(key)
  }
  const sayState = (now: ConfigUnderWayView): void => say(stateLine(now, changing), `${now.state} ${now.reason === ''}`)
  const asking = new AbortController()
  let change = begun
  let configFile: string | null = null
  sayState(change)
  const deadline = performance.now() + (changing.wait ?? (changing.now === true ? 0 : usualWaitMinutes)) * 60_000 + patience.standstillMs
  for (let gone = performance.now(); !['applied', 'reverted'].includes(change.state);) {
    if (change.state === 'unconfirmed' && !asking.signal.aborted && changing.yes !== true && !json && canAsk()) {
      void agreed('Does everything work? Keep the change?', { signal: asking.signal }).then((yes) =>
        yes ? client.post('/api/config/confirm').catch(() => undefined) : client.post('/api/config/revert', {}).catch(() => undefined),
      )
      changing = { ...changing, yes: true }
    }
    await new Promise((done) => setTimeout(done, askMs))
    if (performance.now() > deadline)
      throw new CommandError(`the change did not finish: ${stateLine(change, changing)}`, {
        code: 'no-end',
        fix: 'pbx config history',
      })
    try {
      const state = await client.get<ConfigStateView>('/api/config')
      change = state.change ?? {
        ...change,
        state: 'reverted',
        reason: 'the daemon ended during the change and started with the previous configuration',
      }
      configFile = state.configFile
      gone = performance.now()
      if (!['applied', 'reverted'].includes(change.state)) sayState(change)
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit !== exitCode.unreachable || performance.now() - gone > goneMs) throw error
      say('the daemon is restarting')
    }
  }
  asking.abort()
  configFile ??= (await client.get<ConfigStateView>('/api/config')).configFile
  if (change.state === 'applied' && change.file !== '' && text !== undefined && configFile !== null) {
    const fault = writeHere(choice.config ?? installedConfig, configFile, text)
    const { fileIsOther } = await client.get<ConfigStateView>('/api/config')
    // With the owner and the mode that it has.
    const unread = fault === '' && fileIsOther ? `the service cannot read it: chgrp pbx ${configFile}; chmod 640 ${configFile}` : fault
    change = { ...change, file: unread }
  }
  if (json) printJson(change)
  else tellEnd(change, configFile)
  return change.state === wanted && change.file === '' ? exitCode.done : exitCode.failed
}

/** Root believes no daemon that names another file than the one it knows. */
function writeHere(known: string, configFile: string, text: string): string {
  if (process.getuid?.() === 0 && resolve(known) !== configFile) return `give the file: pbx config apply --config ${configFile}`
  return writeConfigFile(configFile, text)
}

/** `yes`: the waiting program confirms the change. */
function stateLine({ state, reason }: ConfigUnderWayView, { yes }: Changing): string {
  switch (state) {
    case 'waiting':
      return `waiting: ${reason}`
    case 'checking':
      return reason === '' ? 'checking that everything still works' : `not everything works again yet: ${reason}`
    case 'unconfirmed':
      return yes === true ? 'in use' : 'in use; rolled back after 60 s unless you confirm it: pbx config confirm'
    default:
      return 'applying'
  }
}

function tellEnd({ state, reason, revision, file: fault, changes }: ConfigUnderWayView, configFile: string | null): void {
  if (state === 'reverted') return print(red(`rolled back: ${reason}`))
  print(green(`in use${revision === null ? '' : ` as revision ${revision}`}`))
  if (fault !== '') {
    print(red(`${configFile} was not updated: ${fault}`))
    print('  the next start uses what is in use now; to write it: sudo pbx config write')
  }
  if (changes.some(({ path }) => path.startsWith('trunks'))) print(`${bold('pbx lines')} shows whether the trunks are up`)
}
