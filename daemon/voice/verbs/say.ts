import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/named.ts'
import { repeated } from '../prompts.ts'
import { defineVerb, language, withDefault } from '../verb.ts'

export const say = defineVerb({
  name: 'say',
  summary: 'Speaks a text.',
  details: [
    'Say, play and pause before a `gather` are its prompts: a key or a voice interrupts them where `bargeIn` lets it. Anywhere else they are',
    'heard to their end. Texts are synthesised while the call is being answered, all of a document at once, and kept in memory, so that a',
    'phrase heard before costs nothing.',
    '',
    'A text that begins with `<speak` is SSML: break, p, s, sub, emphasis, prosody (rate, volume) and say-as (digits, characters, telephone,',
    'date, time, cardinal, ordinal) are understood, other elements are left out. Plain text needs no marks for numbers, times and amounts of',
    'English: `2:30 PM` and `11/23` are read as people read them. Which voices there are: `pbx models list`.',
  ].join('\n'),
  example: [{ say: { text: 'Welcome to Riverside Clinic.' } }, { say: { text: 'Please hold the line.', rate: 0.9 } }],
  gives: [],
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    text: Type.String({ maxLength: 4096, description: 'Text to speak, or SSML when it starts with <speak. An empty text says nothing.' }),
    voice: Type.Optional(Type.String({ maxLength: 100, description: 'Voice of the synthesiser. Default: its voice for the language.' })),
    language: Type.Optional(language('BCP 47 language of the text, such as en-US. Default: the language of the site.')),
    loop: withDefault(Type.Integer({ [unitMark]: 'times', minimum: 1, maximum: 10, description: 'How many times the text is spoken.' }), 1),
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
