/** What `pbx setup` asks of the mail account, and whom alarms are written to. */
import { Type, type Static } from '@sinclair/typebox'
import type { Config } from '../../../daemon/schema/config.ts'
import { readAddress } from '../../../daemon/base/mail-address.ts'
import type { Fits } from './questions.ts'
import { tried, type SetupStep, type Trial } from './step.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
const answers = {
  mail: Type.Optional(
    Type.Object(
      {
        server: Text,
        tls: Type.Optional(Type.Union([Type.Literal('on'), Type.Literal('starttls'), Type.Literal('off')])),
        ...{ username: Type.Optional(Text), password: Type.Optional(Text), from: Text },
      },
      { additionalProperties: false },
    ),
  ),
  alarms: Type.Optional(Type.Array(Text, { description: 'Mail addresses that are notified of faults.' })),
}
const Answers = Type.Object(answers)
type Answers = Static<typeof Answers>

const addressFits = (answer: string): string | null => {
  const read = readAddress(answer)
  return typeof read === 'string' ? `not an address: ${read}` : null
}
const separated = (text: string): string[] => text.split(/[ ,]+/)
const addressesFit: Fits = (answer) =>
  separated(answer)
    .map((one) => readAddress(one))
    .every((read) => typeof read !== 'string')
    ? null
    : 'give mail addresses, separated by spaces'

export const mailSetup: SetupStep<Answers> = {
  heading: 'Mail and alarms',
  answers,
  async ask(questions) {
    const server = await questions.optional('Mail server:')
    if (server === '') return {}
    const from = await questions.text('Sender address of the box:', '', addressFits)
    const username = await questions.optional('Name of the mail account:')
    const account = username === '' ? {} : { username, password: await questions.password('Password:') }
    const alarms = await questions.optional('Mail address to notify of faults:', addressesFit)
    return { mail: { server, from, ...account }, ...(alarms === '' ? {} : { alarms: separated(alarms) }) }
  },
  *faults({ mail, alarms = [] }) {
    if (alarms.length > 0 && mail === undefined) yield 'alarms: alarms by mail need a mail account'
  },
  sections: ({ mail, alarms = [] }) => ({
    ...(mail === undefined ? {} : { mail }),
    ...(alarms.length === 0 ? {} : { alarms: [{ id: 'technician', notify: { mail: alarms } }] }),
  }),
  trials: ({ mail, alarms }) => [...(mail === undefined ? [] : [letter(mail.from, alarms)]), ...(alarms.length === 0 ? [] : [alarmTest])],
}

/** The technician in front of the box is probably the person who gets the alarms. */
function letter(from: string, alarms: Config['alarms']): Trial {
  const [known = ''] = alarms.flatMap(({ notify }) => notify.mail ?? [])
  return {
    name: 'A mail',
    byHand: `pbx mail test ${known || 'you@example.com'}`,
    ask: async (questions) => {
      const given = await questions.text('Address for a test mail, - for none:', known || from, (answer) =>
        answer === '-' ? null : addressFits(answer),
      )
      return given === '-' ? null : given
    },
    run: (context, to) =>
      tried(context, ['mail', 'test', to], 'check server, name and password under mail: pbx config edit; pbx mail list'),
  }
}

const alarmTest: Trial = {
  name: 'Alarms',
  byHand: 'pbx alarms test',
  ask: async (questions) => ((await questions.yes('Send a test message to everyone in the alarm rules?', true)) ? '' : null),
  run: (context) => tried(context, ['alarms', 'test'], 'check the addresses under alarms: pbx config edit'),
}
