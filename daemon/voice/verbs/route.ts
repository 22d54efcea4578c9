import { Type } from '@sinclair/typebox'
import { dialStatusOf } from '../../routing/taken.ts'
import { unitMark } from '../../schema/named.ts'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'
import { quoted } from '../../base/for-log.ts'

export const route = defineVerb({
  name: 'route',
  summary: 'Hands the call to an internal destination.',
  details: [
    'It ends the flow. `to` is an extension or destination that the administrator published to the endpoint (`voice.endpoints[].destinations`);',
    'any other is an error of the document.',
  ].join('\n'),
  example: [
    { say: { text: 'I connect you with the front desk.' } },
    { route: { to: '101', timeout: 12, actionUrl: 'http://127.0.0.1:3000/after' } },
  ],
  gives: ['route.completed'],
  needs: 'nothing',
  ends: true,
  parameters: Type.Object({
    to: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Extension or destination that the administrator published to the endpoint.',
    }),
    timeout: withDefault(
      Type.Number({ [unitMark]: 's', minimum: 1, maximum: 120, description: 'Seconds to let it ring; a queue has its own times.' }),
      30,
    ),
    actionUrl: Type.Optional(httpUrl('Receives route.completed. Without it the flow ends with the transfer.')),
    priority: withDefault(
      Type.Integer({ minimum: -100, maximum: 100, description: 'In a queue, callers with a larger priority go first.' }),
      0,
    ),
    announce: Type.Optional(Type.String({ maxLength: 4096, description: 'Text for the person who answers.' })),
  }),
  check(params, context, report) {
    if (!context.destinations.has(params.to)) report.error('/to', `${quoted(params.to.slice(0, 40))} is not a destination of this endpoint`)
  },
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    const startedAt = view.clock.elapsed()
    // An application in the daemon is notified on the URL of its document.
    const url = params.actionUrl ?? (view.internal ? view.documentUrl : null)
    const afterwards = params.actionUrl === undefined ? 'end' : 'stay'
    const taken = await view.connect(params.to, {
      timeoutSeconds: params.timeout,
      announce: params.announce ?? '',
      afterwards,
      priority: params.priority,
    })
    if (view.signal.aborted || view.call.ending) return { kind: 'stop' }
    if (url === null) return { kind: 'fail', message: `${params.to}: ${taken.text}` }
    const fields = { dialStatus: dialStatusOf(taken), durationMs: view.clock.elapsed() - startedAt }
    return { kind: 'ask', question: { event: 'route.completed', url, fields } }
  },
})
