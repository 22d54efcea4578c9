import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/units.ts'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'

export const forward = defineVerb({
  name: 'forward',
  summary: 'Forwards the call to an external number.',
  details: ['It ends the flow. The number must be one that the class of service of the endpoint lets it reach.'].join('\n'),
  example: [{ say: { text: 'I connect you with the doctor on call.' } }, { forward: { to: '+15551230001' } }],
  gives: [],
  needs: 'nothing',
  ends: true,
  unsupported: 'this version cannot forward a call to an external number yet',
  parameters: Type.Object({
    to: Type.String({ pattern: '^\\+[1-9][0-9]{5,14}$', description: 'Number in E.164 form, such as +15550001000.' }),
    trunkId: Type.Optional(Type.String({ maxLength: 100, description: 'Trunk to use. Default: the default trunk.' })),
    callerId: withDefault(
      Type.Union([Type.Literal('caller'), Type.Literal('trunk')], { description: 'Whose number the called person sees.' }),
      'trunk',
    ),
    timeout: withDefault(Type.Number({ [unitMark]: 's', minimum: 1, maximum: 120, description: 'Seconds to let it ring.' }), 45),
    actionUrl: Type.Optional(httpUrl('Receives forward.completed. Without it the flow ends with the transfer.')),
  }),
})
