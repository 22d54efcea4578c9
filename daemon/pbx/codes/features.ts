/** The feature codes at work: what a phone dialled is found in the table, done, and confirmed in words. */
import type { Call } from '../../calls/call.ts'
import type { Registry } from '../../base/registry.ts'
import type { CodeDesk, Features } from '../../routing/desks.ts'
import { featureCatalogue, type FeatureCodesConfig } from '../../schema/config/pbx-codes.ts'
import { featureIn, type DialledFeature } from './dialled.ts'
import type { Attendant } from './attendant.ts'

type Asked = Pick<Registry<Features>, 'get'>

export class FeatureCodes implements CodeDesk {
  readonly #codes: FeatureCodesConfig
  readonly #features: Asked
  readonly #attendant: Attendant

  constructor(codes: FeatureCodesConfig, features: Asked, attendant: Attendant) {
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
      : await this.#features.get(name)(call, call.row.extension, argument)
    if (onward === null) call.end({ reason: 'document-end', by: 'system' })
    return onward
  }
}
