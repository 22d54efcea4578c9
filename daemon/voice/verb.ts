/**
 * What a verb is. A verb file declares its parameters as one schema, what the call must be before it runs and whether
 * anything may follow it; the table in `verbs/index.ts` lists them, and the checker of control documents, the published
 * schema of a document and the runner all read that table.
 */
import { Type, type Static, type TObject, type TOptional, type TSchema } from '@sinclair/typebox'
import type { CallEventName } from '../schema/events.ts'
import type { PromptContext, PreparedPrompt, VerbCall, VerbOutcome } from './session-types.ts'

/** Where something is wrong (a JSON pointer into the document) and what, in words for the author of the application. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** An error refuses the whole document; a warning goes to the trace of the call. */
export interface Report {
  error(path: string, message: string): void
  warn(path: string, message: string): void
}

export interface DocumentContext {
  /** Internal destinations that the administrator published to the endpoint. */
  readonly destinations: ReadonlySet<string>
}

type Filled<T extends TSchema> = TOptional<T> & { readonly default: Static<T> }

/** Parameters as a verb receives them: those with a default are always there. */
export type Parsed<S extends TObject> = {
  [K in keyof S['properties'] as IsOptional<S['properties'][K]> extends true ? never : K]: Static<S['properties'][K]>
} & {
  [K in keyof S['properties'] as IsOptional<S['properties'][K]> extends true ? K : never]?: Static<S['properties'][K]>
}
type IsOptional<T> = T extends { readonly default: unknown } ? false : T extends TOptional<TSchema> ? true : false

export interface VerbDefinition<S extends TObject = TObject> {
  readonly name: string
  readonly summary: string
  /** What an author must know in addition to the parameters: Markdown, for the page of the verb. */
  readonly details: string
  /** A document that shows it. */
  readonly example: readonly Readonly<Record<string, object>>[]
  /** The events that it gives. */
  readonly gives: readonly CallEventName[]
  readonly parameters: S
  /** `answered`: the first such verb of an inbound call answers it. */
  readonly needs: 'nothing' | 'answered'
  /** Nothing may follow it in a document. */
  readonly ends: boolean
  /** Brings other spellings of the parameters into the form of the schema, before they are read one by one. */
  coerce?(raw: Record<string, unknown>, report: Report): Record<string, unknown>
  /** Checks what one parameter alone cannot show. Paths are relative to the verb, such as `/url`. */
  check?(params: Parsed<S>, context: DocumentContext, report: Report): void
  /**
   * For verbs that only play (say, play, pause): what they will play. Such verbs before a gather are its one, interruptible
   * prompt. A verb has either this or `run`.
   */
  prompt?(params: Parsed<S>, context: PromptContext): PreparedPrompt
  run?(params: Parsed<S>, call: VerbCall): Promise<VerbOutcome>
}

/** One verb of a checked document, with its parameters in their final form. */
export interface DocumentVerb {
  readonly name: string
  readonly params: Record<string, unknown>
}

/** Types `check` and `run` from the parameter schema, and forgets the type again for the table. */
export function defineVerb<S extends TObject>(verb: VerbDefinition<S>): VerbDefinition {
  return verb as unknown as VerbDefinition
}

export const maxUrlLength = 2048

/** A parameter that may be left out and then has this value. */
export function withDefault<T extends TSchema>(schema: T, value: Static<T>): Filled<T> {
  return Type.Optional({ ...schema, default: value }) as unknown as Filled<T>
}

export function httpUrl(description: string) {
  return Type.String({ format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: maxUrlLength, description })
}

export function socketUrl(description: string) {
  return Type.String({ format: 'uri', pattern: '^[wW][sS][sS]?://', maxLength: maxUrlLength, description })
}

export function language(description: string) {
  return Type.String({ pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$', maxLength: 35, description })
}

export function actionUrl() {
  return Type.Optional(httpUrl('Absolute URL that receives the result. Default: the URL that returned this document.'))
}

export function hints() {
  return Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200, description: 'Words and phrases the caller is likely to say.' }),
  )
}
