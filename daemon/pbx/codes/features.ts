/** The feature codes at work: what a phone dialled is found in the table, done, and confirmed in words. */
import type { Call } from '../../calls/call.ts'
import type { CodeDesk } from '../../routing/inbound.ts'
import { featureCatalogue, type FeatureCodesConfig, type FeatureName } from '../../schema/config/pbx-codes.ts'
import { featureIn, type DialledFeature } from './dialled.ts'
import type { Attendant } from './attendant.ts'

/**
 * Does what the code is for. `argument`: the number behind it; '' for none. Resolves with a number that is to be called now as if the phone
 * had dialled it; null where all is done, and the call ends unless that has happened.
 */
export type Feature = (call: Call, extension: string, argument: string) => Promise<string | null>

export type Features = { readonly [N in FeatureName]: Feature }

export class FeatureCodes implements CodeDesk {
  readonly #codes: FeatureCodesConfig
  readonly #features: Features
  readonly #attendant: Attendant

  constructor(codes: FeatureCodesConfig, features: Features, attendant: Attendant) {
    this.#codes = codes
    this.#features = features
    this.#attendant = attendant
  }

  codeIn(dialled: string): DialledFeature | null {
    return featureIn(this.#codes, dialled)
  }

  async take(call: Call, { name, argument }: DialledFeature): Promise<string | null> {
    call.note('state', `feature code ${name}`)
    const incomplete = featureCatalogue[name].argument === 'number' && argument === ''
    const onward = incomplete
      ? await this.#attendant.say(call, 'numberMissing').then(() => null)
      : await this.#features[name](call, call.row.extension, argument)
    if (onward === null) call.end({ reason: 'document-end', by: 'system' })
    return onward
  }
}
