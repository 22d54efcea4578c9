import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/named.ts'
import type { CallEventContent } from '../../schema/events.ts'
import type { CollectParams, CollectResult } from '../collect.ts'
import { runGather } from '../run-gather.ts'
import { actionUrl, defineVerb, hints, httpUrl, language, withDefault, type Parsed, type Report } from '../verb.ts'

const parameters = Type.Object({
  input: withDefault(
    Type.Union([Type.Literal('dtmf'), Type.Literal('speech'), Type.Literal('dtmf speech'), Type.Literal('speech dtmf')], {
      description: 'What is collected: keys, speech or whichever comes first.',
    }),
    'dtmf',
  ),
  numDigits: Type.Optional(Type.Integer({ [unitMark]: 'keys', minimum: 1, maximum: 32, description: 'Ends after this many keys.' })),
  minDigits: Type.Optional(
    Type.Integer({ [unitMark]: 'keys', minimum: 0, maximum: 32, description: 'A finish key before this many keys is ignored.' }),
  ),
  maxDigits: Type.Optional(
    Type.Integer({
      [unitMark]: 'keys',
      minimum: 1,
      maximum: 32,
      description: 'As numDigits, but a pause after fewer keys is a normal end.',
    }),
  ),
  finishOnKey: Type.Optional(
    Type.String({
      pattern: '^[0-9*#A-Da-d]*$',
      maxLength: 16,
      description: 'Keys that end the input and are not part of it; "" for none. Default: # unless exactly one key is wanted.',
    }),
  ),
  timeout: Type.Optional(
    Type.Number({
      [unitMark]: 's',
      minimum: 0,
      maximum: 120,
      description:
        'Seconds to wait for the first input after the prompts; 0 ends with the prompts. Default: speechTimeout if given, else 5.',
    }),
  ),
  interDigitTimeout: withDefault(
    Type.Number({ [unitMark]: 's', minimum: 0.5, maximum: 20, description: 'Seconds to wait for the next key.' }),
    3,
  ),
  speechTimeout: Type.Optional(
    Type.Number({
      [unitMark]: 's',
      minimum: 1,
      maximum: 60,
      description: 'Longest speech in seconds, counted from its beginning. Default: 15.',
    }),
  ),
  endSilence: withDefault(
    Type.Number({ [unitMark]: 's', minimum: 0.3, maximum: 5, description: 'Seconds of silence that end the speech.' }),
    0.8,
  ),
  hints: hints(),
  language: Type.Optional(language('BCP 47 language of the speech. Default: the language of the site.')),
  bargeIn: withDefault(
    Type.Union([Type.Literal('any'), Type.Literal('dtmf'), Type.Literal('speech'), Type.Literal('none'), Type.Boolean()], {
      description: 'What interrupts the prompts; true is any, false is none.',
    }),
    'any',
  ),
  typeAhead: withDefault(Type.Boolean({ description: 'Keeps keys pressed before they can interrupt.' }), false),
  partialUrl: Type.Optional(httpUrl('Receives gather.partial: what was recognised so far; the reply is ignored.')),
  sensitive: withDefault(Type.Boolean({ description: 'Keeps keys and speech out of logs, trace and cache.' }), false),
  actionUrl: actionUrl(),
})

export type GatherParams = Parsed<typeof parameters>

export const gather = defineVerb({
  name: 'gather',
  summary: 'Plays the prompts before it, collects keys or speech and posts gather.completed.',
  details: [
    'It ends the document: what follows it is ignored. What was collected goes to `actionUrl`, which answers with the next document.',
    '',
    '- **Keys** (`input` absent or `dtmf`). With `numDigits` it ends with that many keys. Without, a pause of `interDigitTimeout` or a key of',
    '  `finishOnKey` ends it. The first key stops the wait of `timeout` for good.',
    '- **Speech** (`speech`, or `dtmf speech` for whichever comes first). It ends with the end of speech (`endSilence`), after `speechTimeout`',
    '  counted from the first word, or by a key where keys are taken. Nothing that was said leaves the box. `hints` are what the caller is',
    '  likely to say. A box without a model for free speech understands these, and yes, no, digits, days and times.',
    '- **Nothing** within `timeout` of the end of the prompts: reason `timeout`. `timeout: 0` ends with the prompts.',
    '- **`bargeIn`** says what interrupts the prompts. Keys pressed before are dropped unless `typeAhead` keeps them.',
    '',
    'A caller who hangs up gives one last event with reason `hangup` and what was entered until then; answer it with `[]`. After 30 gathers in',
    'a row that ended by `timeout` (`voice.silentGathers`) the call goes to the fallback of the endpoint.',
  ].join('\n'),
  example: [
    { say: { text: 'For our opening hours, press 1. For the front desk, press 2.' } },
    { gather: { numDigits: 1, timeout: 6, actionUrl: 'http://127.0.0.1:3000/menu' } },
  ],
  gives: ['gather.completed', 'gather.partial'],
  needs: 'answered',
  ends: true,
  parameters,
  coerce(raw, report) {
    return { ...raw, input: inputForm(raw.input, report), speechTimeout: speechTimeoutForm(raw.speechTimeout, report) }
  },
  check(params, _context, report) {
    if (params.numDigits !== undefined && params.maxDigits !== undefined)
      report.warn('/maxDigits', `not used: numDigits is ${params.numDigits}`)
    const most = params.numDigits ?? params.maxDigits
    if (most !== undefined && params.minDigits !== undefined && params.minDigits > most)
      report.warn('/minDigits', `is more than the ${most} keys that are collected; ${most} is used`)
  },
  async run(params, view) {
    const collected = await runGather(view, {
      params: collectParams(params),
      listen: {
        language: params.language ?? view.language,
        hints: params.hints ?? [],
        digits: params.numDigits ?? null,
        endSilenceMs: Math.round(params.endSilence * 1000),
      },
      partialUrl: params.partialUrl ?? null,
      sensitive: params.sensitive,
    })
    if (collected === null) return { kind: 'stop' }
    view.keys.giveBack(collected.unusedKeys)
    const { actionUrl: url = view.documentUrl, sensitive } = params
    return { kind: 'ask', question: { event: 'gather.completed', url, fields: gathered(collected), sensitive } }
  },
})

function gathered({ reason, digits, speech, bargeIn, durationMs, ...more }: CollectResult): CallEventContent<'gather.completed'>['fields'] {
  const { engine, finishKey, confidence, language } = more
  return {
    reason,
    digits,
    speech,
    bargeIn,
    durationMs,
    ...(engine === undefined ? {} : { engine }),
    ...(finishKey === undefined ? {} : { finishKey }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(language === undefined ? {} : { language }),
  }
}

/** Peers write lists, other cases and other names for keys. */
function inputForm(raw: unknown, report: Report): unknown {
  const parts = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.trim().split(/[\s,]+/) : undefined
  if (!parts || parts.length === 0 || !parts.every((part) => typeof part === 'string')) return raw
  const names = [...new Set(parts.map((part) => part.toLowerCase()).map((part) => (part === 'digits' ? 'dtmf' : part)))]
  const form = names.join(' ')
  if (form !== raw) report.warn('/input', `is read as ${form}`)
  return form
}

function speechTimeoutForm(raw: unknown, report: Report): unknown {
  if (raw !== 'auto') return raw
  report.warn('/speechTimeout', 'auto is not a number of seconds; the default is used, and the speech ends with its end')
  return undefined
}

/** The parameters with all the defaults that depend on each other settled; times in milliseconds. */
export function collectParams(params: GatherParams): CollectParams {
  const speechSeconds = params.speechTimeout ?? 15
  const maxDigits = params.numDigits ?? params.maxDigits ?? 32
  const bargeIn = params.bargeIn === true ? 'any' : params.bargeIn === false ? 'none' : params.bargeIn
  const keys = params.input.includes('dtmf')
  const speech = params.input.includes('speech')
  return {
    keys,
    speech,
    maxDigits,
    minDigitsBeforeFinish: Math.min(params.minDigits ?? 0, maxDigits),
    // Without numDigits a pause is how callers say that they are done; with it, keys are missing.
    minDigitsBeforePause: params.numDigits ?? Math.min(params.minDigits ?? 1, maxDigits),
    finishKeys: (params.finishOnKey ?? (maxDigits === 1 ? '' : '#')).toUpperCase(),
    timeoutMs: Math.round((params.timeout ?? params.speechTimeout ?? 5) * 1000),
    interDigitMs: Math.round(params.interDigitTimeout * 1000),
    speechMs: Math.round(speechSeconds * 1000),
    keysInterrupt: keys && (bargeIn === 'any' || bargeIn === 'dtmf'),
    speechInterrupts: speech && (bargeIn === 'any' || bargeIn === 'speech'),
    typeAhead: params.typeAhead,
  }
}
