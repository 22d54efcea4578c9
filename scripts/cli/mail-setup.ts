/** What `pbx setup` asks of the mail account, and whom alarms are written to. */
import { Type, type Static } from '@sinclair/typebox'
import { readAddress } from '../../daemon/mail-address.ts'
import type { Fits } from './setup/questions.ts'
import type { SetupStep } from './setup/step.ts'

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

const addressFits: Fits = (answer) => {
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
  tests: ({ mail, alarms = [] }) => [
    ...(mail === undefined ? [] : ['pbx mail test you@example.com']),
    ...(alarms.length === 0 ? [] : ['pbx alarms test']),
  ],
}
