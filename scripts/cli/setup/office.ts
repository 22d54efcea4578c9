/** What `pbx setup` asks of the days of an office: when it is open, which number is the fax, who gets a mail, and where calls go whose phone is off. */
import { Type, type Static } from '@sinclair/typebox'
import { readAddress } from '../../../daemon/base/mail-address.ts'
import { readDates, readDays, readInterval } from '../../../daemon/schema/opening.ts'
import type { Fits, Questions } from './questions.ts'

const strict = { additionalProperties: false } as const
const Times = Type.Record(Type.String(), Type.Array(Type.String()))

/** Of the file of answers; all of them may be missing. */
export const officeAnswers = {
  hours: Type.Optional(
    Type.Object(
      {
        open: Type.Intersect([Times], { description: 'Times by days, as { mon-fri: ["08:30-12:30", "13:30-17:00"] }.' }),
        closedOn: Type.Optional(Type.Array(Type.String(), { description: 'Dates, and first/last of more days.' })),
        special: Type.Optional(Type.Intersect([Times], { description: 'Other times of a date, as { "2026-12-24": ["08:30-12:00"] }.' })),
      },
      strict,
    ),
  ),
  fax: Type.Optional(
    Type.Object(
      {
        number: Type.Optional(Type.String({ description: 'Which of the numbers of the provider is the fax.' })),
        mail: Type.Optional(Type.String({ description: 'Who gets a mail of each fax; notices.mail by default.' })),
      },
      strict,
    ),
  ),
  notices: Type.Optional(
    Type.Object(
      {
        mail: Type.String({ description: 'Who gets a mail of each message, of each fax, of each text and of calls that nobody took.' }),
        attach: Type.Optional(
          Type.Boolean({ description: 'Whether the recording, the fax and the first picture of a text are attached. Default false.' }),
        ),
      },
      strict,
    ),
  ),
  phoneOff: Type.Optional(
    Type.Union([Type.Literal('mailbox'), Type.Literal('group')], {
      description: 'Where a call goes whose phone is off: its mailbox (default), or the other phones.',
    }),
  ),
}
const Office = Type.Object(officeAnswers)
export type OfficeAnswers = Static<typeof Office>

/** What the schema cannot say, each a sentence. `numbers`: of the provider. */
export function* officeFaults({ hours, fax, notices }: OfficeAnswers, numbers: readonly string[], hasMail: boolean): Iterable<string> {
  for (const [days, times] of Object.entries(hours?.open ?? {})) {
    if (readDays(days) === undefined) yield `hours.open: ${days} is no day; write mon, or mon-fri`
    for (const text of times) if (readInterval(text) === undefined) yield `hours.open.${days}: ${text} is no time; write 08:30-12:30`
  }
  for (const text of [...(hours?.closedOn ?? []), ...Object.keys(hours?.special ?? {})])
    if (readDates(text) === undefined) yield `hours: ${text} is no date; write 2026-12-25, or 2026-12-24/2026-12-26`
  for (const [date, times] of Object.entries(hours?.special ?? {}))
    for (const text of times) if (readInterval(text) === undefined) yield `hours.special.${date}: ${text} is no time; write 08:30-12:00`
  if (fax?.number !== undefined && !numbers.includes(fax.number))
    yield `fax.number: ${fax.number} is no number of the provider; it has ${numbers.join(', ') || 'none'}`
  for (const [key, mail] of [['notices.mail', notices?.mail] as const, ['fax.mail', fax?.mail] as const]) {
    if (mail === undefined) continue
    const read = readAddress(mail)
    if (typeof read === 'string') yield `${key}: ${read}`
    else if (!hasMail) yield `${key}: without a mail account nobody can be notified`
  }
}

const interval = (answer: string): boolean => answer.split(/[ ,]+/).every((text) => readInterval(text) !== undefined)
const timesFit: Fits = (answer) =>
  interval(answer) ? null : 'that does not fit: as 08:30-12:30 13:30-17:00, with a blank for the lunch break'
const datesFit: Fits = (answer) =>
  answer.split(/[ ,]+/).every((text) => readDates(text) !== undefined) ? null : 'that does not fit: as 2026-12-25, or 2026-12-24/2026-12-26'
const addressFits: Fits = (answer) => {
  const read = readAddress(answer)
  return typeof read === 'string' ? `that does not fit: ${read}` : null
}

export async function askHours(questions: Questions): Promise<OfficeAnswers> {
  if (!(await questions.yes('Does the office have opening hours?', true))) return {}
  const open: Record<string, string[]> = {}
  open['mon-fri'] = (await questions.text('Monday to Friday, with lunch as 08:30-12:30 13:30-17:00:', '08:30-17:00', timesFit)).split(
    /[ ,]+/,
  )
  for (const [day, name] of [['sat', 'Saturday'] as const, ['sun', 'Sunday'] as const]) {
    const times = await questions.optional(`${name}:`, timesFit)
    if (times !== '') open[day] = times.split(/[ ,]+/)
  }
  const closed = await questions.optional('Closed on, as 2026-12-25, with blanks between them:', datesFit)
  return { hours: { open, ...(closed === '' ? {} : { closedOn: closed.split(/[ ,]+/) }) } }
}

export async function askFax(questions: Questions, numbers: readonly string[]): Promise<OfficeAnswers> {
  if (numbers.length < 2) return {}
  const number = await questions.optional('Which of the numbers is the fax?', (answer) =>
    numbers.includes(answer) ? null : `that does not fit: one of ${numbers.join(', ')}`,
  )
  return number === '' ? {} : { fax: { number } }
}

export async function askPhoneOff(questions: Questions): Promise<OfficeAnswers> {
  const answer = await questions.text(
    'A call to a phone that is off goes to its mailbox, or to the group of all phones:',
    'mailbox',
    /^(mailbox|group)$/,
  )
  return { phoneOff: answer as 'mailbox' | 'group' }
}

/** `usual`: the address from which the box writes. */
export async function askNotices(questions: Questions, usual: string): Promise<OfficeAnswers> {
  const mail = await questions.text('Who gets a mail of messages, faxes, texts and missed calls? (- for nobody)', usual, (answer) =>
    answer === '-' ? null : (addressFits as (answer: string) => string | null)(answer),
  )
  if (mail === '-') return {}
  return { notices: { mail, attach: await questions.yes('Attach the recording, the fax and the picture to it?', false) } }
}

/** The keys of the configuration that the answers mean. `house`: the destination of callers while it is open; `closed`: otherwise. */
export function officeSections({ hours, fax, notices, phoneOff = 'mailbox' }: OfficeAnswers, house: string, closed: string) {
  const notify = notices === undefined ? {} : { notify: { mail: notices.mail, ...(notices.attach === true ? { attach: true } : {}) } }
  const faxMail = fax?.mail ?? notices?.mail
  const faxNotify = faxMail === undefined ? {} : { notify: { mail: faxMail, ...(notices?.attach === true ? { attach: true } : {}) } }
  return {
    /** Of each mailbox. */
    notify,
    /** Of the trunks for texts, which are added later. */
    texts: notices === undefined ? {} : { sms: notify },
    /** Of the group of all phones. */
    notifyMissed: notices === undefined ? {} : { notifyMissed: { mail: notices.mail } },
    onUnreachable: (number: string) => (phoneOff === 'group' ? house : `voicemail:${number}`),
    hours: hours === undefined ? {} : { hours: [{ id: 'office', ...hours, whenOpen: house, whenClosed: closed }] },
    destination: hours === undefined ? house : 'hours:office',
    faxNumber: fax?.number,
    fax:
      fax === undefined && faxMail === undefined
        ? {}
        : { fax: { ...(fax?.number === undefined ? {} : { number: fax.number }), ...faxNotify } },
  }
}
