/** The table of verbs: a new verb is one file and one line here. */
import type { VerbDefinition } from '../verb.ts'
import { forward } from './forward.ts'
import { gather } from './gather.ts'
import { hangup } from './hangup.ts'
import { pause } from './pause.ts'
import { play } from './play.ts'
import { record } from './record.ts'
import { redirect } from './redirect.ts'
import { route } from './route.ts'
import { say } from './say.ts'
import { stream } from './stream.ts'

export const verbs: ReadonlyMap<string, VerbDefinition> = verbTable([
  say,
  play,
  pause,
  gather,
  record,
  redirect,
  route,
  forward,
  hangup,
  stream,
])

/** Throws when two verbs share a name. */
export function verbTable(definitions: readonly VerbDefinition[]): ReadonlyMap<string, VerbDefinition> {
  const table = new Map<string, VerbDefinition>()
  for (const verb of definitions) {
    if (table.has(verb.name)) throw new Error(`two verbs are called "${verb.name}"`)
    table.set(verb.name, verb)
  }
  return table
}
