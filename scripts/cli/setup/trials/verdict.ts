/** What is tried in the end of `pbx setup`, and what came of it. */
import { exitCode } from '../../client.ts'
import type { Context } from '../../context.ts'
import type { Questions } from '../questions.ts'

/** What came of it. Nothing where the command that ran has told it. */
export type Verdict = { readonly ok: true; readonly text?: string } | { readonly ok: false; readonly text?: string; readonly mend: string }

export interface Trial {
  readonly name: string
  /** The same without us: a command, or a sentence. */
  readonly byHand: string
  /** Asked first. Null: it is left out. Without it there is nothing to ask. */
  ask?(questions: Questions): Promise<string | null>
  /** @throws CommandError as a command does. */
  run(context: Context, answer: string): Promise<Verdict>
}

/** Of a command that tells by itself what it found. */
export function verdictOf(code: number, mend: string): Verdict {
  return code === exitCode.done ? { ok: true } : { ok: false, mend }
}
