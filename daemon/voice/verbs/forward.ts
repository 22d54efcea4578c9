import { Type } from '@sinclair/typebox'
import { dialStatusOf } from '../../routing/taken.ts'
import { unitMark } from '../../schema/named.ts'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'

export const forward = defineVerb({
  name: 'forward',
  summary: 'Forwards the call to an external number.',
  details: ['It ends the flow. The number must be one that the class of service of the endpoint lets it reach.'].join('\n'),
  example: [
    { say: { text: 'I connect you with the doctor on call.' } },
    { forward: { to: '+15551230001', timeout: 12, actionUrl: 'http://127.0.0.1:3000/after' } },
  ],
  gives: ['forward.completed'],
  needs: 'nothing',
  ends: true,
  parameters: Type.Object({
    to: Type.String({
      pattern: '^\\+[1-9][0-9]{5,14}$',
      description: 'Number outside of the house in E.164 form, such as +15550001000; `route` reaches extensions.',
    }),
    trunkId: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Trunk to use. Default: as the rules of `outbound` say; without any rule the default trunk.',
      }),
    ),
    callerId: withDefault(
      Type.Union([Type.Literal('caller'), Type.Literal('trunk')], { description: 'The number that the called person sees.' }),
      'trunk',
    ),
    timeout: withDefault(Type.Number({ [unitMark]: 's', minimum: 1, maximum: 120, description: 'Seconds to let it ring.' }), 45),
    actionUrl: Type.Optional(httpUrl('Receives forward.completed. Without it the flow ends with the transfer.')),
    announce: Type.Optional(Type.String({ maxLength: 4096, description: 'Text for the person who answers.' })),
  }),
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    const startedAt = view.clock.elapsed()
    const { to, trunkId, callerId, timeout, actionUrl, announce = '' } = params
    const afterwards = actionUrl === undefined ? 'end' : 'stay'
    const outside = { shows: callerId, ...(trunkId === undefined ? {} : { trunkId }) }
    const taken = await view.connect(`external:${to}`, { timeoutSeconds: timeout, announce, afterwards, outside })
    if (view.signal.aborted || view.call.ending) return { kind: 'stop' }
    if (actionUrl === undefined) return { kind: 'fail', message: `forward: ${taken.text}` }
    const fields = { dialStatus: dialStatusOf(taken), durationMs: view.clock.elapsed() - startedAt }
    return { kind: 'ask', question: { event: 'forward.completed', url: actionUrl, fields } }
  },
})
