/** A piece of `pbx setup` that a capability brings: its questions, its sections of the configuration, and its trials at the end. */
import type { TProperties } from '@sinclair/typebox'
import type { Config } from '../../../daemon/schema/config.ts'
import { faultsOf, type Answers } from '../../../daemon/setup/answers.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { run } from '../run.ts'
import type { Questions } from './questions.ts'

/** `A`: its members of the file of answers, which may all be missing. */
export interface SetupStep<A extends object = object> {
  readonly heading: string
  /** Of the file of answers. */
  readonly answers: TProperties
  ask(questions: Questions): Promise<A>
  /** What the schema cannot say, each a sentence. `draft`: passwords may be missing yet. */
  faults(answers: A, draft: boolean): Iterable<string>
  /** Its sections of the configuration. */
  sections(answers: A): object
  /** What is tried in the end, of the configuration in use. */
  trials(config: Config): readonly Trial[]
}

/** The result. No text where the command that ran has printed it. */
export type Verdict = { readonly ok: true; readonly text?: string } | { readonly ok: false; readonly text?: string; readonly fix: string }

export interface Trial {
  readonly name: string
  /** The same without us: a command, or a sentence. */
  readonly byHand: string
  /** Asked first. Null: it is left out. Without it there is nothing to ask. */
  ask?(questions: Questions): Promise<string | null>
  /** @throws CommandError as a command does. */
  run(context: Context, answer: string): Promise<Verdict>
}

/** Runs another command of `pbx`, with the same daemon, which prints what it finds. */
export async function tried({ choice }: Context, words: readonly string[], fix: string): Promise<Verdict> {
  const { socket, config } = choice
  const to = [...(socket === undefined ? [] : ['--socket', socket]), ...(config === undefined ? [] : ['--config', config])]
  return (await run([...words, ...to])) === exitCode.done ? { ok: true } : { ok: false, fix }
}

/** @throws CommandError with every fault at once. */
export function checkAnswers(value: unknown, steps: readonly SetupStep[]): Answers {
  const faults = faultsOf(value, steps)
  if (faults.length === 0) return value as Answers
  throw new CommandError(`the answers cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`, {
    exit: exitCode.usage,
    fix: 'see docs/setup.md for every answer',
  })
}
