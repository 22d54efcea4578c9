import { Type } from '@sinclair/typebox'
import { defineVerb, withDefault } from '../verb.ts'

export const hangup = defineVerb({
  name: 'hangup',
  summary: 'Ends the call.',
  details: [
    'A document that ends without `gather`, `record` or `redirect` hangs up as well, after its last word; `hangup` makes it explicit. As the',
    'first verb of an inbound call it refuses the call before it is answered, and `cause` decides what the caller hears: nothing is billed.',
  ].join('\n'),
  example: [{ say: { text: 'Thank you for calling. Goodbye.' } }, { hangup: {} }],
  gives: [],
  needs: 'nothing',
  ends: true,
  parameters: Type.Object({
    cause: withDefault(
      Type.Union([Type.Literal('normal'), Type.Literal('busy'), Type.Literal('rejected')], {
        description: 'The SIP answer to a caller whose call was not answered yet.',
      }),
      'normal',
    ),
  }),
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    // Only a caller who was not answered yet sees a difference (RFC 3261: 486 busy, 603 decline, 480 unavailable).
    if (params.cause === 'busy')
      return { kind: 'hangup', own: { reason: view.call.answered ? 'app-hangup' : 'busy', by: 'app' }, sipCode: 486 }
    if (params.cause === 'rejected')
      return { kind: 'hangup', own: { reason: view.call.answered ? 'app-hangup' : 'rejected', by: 'app' }, sipCode: 603 }
    return { kind: 'hangup', own: { reason: 'app-hangup', by: 'app' }, sipCode: 480 }
  },
})
