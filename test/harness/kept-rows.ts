/** Faxes, texts, mails and reminders that ended in the last three months, as a clinic's store keeps them. */
import { randomUUID } from 'node:crypto'
import type { FaxRow, MailRow, ReminderRow, SmsRow } from '../../daemon/store/tables.ts'
import { faxRow } from '../fax/rows.ts'

const spanMs = 80 * 86_400_000

export interface KeptRows {
  readonly faxes: FaxRow
  readonly sms: SmsRow
  readonly mails: MailRow
  readonly reminders: ReminderRow
}

export const keptTables = ['faxes', 'sms', 'mails', 'reminders'] as const

/** As ids are made, in order of their times: 48 bits of it first. */
const idAt = (at: number): string => {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}

const number = (n: number): string => `+1555${String(1_000_000 + n)}`

function textRow(id: string, at: number, n: number): SmsRow {
  const body = 'Your appointment is on Monday at 10:30. Reply STOP to get no more texts.'
  return {
    messageId: id,
    rawTo: number(n),
    to: number(n),
    from: '+15550001999',
    body,
    encoding: 'GSM-7',
    segments: [body],
    reference: n % 65_536,
    trunkId: 'gsm',
    state: 'delivered',
    accepted: [String(n)],
    reports: ['delivered'],
    attempts: 1,
    nextAttemptAt: null,
    createdAt: at,
    expiresAt: at + 86_400_000,
    sentAt: at + 2000,
    completedAt: at + 5000,
    error: '',
    code: '',
    subject: '',
  }
}

function mailRow(id: string, at: number, n: number): MailRow {
  return {
    mailId: id,
    from: 'office@example.com',
    to: `patient${n}@example.com`,
    subject: 'Your documents',
    bytes: 20_000,
    state: 'delivered',
    attempts: 1,
    nextAttemptAt: null,
    createdAt: at,
    expiresAt: at + 86_400_000,
    completedAt: at + 900,
    reply: '250 2.0.0 OK',
    error: '',
    accountFault: false,
  }
}

function reminderRow(id: string, at: number, n: number): ReminderRow {
  return {
    reminderId: id,
    externalRef: `visit-${n}`,
    customerName: `Patient ${n}`,
    rawNumber: number(n),
    number: number(n),
    appointmentAt: at + 4 * 86_400_000,
    serviceName: 'Check-up',
    staffName: 'Dr. Lee',
    statusCallbackUrl: '',
    language: '',
    timeZone: '',
    sms: false,
    state: 'over',
    outcome: 'confirmed',
    reason: 'keypad',
    nextAttemptAt: null,
    attempts: 1,
    busy: 0,
    lastCallId: '',
    recorded: '',
    createdAt: at,
    dialedAt: at + 86_400_000,
    answeredAt: at + 86_410_000,
    completedAt: at + 86_440_000,
    smsSent: false,
  }
}

function faxOf(id: string, at: number, n: number): FaxRow {
  const pages = { pages: 2, pagesSent: 2, bytesPerPage: [21_000, 19_500], standardBytesPerPage: [12_000, 11_000], attempts: 1 }
  return faxRow({ faxId: id, state: 'sent', to: number(n), ...pages, completedAt: at + 120_000, durationSeconds: 95, transport: 't38' }, at)
}

/** `count` rows of each table, their times spread over the 80 days before `now`, and keys in that order. */
export function* keptRows(
  count: number,
  now: number,
): Iterable<{ [K in keyof KeptRows]: { table: K; key: string; row: KeptRows[K] } }[keyof KeptRows]> {
  for (let n = 0; n < count; n++) {
    const at = Math.round(now - spanMs + (n * (spanMs - 6 * 86_400_000)) / count)
    const key = idAt(at)
    yield { table: 'faxes', key, row: faxOf(key, at, n) }
    yield { table: 'sms', key, row: textRow(key, at, n) }
    yield { table: 'mails', key, row: mailRow(key, at, n) }
    yield { table: 'reminders', key, row: reminderRow(key, at, n) }
  }
}
