/** What a first set-up asks of the days of an office: when it is open, which number is the fax, who gets a mail, where calls go whose phone is off; and of its mail account. */
import { Type, type Static } from '@sinclair/typebox'
import { readAddress } from '../base/mail-address.ts'
import { readDates, readDays, readInterval } from '../schema/opening.ts'

const strict = { additionalProperties: false } as const
const Times = Type.Record(Type.String(), Type.Array(Type.String()))

/** Of the file of answers; all of them may be missing. */
export const officeAnswers = {
  hours: Type.Optional(
    Type.Object(
      {
        open: Type.Intersect([Times], { description: 'Times by days, such as { mon-fri: ["08:30-12:30", "13:30-17:00"] }.' }),
        closedOn: Type.Optional(Type.Array(Type.String(), { description: 'Dates, or first/last date.' })),
        special: Type.Optional(
          Type.Intersect([Times], { description: 'Different times on a date, such as { "2026-12-24": ["08:30-12:00"] }.' }),
        ),
      },
      strict,
    ),
  ),
  fax: Type.Optional(
    Type.Object(
      {
        number: Type.Optional(Type.String({ description: "Which of the provider's numbers is the fax number." })),
        mail: Type.Optional(Type.String({ description: 'Mail addresses that get each fax; notices.mail by default.' })),
      },
      strict,
    ),
  ),
  notices: Type.Optional(
    Type.Object(
      {
        mail: Type.String({ description: 'Mail addresses that get a mail for each voicemail, fax, text and missed call.' }),
        attach: Type.Optional(
          Type.Boolean({ description: 'Attach the recording, the fax and the first picture of a text. Default false.' }),
        ),
      },
      strict,
    ),
  ),
  phoneOff: Type.Optional(
    Type.Union([Type.Literal('mailbox'), Type.Literal('group')], {
      description: 'Where a call to a phone that is off goes: to its mailbox (default), or to the other phones.',
    }),
  ),
}
const Office = Type.Object(officeAnswers)
export type OfficeAnswers = Static<typeof Office>

/** What the schema cannot say, each a sentence. `numbers`: of the provider. */
export function* officeFaults({ hours, fax, notices }: OfficeAnswers, numbers: readonly string[], hasMail: boolean): Iterable<string> {
  for (const [days, times] of Object.entries(hours?.open ?? {})) {
    if (readDays(days) === undefined) yield `hours.open: ${days} is not a day; write mon, or mon-fri`
    for (const text of times) if (readInterval(text) === undefined) yield `hours.open.${days}: ${text} is not a time; write 08:30-12:30`
  }
  for (const text of [...(hours?.closedOn ?? []), ...Object.keys(hours?.special ?? {})])
    if (readDates(text) === undefined) yield `hours: ${text} is not a date; write 2026-12-25, or 2026-12-24/2026-12-26`
  for (const [date, times] of Object.entries(hours?.special ?? {}))
    for (const text of times) if (readInterval(text) === undefined) yield `hours.special.${date}: ${text} is not a time; write 08:30-12:00`
  if (fax?.number !== undefined && !numbers.includes(fax.number))
    yield `fax.number: ${fax.number} is not one of the provider's numbers: ${numbers.join(', ') || 'none'}`
  for (const [key, mail] of [['notices.mail', notices?.mail] as const, ['fax.mail', fax?.mail] as const]) {
    if (mail === undefined) continue
    const read = readAddress(mail)
    if (typeof read === 'string') yield `${key}: ${read}`
    else if (!hasMail) yield `${key}: notices by mail need a mail account`
  }
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

// The mail account, and who is notified of alarms.

const Text = Type.String({ minLength: 1, maxLength: 200 })
/** Of the file of answers; all of them may be missing. */
export const mailAnswers = {
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
const MailAnswers = Type.Object(mailAnswers)
export type MailAnswers = Static<typeof MailAnswers>

/** What the schema cannot say, each a sentence. */
export function* mailFaults({ mail, alarms = [] }: MailAnswers): Iterable<string> {
  if (alarms.length > 0 && mail === undefined) yield 'alarms: alarms by mail need a mail account'
  const addresses = [
    ...(mail === undefined ? [] : [['mail.from', mail.from] as const]),
    ...alarms.map((one, at) => [`alarms.${at}`, one] as const),
  ]
  for (const [key, text] of addresses) {
    const read = readAddress(text)
    if (typeof read === 'string') yield `${key}: ${read}`
  }
}

/** The sections of the configuration that the answers mean. */
export const mailSections = ({ mail, alarms = [] }: MailAnswers): object => ({
  ...(mail === undefined ? {} : { mail }),
  ...(alarms.length === 0 ? {} : { alarms: [{ id: 'technician', notify: { mail: alarms } }] }),
})
