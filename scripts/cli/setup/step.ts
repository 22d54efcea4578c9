/** A further piece of `pbx setup`, brought by a capability that setup itself does not know: what is asked, and what becomes of the answers. */
import type { TProperties } from '@sinclair/typebox'
import type { Config } from '../../../daemon/schema/config.ts'
import type { Questions } from './questions.ts'
import type { Trial } from './trials/verdict.ts'

/** `A`: its members of the file of answers, which may all be missing. */
export interface SetupStep<A extends object = object> {
  readonly heading: string
  /** Of the file of answers. */
  readonly answers: TProperties
  ask(questions: Questions): Promise<A>
  /** What the schema cannot say, each a sentence. */
  faults(answers: A): Iterable<string>
  /** Its sections of the configuration. */
  sections(answers: A): object
  /** What is tried in the end, of the configuration in use. */
  trials(config: Config): readonly Trial[]
}
