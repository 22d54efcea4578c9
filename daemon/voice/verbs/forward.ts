import { Type } from '@sinclair/typebox'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'

export const forward = defineVerb({
  name: 'forward',
  summary: 'Forwards the call to an external number.',
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
    timeout: withDefault(Type.Number({ minimum: 1, maximum: 120, description: 'Seconds to let it ring.' }), 45),
    actionUrl: Type.Optional(httpUrl('Receives forward.completed. Without it the flow ends with the transfer.')),
  }),
})
