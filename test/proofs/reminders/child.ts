/**
 * One run of the box between two kills: `child.ts DIR START COUNT SEED LINES`. Posts what was not accepted yet, then lives until all have
 * ended.
 */
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ReminderItem } from '../../../daemon/reminders/submit.ts'
import { Box } from './box.ts'

const [dir = '', start = '0', count = '0', seed = '1', lines = '20'] = process.argv.slice(2)
const chunk = 250
const hourMs = 3_600_000
const days = 6

const file = join(dir, 'journal')
const journal = openSync(file, 'a')
const tell = (line: string): void => void writeSync(journal, `${line}\n`)
const before = readFileSync(file, 'utf8').split('\n')

const box = await Box.open({
  dir,
  startAt: Number(start),
  seed: Number(seed),
  lines: Number(lines),
  channels: Number(lines) + 1,
  tell,
  before,
})
box.reminders.queue.start()
await box.settle()

/** The first start of all: the same reminders are posted in every run until they are accepted. */
const first = Number(before.find((line) => line.startsWith('S '))?.split(' ')[1] ?? start)
if (!before.some((line) => line.startsWith('S '))) tell(`S ${first}`)
const accepted = before.filter((line) => line.startsWith('P ')).length
for (let from = accepted * chunk; from < Number(count); from += chunk) {
  const items: ReminderItem[] = []
  for (let n = from; n < Math.min(Number(count), from + chunk); n++) items.push({ request: reminder(n) })
  await box.reminders.desk.submit(items)
  tell(`P ${from}`)
}
tell('R')
process.stdout.write('ready\n')

while (box.reminders.queue.waiting > 0 && (await box.next()));
await box.settle()
await box.close()
process.exitCode = box.reminders.queue.waiting === 0 ? 0 : 1

/** One in ten shares its number with another. */
function reminder(n: number) {
  const person = n % 10 === 9 ? n - 1 : n
  const day = 3 + (n % days)
  return {
    externalRef: `R-${n}`,
    customerName: `Person ${n}`,
    phoneNumber: `+1555${String(2_000_000 + person).padStart(7, '0')}`,
    appointmentAt: new Date(first + day * 24 * hourMs + ((n * 7) % 480) * 60_000).toISOString(),
    statusCallbackUrl: 'http://127.0.0.1:9/reminders',
    sms: n % 4 === 0,
  }
}
