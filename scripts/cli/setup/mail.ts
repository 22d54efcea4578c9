/** What `pbx setup` asks of the mail account, and whom alarms are written to. */
import type { Config } from '../../../daemon/schema/config.ts'
import { readAddress } from '../../../daemon/base/mail-address.ts'
import { mailAnswers, mailFaults, mailSections, type MailAnswers } from '../../../daemon/setup/office.ts'
import type { Fits } from './questions.ts'
import { tried, type SetupStep, type Trial } from './step.ts'

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

export const mailSetup: SetupStep<MailAnswers> = {
  heading: 'Mail and alarms',
  answers: mailAnswers,
  async ask(questions) {
    const server = await questions.optional('Mail server:')
    if (server === '') return {}
    const from = await questions.text('Sender address of the box:', '', addressFits)
    const username = await questions.optional('Name of the mail account:')
    const account = username === '' ? {} : { username, password: await questions.password('Password:') }
    const alarms = await questions.optional('Mail address to notify of faults:', addressesFit)
    return { mail: { server, from, ...account }, ...(alarms === '' ? {} : { alarms: separated(alarms) }) }
  },
  faults: mailFaults,
  sections: mailSections,
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
