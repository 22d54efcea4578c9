/** The questions of `pbx setup` about the days of an office, and about another site with a box of its own. */
import { existsSync } from 'node:fs'
import { readAddress } from '../../../daemon/base/mail-address.ts'
import { rangePattern } from '../../../daemon/schema/config/sites.ts'
import { readDates, readInterval } from '../../../daemon/schema/opening.ts'
import { numberPattern } from '../../../daemon/setup/answers.ts'
import type { OfficeAnswers } from '../../../daemon/setup/office.ts'
import { otherSiteAnswers, otherSiteFaults, otherSiteSections, type OtherSiteAnswers } from '../../../daemon/setup/other-site.ts'
import { dim, print } from '../output.ts'
import type { Fits, Questions } from './questions.ts'
import type { SetupStep } from './step.ts'

const interval = (answer: string): boolean => answer.split(/[ ,]+/).every((text) => readInterval(text) !== undefined)
const timesFit: Fits = (answer) =>
  interval(answer) ? null : 'give times such as 08:30-12:30 13:30-17:00, with a space for the lunch break'
const datesFit: Fits = (answer) =>
  answer.split(/[ ,]+/).every((text) => readDates(text) !== undefined) ? null : 'give a date such as 2026-12-25, or 2026-12-24/2026-12-26'
const addressFits: Fits = (answer) => {
  const read = readAddress(answer)
  return typeof read === 'string' ? `not an address: ${read}` : null
}

export async function askHours(questions: Questions): Promise<OfficeAnswers> {
  if (!(await questions.yes('Does the office have opening hours?', true))) return {}
  const open: Record<string, string[]> = {}
  open['mon-fri'] = (
    await questions.text('Monday to Friday (with a lunch break: 08:30-12:30 13:30-17:00):', '08:30-17:00', timesFit)
  ).split(/[ ,]+/)
  for (const [day, name] of [['sat', 'Saturday'] as const, ['sun', 'Sunday'] as const]) {
    const times = await questions.optional(`${name}:`, timesFit)
    if (times !== '') open[day] = times.split(/[ ,]+/)
  }
  const closed = await questions.optional('Closed on these dates, such as 2026-12-25, separated by spaces:', datesFit)
  return { hours: { open, ...(closed === '' ? {} : { closedOn: closed.split(/[ ,]+/) }) } }
}

export async function askFax(questions: Questions, numbers: readonly string[]): Promise<OfficeAnswers> {
  if (numbers.length < 2) return {}
  const number = await questions.optional('Which number is the fax number?', (answer) =>
    numbers.includes(answer) ? null : `give one of ${numbers.join(', ')}`,
  )
  return number === '' ? {} : { fax: { number } }
}

export async function askPhoneOff(questions: Questions): Promise<OfficeAnswers> {
  const answer = await questions.text('When a phone is off, its calls go to its mailbox or to all phones:', 'mailbox', /^(mailbox|group)$/)
  return { phoneOff: answer as 'mailbox' | 'group' }
}

/** `usual`: the address from which the box writes. */
export async function askNotices(questions: Questions, usual: string): Promise<OfficeAnswers> {
  const mail = await questions.text('Mail address for messages, faxes, texts and missed calls (- for none):', usual, (answer) =>
    answer === '-' ? null : (addressFits as (answer: string) => string | null)(answer),
  )
  if (mail === '-') return {}
  return { notices: { mail, attach: await questions.yes('Attach the recording, the fax and the picture to the mail?', false) } }
}

const idFits: Fits = (answer) => (/^[a-z0-9][a-z0-9-]{0,31}$/.test(answer) ? null : 'give a short name in small letters, such as north')
const rangeFits: Fits = (answer) =>
  new RegExp(rangePattern).test(answer) ? null : 'give numbers with x for any digit, such as 2xx or 20x,310'
const numberFits: Fits = (answer) =>
  new RegExp(`^${numberPattern}$`).test(answer) ? null : 'give the number with + and country code, without spaces, such as +15550002000'
const fileFits: Fits = (answer) => (existsSync(answer) ? null : `there is no file ${answer}; copy the certificate of that box here first`)

export const otherSiteSetup: SetupStep<OtherSiteAnswers> = {
  heading: 'Another site',
  answers: otherSiteAnswers,
  async ask(questions) {
    if (!(await questions.yes('Is there another site with a box of its own?', false))) return {}
    const id = await questions.text('Short name of that site:', 'north', idFits)
    const transport = (await questions.text('Transport to its box (udp, tcp or tls):', 'tls', /^(udp|tcp|tls)$/)) as 'tls'
    const server = await questions.text(`Address of its box, such as 10.20.0.10:${transport === 'tls' ? 5061 : 5060}:`)
    const caFile =
      transport === 'tls' ? await questions.optional('File with its certificate, if no public authority signed it:', fileFits) : ''
    const extensions = await questions.text('Numbers of its phones, x for any digit:', '2xx', rangeFits)
    const number = await questions.optional('Its number in the telephone network, for when its box is away:', numberFits)
    print(dim('  both boxes have the same password, which nobody else knows'))
    const password = await questions.password('Password of both boxes:')
    return {
      otherSite: {
        ...{ id, server, transport, extensions, password },
        ...(caFile === '' ? {} : { caFile }),
        ...(number === '' ? {} : { number }),
      },
    }
  },
  faults: otherSiteFaults,
  sections: otherSiteSections,
  // Its box is set up later, perhaps: `pbx status` warns while it is away.
  trials: () => [],
}
