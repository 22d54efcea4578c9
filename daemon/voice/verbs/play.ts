import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/named.ts'
import { repeated } from '../prompts.ts'
import { defineVerb, httpUrl, withDefault } from '../verb.ts'

export const play = defineVerb({
  name: 'play',
  summary: 'Plays a prompt of the library or an audio file.',
  details: [
    'Give either `prompt` or `url`. A URL is fetched while the call is being answered, within 5 s, and kept by its ETag; on the machine of the',
    'box the hosts and ports of configured endpoints are reached, and with `callbacks.allowLoopback: true` all others but its own. What cannot be fetched or read is left out with a warning in the trace;',
    'the call goes on. WAV files have 8, 16, 22.05, 24, 32, 44.1 or 48 kHz.',
  ].join('\n'),
  example: [{ play: { url: 'http://127.0.0.1:3000/chime.wav' } }, { say: { text: 'You are next.' } }],
  gives: [],
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    prompt: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Name of a prompt in the library. Either this or url.' }),
    ),
    url: Type.Optional(httpUrl('WAV, MP3 or Ogg file of at most 10 MiB. Either this or prompt.')),
    loop: withDefault(Type.Integer({ [unitMark]: 'times', minimum: 1, maximum: 10, description: 'How many times it is played.' }), 1),
  }),
  check(params, _context, report) {
    if (params.prompt === undefined && params.url === undefined) report.error('', 'needs either prompt or url')
    if (params.prompt !== undefined && params.url !== undefined) report.error('', 'takes either prompt or url, not both')
  },
  prompt(params, context) {
    const utterance = context.promptSource.prepare({ prompt: params.prompt, url: params.url, callId: context.callId })
    return { parts: repeated(utterance.parts, params.loop), warnings: utterance.warnings, late: utterance.late }
  },
})
