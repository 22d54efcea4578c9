/** The section `featureCodes` of the configuration: what phones of the house dial besides numbers. A new code is a line of `featureCatalogue`. */
import { Type, type Static, type TUnsafe } from '@sinclair/typebox'
import { strict } from './forms.ts'

interface Entry {
  /** What is dialled, unless the configuration says otherwise. */
  readonly code: string
  /** Whether a number follows: never, where one is wanted, or always. */
  readonly argument: 'none' | 'optional' | 'number'
  readonly description: string
}

const entry = (code: string, argument: Entry['argument'], description: string): Entry => ({ code, argument, description })

export const featureCatalogue = {
  doNotDisturbOn: entry('*78', 'none', 'Do not disturb: the phone does not ring, callers find it busy.'),
  doNotDisturbOff: entry('*79', 'none', 'Do not disturb off.'),
  forwardAll: entry('*72', 'number', 'All calls of this phone go to the number that follows.'),
  forwardAllOff: entry('*73', 'none', 'Ends that.'),
  forwardBusy: entry('*90', 'number', 'Calls while this phone is busy go to the number that follows.'),
  forwardBusyOff: entry('*91', 'none', 'Ends that.'),
  forwardNoAnswer: entry('*92', 'number', 'Calls that are not answered here go to the number that follows.'),
  forwardNoAnswerOff: entry('*93', 'none', 'Ends that.'),
  withholdNumber: entry('*67', 'number', 'Calls the number that follows without showing the own number.'),
  lastCaller: entry('*69', 'none', 'Says the last caller’s number, and calls back.'),
  queueLogin: entry('*45', 'none', 'Logs this phone in to the queues of which it is a member, or out of them.'),
  ownMailbox: entry('*97', 'none', 'The messages of the own mailbox.'),
  anyMailbox: entry('*98', 'optional', 'The messages of the mailbox whose number follows, or is asked for.'),
  hoursOverride: entry(
    '*28',
    'optional',
    'Opens or closes the house by hand until the end of the day; a number names other hours than the first.',
  ),
  pickup: entry('*8', 'optional', 'Takes the call that rings at another phone of the own pickupGroup, or at the extension that follows.'),
  echo: entry('*43', 'none', 'Echo: you hear yourself. A test of the phone.'),
} as const satisfies Readonly<Record<string, Entry>>

export type FeatureName = keyof typeof featureCatalogue

export const featureNames = Object.keys(featureCatalogue) as readonly FeatureName[]

function Code({ code, description }: Entry): TUnsafe<string | false> {
  return Type.Unsafe<string | false>({
    anyOf: [{ type: 'string', pattern: '^[*#][*#0-9]{1,5}$' }, { const: false }],
    default: code,
    description: `${description} false: switched off.`,
  })
}

/** Keys that are pressed in a conversation, and not dialled. */
const record = Type.Unsafe<string | false>({
  anyOf: [{ type: 'string', pattern: '^[*#][*#0-9]{1,3}$' }, { const: false }],
  default: false,
  description: 'Keys by which a phone of the house starts and ends the recording of its conversation, such as *1. false: none.',
  examples: ['*1'],
})

const dialled = Object.fromEntries(featureNames.map((name) => [name, Code(featureCatalogue[name])])) as Record<
  FeatureName,
  TUnsafe<string | false>
>

export const FeatureCodesSchema = strict({ ...dialled, record }, 'Codes that phones dial: * or # and up to five more, or false.')

export type FeatureCodesConfig = Static<typeof FeatureCodesSchema>
