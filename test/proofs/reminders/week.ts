/** A week of a clinic in simulated time: each afternoon tomorrow's appointments are posted; the table shows what became of them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReminderItem } from '../../../daemon/reminders/submit.ts'
import { addDays, instantOf, wallClock, weekdayOf } from '../../../daemon/reminders/zone.ts'
import { Box, zone } from './box.ts'
import { countBy } from './judge.ts'

const firstDay = '2026-03-02'
const days = 8
/** Posted two days ahead, so that the working day before is whole. */
const postMinute = 17 * 60
const hours = [9, 10, 11, 12, 13, 14, 15, 16, 17]
const columns = ['confirmed', 'canceled', 'reschedule', 'no-answer', 'busy', 'failed', 'voicemail', 'opted-out', 'expired']

export async function week(perDay: number, lines: number, seed: number, print: (line: string) => void): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-reminder-week-'))
  const journal: string[] = []
  const tell = (line: string): void => void journal.push(line)
  const startAt = instantOf(addDays(firstDay, -3), postMinute, zone)
  const box = await Box.open({ dir, startAt, seed, lines, channels: lines + 2, tell, before: [] })
  try {
    box.reminders.queue.start()
    for (let day = 0; day < days; day++) {
      const appointments = addDays(firstDay, day)
      if (weekdayOf(appointments) === 'sun') continue
      const posted = addDays(appointments, -2)
      await box.runTo(Math.max(box.clock.now(), instantOf(posted, postMinute, zone)))
      const items = Array.from({ length: perDay }, (_, n): ReminderItem => ({ request: reminder(appointments, n, perDay) }))
      await box.reminders.desk.submit(items)
    }
    await box.runTo(instantOf(addDays(firstDay, days + 1), 0, zone))
    report(box, journal, lines, print)
    return box.reminders.queue.waiting === 0
  } finally {
    await box.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

function reminder(day: string, n: number, perDay: number) {
  const minute = 8 * 60 + Math.floor((n * 9 * 60) / perDay)
  const person = Number(day.replaceAll('-', '').slice(4)) * 1000 + n
  return {
    externalRef: `${day}-${n}`,
    customerName: `Person ${n}`,
    phoneNumber: `+1555${String(2_000_000 + person).padStart(7, '0')}`,
    appointmentAt: new Date(instantOf(day, minute, zone)).toISOString(),
    statusCallbackUrl: 'http://127.0.0.1:9/reminders',
    sms: n % 3 === 0,
  }
}

function report(box: Box, journal: readonly string[], lines: number, print: (line: string) => void): void {
  const rows = [...box.store.tables.reminders.range()].map(({ value }) => value)
  const rings = journal.filter((line) => line.startsWith('D ')).map((line) => wallClock(Number(line.split(' ')[2]), zone))
  const pad = (text: string | number, width: number): string => String(text).padStart(width)
  print(`Calls by hour (${zone}), ${lines} lines, most at once: ${box.people.mostLive}`)
  print(`day             ${hours.map((hour) => pad(`${hour}h`, 5)).join('')}  calls`)
  for (const [day, those] of Map.groupBy(rings, (at) => at.slice(0, 10))) {
    const byHour = hours.map((hour) => those.filter((at) => Number(at.slice(11, 13)) === hour).length)
    print(`${day} ${weekdayOf(day)}  ${byHour.map((n) => pad(n, 5)).join('')}  ${pad(those.length, 5)}`)
  }
  print('')
  print('Outcomes by day of the appointment')
  print(`day             ${columns.map((name) => pad(name, 11)).join('')}  callbacks`)
  const told = countBy([...box.store.tables.outbox.range()], ({ value }) => value.subject)
  for (const [day, those] of Map.groupBy(
    rows.toSorted((a, b) => a.appointmentAt - b.appointmentAt),
    (row) => wallClock(row.appointmentAt, zone).slice(0, 10),
  )) {
    const counts = countBy(those, (row) => row.outcome ?? row.state)
    const callbacks = those.reduce((sum, row) => sum + (told[row.reminderId] ?? 0), 0)
    print(`${day} ${weekdayOf(day)}  ${columns.map((name) => pad(counts[name] ?? 0, 11)).join('')}  ${pad(callbacks, 9)}`)
  }
  print('')
  print(`${rows.length} reminders, ${rings.length} calls, ${box.texts} texts, ${box.reminders.queue.waiting} not over`)
}
