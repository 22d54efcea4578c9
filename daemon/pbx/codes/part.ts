/** Feature codes: what phones dial besides numbers. Each part of the house enters what is done for its own. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Voice } from '../../voice/voice.ts'
import { Attendant } from './attendant.ts'
import { callCodes } from './call-codes.ts'
import { FeatureCodes } from './features.ts'

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
