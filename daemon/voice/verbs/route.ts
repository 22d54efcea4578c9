import { Type } from '@sinclair/typebox'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'

export const route = defineVerb({
  name: 'route',
  summary: 'Hands the call to an internal destination.',
  needs: 'nothing',
  ends: true,
  unsupported: 'this version cannot hand a call to an internal destination yet; use the fallbackDestination of the endpoint',
  parameters: Type.Object({
    to: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Extension or destination that the administrator published to the endpoint.',
    }),
    timeout: withDefault(Type.Number({ minimum: 1, maximum: 120, description: 'Seconds to let it ring.' }), 30),
    actionUrl: Type.Optional(httpUrl('Receives route.completed. Without it the flow ends with the transfer.')),
    announce: Type.Optional(Type.String({ maxLength: 4096, description: 'Text spoken to who answers.' })),
  }),
  check(params, context, report) {
    if (!context.destinations.has(params.to)) report.error('/to', `"${params.to.slice(0, 40)}" is not a destination of this endpoint`)
  },
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    const startedAt = view.clock.elapsed()
    if ((await view.connect(params.to)) || view.call.over.aborted) return { kind: 'stop' }
    return {
      kind: 'fetch',
      event: 'route.completed',
      url: params.actionUrl ?? view.documentUrl,
      fields: { dialStatus: 'no-answer', durationMs: view.clock.elapsed() - startedAt },
    }
  },
})
