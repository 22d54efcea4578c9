/** The models that suit this machine: which they are, what each brings and costs, and the offer of them at the end of `pbx setup`. */
import { availableParallelism, totalmem } from 'node:os'
import type { SpeechView } from '../../../daemon/schema/speech.ts'
import { catalogue, recommended, type Catalogue } from '../../../daemon/speech/models/models.ts'
import type { Context } from '../command.ts'
import { bold, bytes, dim, print, table, yellow } from '../output.ts'
import { asked, GivenUp } from '../setup/questions.ts'
import { tried } from '../setup/step.ts'

/** Stands for them where the id of a model is given. */
export const recommendedWord = 'recommended'
const command = `pbx models install ${recommendedWord}`

/** What each task of a model is to a caller. */
const brings: Readonly<Record<string, string>> = {
  call: 'understands callers',
  recording: 'writes down voicemail',
  voice: 'speaks prompts',
  detector: 'notices when somebody speaks, in noise too',
}

/** `ids` with the recommended ones in the place of that word. */
export function withRecommended(ids: readonly string[], language: string, from: Catalogue = catalogue()): string[] {
  const machine = { memoryBytes: totalmem(), cores: availableParallelism(), language }
  return [...new Set(ids.flatMap((id) => (id === recommendedWord ? recommended(machine, from).map((entry) => entry.id) : [id])))]
}

type Row = SpeechView['recommended'][number]

export function recommendedTable(rows: readonly Row[]): string {
  return table(
    ['MODEL', 'WHAT IT BRINGS', 'DOWNLOAD', 'MEMORY', 'STATE'],
    rows.map(({ id, roles, downloadBytes, memoryBytes, installed }) => [
      id,
      roles.map((role) => brings[role] ?? role).join(', '),
      bytes(downloadBytes),
      bytes(memoryBytes),
      installed ? 'installed' : '-',
    ]),
  )
}

/** Asks once whether to install what is missing; Ctrl-C means no. The house works without. */
export async function offerModels(context: Context): Promise<void> {
  const { recommended: rows } = await (await context.client()).get<SpeechView>('/api/speech')
  const missing = rows.filter(({ installed }) => !installed)
  if (missing.length === 0) return
  print(`\n${bold('Speech')}\n${recommendedTable(rows)}`)
  const total = bytes(missing.reduce((sum, { downloadBytes }) => sum + downloadBytes, 0))
  const wanted = await asked((questions) => questions.yes(`Download ${total} and install them now?`, false)).catch((error: unknown) => {
    if (error instanceof GivenUp) return false
    throw error
  })
  if (!wanted) return print(dim(`later: ${command}\nwithout a network: pbx models list --urls, then pbx models import FOLDER`))
  const { ok } = await tried(context, ['models', 'install', recommendedWord], '')
  if (!ok) print(yellow(`The models were not installed; the box works without. Later: ${command}`))
}
