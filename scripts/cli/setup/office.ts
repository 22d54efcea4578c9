/** The questions of `pbx setup` about the days of an office. */
import { readAddress } from '../../../daemon/base/mail-address.ts'
import { readDates, readInterval } from '../../../daemon/schema/opening.ts'
import type { OfficeAnswers } from '../../../daemon/setup/office.ts'
import type { Fits, Questions } from './questions.ts'

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
