import { Type } from '@sinclair/typebox'
import { repeated } from '../prompts.ts'
import { defineVerb, language, withDefault } from '../verb.ts'

export const say = defineVerb({
  name: 'say',
  summary: 'Speaks a text.',
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    text: Type.String({ maxLength: 4096, description: 'Text to speak, or SSML when it starts with <speak. An empty text says nothing.' }),
    voice: Type.Optional(Type.String({ maxLength: 100, description: 'Voice of the synthesiser. Default: its voice for the language.' })),
    language: Type.Optional(language('BCP 47 language of the text, such as en-US. Default: the language of the site.')),
    loop: withDefault(Type.Integer({ minimum: 1, maximum: 10, description: 'How many times the text is spoken.' }), 1),
    rate: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2, description: 'Speed; 1 is normal.' })),
  }),
  prompt(params, context) {
    if (params.text.trim() === '') return { parts: [], warnings: [] }
    const { text, voice, language, rate } = params
    const utterance = context.speaker.prepare({
      text,
      callId: context.callId,
      signal: context.signal,
      ...(voice === undefined ? {} : { voice }),
      ...(language === undefined ? {} : { language }),
      ...(rate === undefined ? {} : { rate }),
    })
    return { parts: repeated(utterance.parts, params.loop), warnings: utterance.warnings, late: utterance.late }
  },
})
