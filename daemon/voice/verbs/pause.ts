import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/named.ts'
import { defineVerb, withDefault } from '../verb.ts'

export const pause = defineVerb({
  name: 'pause',
  summary: 'Plays silence.',
  details: ['Silence counts as media: it answers a call that was not answered yet, and is part of the prompts of a `gather`.'].join('\n'),
  example: [{ say: { text: 'One moment.' } }, { pause: { seconds: 0.5 } }, { say: { text: 'Thank you for waiting.' } }],
  gives: [],
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    seconds: withDefault(Type.Number({ [unitMark]: 's', minimum: 0.1, maximum: 60, description: 'Length of the silence.' }), 1),
  }),
  prompt: (params) => ({ parts: [Promise.resolve({ silenceMs: Math.round(params.seconds * 1000) })], warnings: [] }),
})
