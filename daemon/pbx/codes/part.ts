/** Feature codes: what phones dial besides numbers. Each part of the house enters what is done for its own. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Voice } from '../../voice/voice.ts'
import { Attendant } from './attendant.ts'
import { callCodes } from './call-codes.ts'
import type { Call } from '../../calls/call.ts'
import type { Registry } from '../../base/registry.ts'
import type { CodeDesk, Features } from '../../routing/desks.ts'
import { featureCatalogue, type FeatureCodesConfig } from '../../schema/config/pbx-codes.ts'
import { featureIn, type DialledFeature } from './dialled.ts'

/** The feature codes at work: what a phone dialled is found in the table, done, and confirmed in words. */
type Asked = Pick<Registry<Features>, 'get'>

class FeatureCodes implements CodeDesk {
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

export interface CodesPart extends Part {
  /** Speaks to the person who dialled a code. */
  readonly attendant: Attendant
  readonly codes: FeatureCodes
}

export interface CodesPartOptions {
  readonly routing: Pick<Routing, 'desks' | 'features'>
  readonly voice: Pick<Voice, 'serve'>
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
}

export function codesPart({ config, store }: Ground, { routing, voice, applications }: CodesPartOptions): CodesPart {
  const attendant = new Attendant({ config, applications })
  const codes = new FeatureCodes(config.featureCodes, routing.features, attendant)
  voice.serve(attendant)
  routing.desks.add('codes', codes)
  routing.features.addAll(callCodes({ config, store, attendant }))
  return { name: 'codes', attendant, codes }
}
