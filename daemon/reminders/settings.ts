/** What the configuration says about reminders, in the form the planner works with. */
import type { Config } from '../schema/config.ts'
import type { ReminderRow } from '../store/tables.ts'
import { numberLimits, type NumberLimits } from './limits.ts'
import { windowOf, type CallWindow } from './window.ts'
import { planFingerprint } from './zone.ts'

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
