import { Type } from '@sinclair/typebox'
import { repeated } from '../prompts.ts'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'

export const play = defineVerb({
  name: 'play',
  summary: 'Plays a prompt of the library or an audio file.',
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    prompt: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Name of a prompt in the library. Either this or url.' }),
    ),
    url: Type.Optional(httpUrl('WAV, MP3 or Ogg file of at most 10 MiB. Either this or prompt.')),
    loop: withDefault(Type.Integer({ minimum: 1, maximum: 10, description: 'How many times it is played.' }), 1),
  }),
  check(params, _context, report) {
    if (params.prompt === undefined && params.url === undefined) report.error('', 'needs either "prompt" or "url"')
    if (params.prompt !== undefined && params.url !== undefined) report.error('', 'takes either "prompt" or "url", not both')
  },
  prompt(params, context) {
    const utterance = context.promptSource.prepare({ prompt: params.prompt, url: params.url, callId: context.callId })
    return { parts: repeated(utterance.parts, params.loop), warnings: utterance.warnings, late: utterance.late }
  },
})
