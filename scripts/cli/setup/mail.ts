/** What `pbx setup` asks of the mail account, and whom alarms are written to. */
import { Type, type Static } from '@sinclair/typebox'
import type { Config } from '../../../daemon/schema/config.ts'
import { readAddress } from '../../../daemon/base/mail-address.ts'
import { test as testAlarms } from '../commands/alarms.ts'
import { test as testMail } from '../commands/mail.ts'
import type { Fits } from './questions.ts'
import { verdictOf, type SetupStep, type Trial } from './step.ts'

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
  alarms: Type.Optional(Type.Array(Text, { description: 'Mail addresses of those who are told when something is the matter.' })),
}
const Answers = Type.Object(answers)
type Answers = Static<typeof Answers>

const addressFits = (answer: string): string | null => {
  const read = readAddress(answer)
  return typeof read === 'string' ? `that does not fit: ${read}` : null
}
const separated = (text: string): string[] => text.split(/[ ,]+/)
const addressesFit: Fits = (answer) =>
  separated(answer)
    .map((one) => readAddress(one))
    .every((read) => typeof read !== 'string')
    ? null
    : 'that does not fit: mail addresses, with blanks between them'

export const mailSetup: SetupStep<Answers> = {
  heading: 'Mail and alarms',
  answers,
  async ask(questions) {
    const server = await questions.optional('Mail server:')
    if (server === '') return {}
    const from = await questions.text('Address from which the box writes:', '', addressFits)
    const username = await questions.optional('Name of the mail account:')
    const account = username === '' ? {} : { username, password: await questions.password('Password:') }
    const alarms = await questions.optional('Address of whoever is told when something is the matter:', addressesFit)
    return { mail: { server, from, ...account }, ...(alarms === '' ? {} : { alarms: separated(alarms) }) }
  },
  *faults({ mail, alarms = [] }) {
    if (alarms.length > 0 && mail === undefined) yield 'alarms: without a mail account nobody can be told'
  },
  sections: ({ mail, alarms = [] }) => ({
    ...(mail === undefined ? {} : { mail }),
    ...(alarms.length === 0 ? {} : { alarms: [{ id: 'technician', notify: { mail: alarms } }] }),
  }),
  trials: ({ mail, alarms }) => [...(mail === undefined ? [] : [letter(mail.from, alarms)]), ...(alarms.length === 0 ? [] : [told])],
}

/** Who is told of alarms is most likely who stands there. */
function letter(from: string, alarms: Config['alarms']): Trial {
  const [known = ''] = alarms.flatMap(({ notify }) => notify.mail ?? [])
  return {
    name: 'A mail',
    byHand: `pbx mail test ${known || 'you@example.com'}`,
    ask: async (questions) => {
      const given = await questions.text('Address for a mail of test, - for none:', known || from, (answer) =>
        answer === '-' ? null : addressFits(answer),
      )
      return given === '-' ? null : given
    },
    run: async (context, to) =>
      verdictOf(await testMail(context, to), 'server, name and password under mail: pbx config edit; pbx mail list'),
  }
}

const told: Trial = {
  name: 'Alarms',
  byHand: 'pbx alarms test',
  ask: async (questions) => ((await questions.yes('Tell everybody who is told of alarms that this is a test?', true)) ? '' : null),
  run: async (context) => verdictOf(await testAlarms(context, undefined), 'the addresses under alarms: pbx config edit'),
}
