/** pbx reminders: the table of a day, one reminder, call now, take back, and who asked not to be called. */
import { type Command, Option } from 'commander'
import type { OptOutView, ReminderListView, ReminderView } from '../../../daemon/schema/reminders.ts'
import { reminderOutcomes, reminderStates } from '../../../daemon/schema/states.ts'
import type { Client } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { deleteCommand, idsIn } from '../stored.ts'
import { age, bold, dim, green, localTime, print, printJson, red, table, yellow } from '../output.ts'

export function remindersCommand(): Command {
  const reminders = group('reminders', 'reminder calls about appointments')
  const id = ['<reminderId>', 'the reminder id, or a part that is unique; "last" for the newest'] as const
  reminders.addCommand(
    finish(
      group('list', 'list the appointments of a day, with the state of their reminders')
        .option('--day <day>', 'such as 2026-03-02, tomorrow or yesterday (default: today)')
        .addOption(new Option('--status <status>', 'show only these').choices([...reminderStates, ...reminderOutcomes])),
      list,
      ['pbx reminders list', 'pbx reminders list --day tomorrow', 'pbx reminders list --status reschedule'],
    ),
  )
  reminders.addCommand(finish(group('show', 'show one reminder').argument(...id), show, ['pbx reminders show last']))
  reminders.addCommand(
    finish(group('call-now', 'call at once, unless the person opted out').argument(...id), callNow, ['pbx reminders call-now last']),
  )
  reminders.addCommand(finish(group('cancel', 'cancel a reminder').argument(...id), cancel, ['pbx reminders cancel last']))
  reminders.addCommand(finish(group('opt-outs', 'list numbers that asked for no reminder calls'), optOuts, ['pbx reminders opt-outs']))
  reminders.addCommand(
    finish(
      group('allow', 'allow reminder calls to a number again').argument('<number>', 'the number from "pbx reminders opt-outs"'),
      allow,
      ['pbx reminders allow +15551230001'],
    ),
  )
  reminders.addCommand(
    deleteCommand({ kind: 'reminder', ids: idsIn('/api/reminders', 'reminderId') }, 'pbx reminders delete', 'a reminder that has ended'),
  )
  return reminders
}

const dayMs = 86_400_000
const mostShown = 1000
const path = (id: string): string => `/api/reminders/${encodeURIComponent(id)}`

async function list({ json, client }: Context, options: { day?: string; status?: string }): Promise<void> {
  const { day, timeZone, reminders } = await onDay(await client(), dayOf(options.day), options.status)
  if (json) return printJson({ day, timeZone, reminders })
  print(`${bold(day)}  ${dim(`appointments, times in ${timeZone}`)}`)
  if (reminders.length === 0) return print(dim('none'))
  const time = clockOf(timeZone)
  print(
    table(
      ['APPT', 'REMINDER', 'NAME', 'NUMBER', 'CALLS', 'TEXT', 'STATUS'],
      reminders.map((reminder) => [
        time(reminder.appointmentAt),
        reminder.reminderId,
        reminder.customerName,
        reminder.phoneNumber,
        String(reminder.attempts),
        reminder.smsSent ? 'sent' : reminder.sms ? 'yes' : '-',
        words(reminder, time),
      ]),
    ),
  )
  const counts = Map.groupBy(reminders, ({ status }) => status)
  print(dim([...counts].map(([status, those]) => `${those.length} ${status}`).join(', ')))
}

/** All of a day, which come in pages. */
async function onDay(client: Client, wanted: string, status: string | undefined) {
  const reminders: ReminderView[] = []
  const query = new URLSearchParams({ limit: '500', day: wanted, ...(status === undefined ? {} : { status }) })
  for (;;) {
    const page = await client.get<ReminderListView>(`/api/reminders?${query}`)
    reminders.push(...page.items)
    if (page.nextCursor === null || page.items.length === 0 || reminders.length >= mostShown)
      return { day: page.day ?? wanted, timeZone: page.timeZone, reminders }
    query.set('cursor', page.nextCursor)
  }
}

/** The words for a day are those of this machine; without one the daemon takes its own today. */
function dayOf(text = 'today'): string {
  const shift = text === 'tomorrow' ? 1 : text === 'yesterday' ? -1 : 0
  return shift === 0 ? text : new Intl.DateTimeFormat('en-CA').format(Date.now() + shift * dayMs)
}

function clockOf(timeZone: string): (at: string | null) => string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  return (at) => (at === null ? '-' : format.format(Date.parse(at)))
}

const colours: Readonly<Record<string, (text: string) => string>> = {
  confirmed: green,
  canceled: yellow,
  reschedule: yellow,
  'opted-out': yellow,
  'no-answer': red,
  busy: red,
  failed: red,
  expired: red,
}

/** Where a reminder stands. */
function words(reminder: ReminderView, time: (at: string | null) => string): string {
  const { status, reason, nextAttemptAt } = reminder
  const painted = (colours[status] ?? ((text: string) => text))(status)
  const because = reason === null || reason === status ? '' : ` (${reason})`
  return `${painted}${because}${nextAttemptAt === null ? '' : `, call at ${when(nextAttemptAt, time)}`}`
}

function when(at: string, time: (at: string | null) => string): string {
  return Date.parse(at) - Date.now() < dayMs ? time(at) : `${at.slice(0, 10)} ${time(at)}`
}

async function show({ json, client }: Context, id: string): Promise<void> {
  const reminder = await (await client()).get<ReminderView>(path(id))
  if (json) printJson(reminder)
  else printReminder(reminder)
}

function printReminder(reminder: ReminderView): void {
  print(`${bold(reminder.reminderId)}  ${words(reminder, localTime)}`)
  const facts: [string, string | null][] = [
    ['appointment', localTime(reminder.appointmentAt)],
    ['name', reminder.customerName],
    ['number', reminder.phoneNumber],
    ['service', [reminder.serviceName, reminder.staffName].filter((text) => text !== '').join(', ')],
    ['reference', reminder.externalRef],
    ['calls', String(reminder.attempts)],
    ['text', reminder.smsSent ? 'sent' : reminder.sms ? 'with the first call' : 'no'],
    ['accepted', localTime(reminder.createdAt)],
    ['answered', localTime(reminder.answeredAt)],
    ['ended', localTime(reminder.completedAt)],
  ]
  for (const [name, value] of facts) if (value !== null && value !== '') print(`${dim(name.padEnd(12))} ${value}`)
  if (reminder.lastCallId !== null) print(dim(`details of the last call: pbx trace ${reminder.lastCallId}`))
}

async function callNow({ json, client }: Context, id: string): Promise<void> {
  const reminder = await (await client()).post<ReminderView>(`${path(id)}/call`)
  if (json) printJson(reminder)
  else print(`${reminder.reminderId}: will be called as soon as a line is free; see "pbx reminders show ${reminder.reminderId}"`)
}

async function cancel({ json, client }: Context, id: string): Promise<void> {
  const reminder = await (await client()).post<ReminderView>(`${path(id)}/cancel`)
  if (json) printJson(reminder)
  else print(`${reminder.reminderId}: canceled`)
}

async function optOuts({ json, client }: Context): Promise<void> {
  const numbers = await (await client()).get<OptOutView[]>('/api/reminders/opt-outs')
  if (json) return printJson(numbers)
  if (numbers.length === 0) return print(dim('none'))
  print(
    table(
      ['NUMBER', 'FOR'],
      numbers.map(({ number, since }) => [number, age(new Date(since).toISOString())]),
    ),
  )
}

async function allow({ json, client }: Context, number: string): Promise<void> {
  const answer = await (await client()).delete<{ number: string }>(`/api/reminders/opt-outs/${encodeURIComponent(number)}`)
  if (json) printJson(answer)
  else print(`${number}: may be called again`)
}
