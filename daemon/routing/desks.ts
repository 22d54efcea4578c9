/** What routing leaves to others, once calls come: parts of the daemon enter themselves here. */
import { Registry } from '../base/registry.ts'
import type { Call } from '../calls/call.ts'
import type { Apology } from '../calls/calls.ts'
import { featureNames, type FeatureName } from '../schema/config/pbx-codes.ts'
import type { ApplicationRunner } from './application.ts'

/** Calls for help. */
export interface EmergencyDesk {
  /** The emergency number in what a phone dialled; null where it is none. */
  numberIn(dialled: string): string | null
  /** Of a phone that called from `source`; resolves when the call has ended. `headers`: what another site says of a phone of its own. */
  take(call: Call, number: string, source: string, headers?: Readonly<Record<string, string>>): Promise<void>
}

/** What phones of the house dial besides numbers, such as *78. */
export interface CodeDesk {
  /** null: this is no such code. */
  codeIn(dialled: string): DialledCode | null
  /**
   * Resolves when that is done: with the number that is to be called now as if the phone had dialled it, or null where the call has ended.
   */
  take(call: Call, code: DialledCode): Promise<string | null>
}

export interface DialledCode {
  readonly name: string
  /** The number behind the code; '' for none. */
  readonly argument: string
}

/**
 * Does what a code is for. `argument`: the number behind it; '' for none. Resolves with a number that is to be called now as if the phone
 * had dialled it; null where all is done, and the call ends unless that has happened.
 */
export type Feature = (call: Call, extension: string, argument: string) => Promise<string | null>

export type Features = { readonly [N in FeatureName]: Feature }

/** Who calls, as the house knows them. */
export interface Callers {
  /** null: nobody, or one of several. */
  known(number: string): KnownCaller | null
  /** Asked elsewhere, within 800 ms. `several` have the number, so that nobody is named; null: nobody else knows. */
  introduce(
    number: string,
    about: { readonly callId: string; readonly did: string; readonly direction: 'inbound' },
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'known'; readonly known: KnownCaller } | { readonly kind: 'several' } | null>
}

export interface KnownCaller {
  readonly name: string
  readonly customerId: string
  readonly matchType: 'exact' | 'suffix'
}

/** One of each. */
export interface Desks {
  readonly help: EmergencyDesk
  readonly codes: CodeDesk
  readonly callers: Callers
  /** Drives the calls that applications have. */
  readonly applications: ApplicationRunner
  /** Says to the caller that nothing can be done, and ends the call. */
  readonly apologise: (call: Call, why: Apology) => Promise<void>
  /** The call, answered, outlives this program from now on. */
  readonly keep: (call: Call) => void
}

export const createDesks = (): Registry<Desks> => new Registry('desk', ['help', 'codes', 'callers', 'applications', 'apologise', 'keep'])
export const createFeatures = (): Registry<Features> => new Registry('feature code', featureNames)
