/** What the configuration says about reminders, in the form the planner works with. */
import type { Config } from '../schema/config.ts'
import type { ReminderRow, ReminderContactRow } from '../store/tables.ts'
import { windowOf, type CallWindow } from './window.ts'
import { planFingerprint, addDays } from './zone.ts'
import type { Table } from '../store/store.ts'

/** How often one number may be called, over all of its reminders. */
interface NumberLimits {
  readonly triesADay: number
  /** Calls that were answered. */
  readonly contactsADay: number
  /** Of the seven days that end with the day. */
  readonly triesAWeek: number
}

/** `us-health-exempt`: 47 CFR 64.1200(a)(3)(v) with the numbers of FCC 20-186. */
const numberLimits: Readonly<Record<'none' | 'us-health-exempt', NumberLimits>> = {
  none: { triesADay: 3, contactsADay: 1, triesAWeek: Infinity },
  'us-health-exempt': { triesADay: 1, contactsADay: 1, triesAWeek: 3 },
}

type Contacts = Pick<Table<ReminderContactRow>, 'get' | 'put' | 'remove'>

const contactKey = (number: string, day: string): string => `${number} ${day}`
const none: ReminderContactRow = { tries: 0, contacts: 0, lastAt: 0 }

export function mayCall(contacts: Contacts, number: string, day: string, limits: NumberLimits): boolean {
  const today = contacts.get(contactKey(number, day)) ?? none
  if (today.tries >= limits.triesADay || today.contacts >= limits.contactsADay) return false
  if (limits.triesAWeek === Infinity) return true
  let week = today.tries
  for (let back = 1; back < 7; back++) week += contacts.get(contactKey(number, addDays(day, -back)))?.tries ?? 0
  return week < limits.triesAWeek
}

/** Inside a transaction. A call that turned out never to have been made is counted back with -1. */
export function countTries(contacts: Contacts, number: string, day: string, at: number, amount: 1 | -1): void {
  const row = contacts.get(contactKey(number, day)) ?? none
  contacts.put(contactKey(number, day), { ...row, tries: Math.max(0, row.tries + amount), lastAt: at })
}

/** Inside a transaction: somebody answered. */
export function countContact(contacts: Contacts, number: string, day: string, at: number): void {
  const row = contacts.get(contactKey(number, day)) ?? none
  contacts.put(contactKey(number, day), { ...row, contacts: row.contacts + 1, lastAt: at })
}

/** Keys of days that no limit looks at any more. */
export function isOldContact(key: string, today: string): boolean {
  return key.slice(key.indexOf(' ') + 1) < addDays(today, -14)
}

export interface ReminderSettings {
  readonly window: CallWindow
  readonly leadDays: number
  /** Calls at once. */
  readonly lines: number
  /** Calls for one reminder. */
  readonly attempts: number
  readonly ringSeconds: number
  readonly limits: NumberLimits
  /** Of the site. */
  readonly timeZone: string
  readonly language: string
  readonly practice: string
  readonly practiceNumber: string
  /** Whether a text goes alongside, where the reminder does not say. */
  readonly sms: boolean
}

export function reminderSettings({ reminders, site }: Config): ReminderSettings {
  return {
    window: windowOf(reminders.window),
    leadDays: reminders.leadDays,
    lines: reminders.lines,
    attempts: reminders.attempts,
    ringSeconds: reminders.ringSeconds,
    limits: numberLimits[reminders.preset],
    timeZone: site.timeZone,
    language: site.language,
    practice: site.name,
    practiceNumber: site.number ?? '',
    sms: reminders.sms,
  }
}

export function zoneOf(row: Pick<ReminderRow, 'timeZone'>, settings: ReminderSettings): string {
  return row.timeZone === '' ? settings.timeZone : row.timeZone
}

export function languageOf(row: Pick<ReminderRow, 'language'>, settings: ReminderSettings): string {
  return row.language === '' ? settings.language : row.language
}

export function settingsFingerprint({ window, leadDays, lines, timeZone }: ReminderSettings): string {
  return planFingerprint([window, leadDays, lines, timeZone])
}
