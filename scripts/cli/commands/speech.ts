/** pbx speech: who hears and who speaks on this box, and what would make it better. */
import type { SpeechProcessView, SpeechRoleView, SpeechView } from '../../../daemon/schema/speech.ts'
import type { Context } from '../context.ts'
import { bold, bytes, dim, green, print, printJson, table, yellow } from '../output.ts'
import { patience } from '../patience.ts'

export async function speech({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<SpeechView>('/api/speech')
  if (json) printJson(view)
  else show(view)
}

export async function reload({ json, client }: Context): Promise<void> {
  const view = await (await client()).post<SpeechView>('/api/speech/reload', undefined, patience.workMs)
  if (json) printJson(view)
  else show(view)
}

function show(view: SpeechView): void {
  print(bold('Roles'))
  for (const role of view.roles) print(roleLine(role))
  section('Processes')
  print(
    view.processes.length === 0
      ? dim('none')
      : table(['process', 'state', 'pid', 'memory', 'limit', 'restarts', 'last end'], view.processes.map(processRow)),
  )
  section('Voices by language')
  print(
    view.voices.length === 0
      ? dim('none')
      : table(
          ['language', 'engines, the preferred one first'],
          view.voices.map(({ language, engines }) => [language, engines.join(', ')]),
        ),
  )
  if (view.leftOut.length > 0) {
    section('Installed, but not used')
    for (const { id, reason, fix } of view.leftOut) problem(`${id}: ${reason}`, fix)
  }
  if (view.problems.length === 0) return
  section('Problems')
  for (const { text, fix } of view.problems) problem(text, fix)
}

function section(title: string): void {
  print(`\n${bold(title)}`)
}

function problem(text: string, fix: string): void {
  print(`${yellow('!')} ${text}${fix === '' ? '' : `\n  ${dim('mend:')} ${bold(fix)}`}`)
}

function roleLine({ role, engine, vocabulary, why, fix }: SpeechRoleView): string {
  const who = engine === '' ? dim('nobody') : `${engine}${vocabulary === 'closed' ? ' (closed grammars only)' : ''}`
  const better = fix === '' ? '' : `\n             ${dim('better:')} ${bold(fix)}`
  return `${(engine === '' ? dim : green)(role.padEnd(11))}  ${who}${why === '' ? '' : dim(`  ${why}`)}${better}`
}

function processRow({ name, state, pid, memoryBytes, limitBytes, restarts, reason }: SpeechProcessView): string[] {
  return [
    name,
    state,
    pid === null ? '-' : String(pid),
    memoryBytes === null ? '-' : bytes(memoryBytes),
    bytes(limitBytes),
    String(restarts),
    reason,
  ]
}
