import { Type } from '@sinclair/typebox'
import { defineVerb, withDefault } from '../verb.ts'

export const pause = defineVerb({
  name: 'pause',
  summary: 'Plays silence.',
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    seconds: withDefault(Type.Number({ minimum: 0.1, maximum: 60, description: 'Length of the silence.' }), 1),
  }),
  prompt: (params) => ({ parts: [Promise.resolve({ silenceMs: Math.round(params.seconds * 1000) })], warnings: [] }),
})
