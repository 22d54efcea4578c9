/**
 * Appointments of a practice: reminds, notes who confirms or cancels, and moves the appointment of a patient who wants another time. The box
 * makes the reminder calls; this program is called back with each outcome, and answers patients who call in or are called for a new time.
 *   SECRET=... CALLBACK_SECRET=... TOKEN=... PBX=http://127.0.0.1:8080 BOOK=book.json node scripts/examples/appointments.ts
 * book.json: {"appointments":[{"ref":"A-5","name":"Ana Ruiz","phone":"+15551230001","at":"2026-12-01T15:00:00Z"}],"free":["2026-12-02T15:00:00Z"]}
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { box, chosen, gather, menu, redirect, say, serve, type ControlDocument, type Page, type ReminderEvent } from 'pbxd'

const { PORT = '3000', PBX = 'http://127.0.0.1:8080', TOKEN = '', BOOK = 'book.json' } = process.env
const { SECRET = 'whsec_example_0123456789', CALLBACK_SECRET = SECRET, ZONE = 'America/New_York' } = process.env
const here = process.env['HERE'] ?? `http://127.0.0.1:${PORT}`
const house = box({ url: PBX, token: TOKEN })

interface Appointment {
  readonly ref: string
  readonly name: string
  readonly phone: string
  at: string
  status?: string
}
interface Book {
  readonly appointments: Appointment[]
  free: string[]
}

/** Read and written whole: a crash leaves the old file or the new one. */
const read = (): Book => JSON.parse(readFileSync(BOOK, 'utf8')) as Book
function change<T>(deed: (book: Book) => T): T {
  const book = read()
  const result = deed(book)
  writeFileSync(`${BOOK}.new`, JSON.stringify(book, null, 2), { flush: true })
  renameSync(`${BOOK}.new`, BOOK)
  return result
}
const find = (book: Book, ref: string | undefined): Appointment | undefined => book.appointments.find((one) => one.ref === ref)

const spoken = (at: string): string =>
  new Date(at).toLocaleString('en-US', {
    timeZone: ZONE,
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  })

/** Posts all that is still open. Posting it again is harmless: the box knows the reference and replaces a moved appointment. */
async function remind(): Promise<void> {
  const open = read().appointments.filter(({ status, at }) => status === undefined && Date.parse(at) > Date.now())
  if (open.length === 0) return
  const reminders = open.map(({ ref, name, phone, at }) => ({
    ...{ customerName: name, phoneNumber: phone, appointmentAt: at, externalRef: ref, statusCallbackUrl: `${here}/reminded` },
  }))
  const { accepted, rejected } = await house.scheduleReminders({ reminders })
  console.log(`${accepted} reminders accepted, ${rejected} rejected`)
}

/** An outcome of a reminder call. A patient who wants another time is called back at once with what is free. */
async function reminded(event: ReminderEvent): Promise<void> {
  const { outcome, externalRef } = event
  const patient = change((book) => {
    const one = find(book, externalRef ?? undefined)
    if (one !== undefined) one.status = outcome
    return one
  })
  console.log(`${externalRef}: ${outcome}`)
  if (outcome !== 'reschedule' || patient === undefined) return
  const call = { to: patient.phone, controlUrl: `${here}/voice`, params: { ref: patient.ref } }
  // The same event never places two calls: its id is the key of the request.
  await house.originateCall(call, { idempotencyKey: event.eventId })
}

const answers = { confirm: ['1', 'confirm', 'yes'], move: ['2', 'another time', 'reschedule'], cancel: ['3', 'cancel'] } as const

function ask(event: { readonly from: string; readonly params?: Readonly<Record<string, string>> }): ControlDocument {
  const patient = find(read(), known(event))
  if (patient === undefined) return [say('We found no appointment for your number. Please call the reception during opening hours.')]
  const text = `${patient.name}, your appointment is on ${spoken(patient.at)}. To confirm, press 1. For another time, press 2. To cancel, press 3.`
  return menu(text, answers, { actionUrl: '/answer' })
}

/** The times that a caller may choose from, by keys. */
const offered = (book: Book): string[] => book.free.filter((at) => Date.parse(at) > Date.now()).slice(0, 3)

function offer(): ControlDocument {
  const times = offered(read())
  if (times.length === 0) return [say('There is no free time this week. The reception calls you back. Goodbye.')]
  const text = times.map((at, index) => `For ${spoken(at)}, press ${index + 1}.`).join(' ')
  return [say(text), gather({ numDigits: 1, timeout: 8, actionUrl: '/move' })]
}

/** Whose appointment a call is about: the box repeats `params` of our own calls, and `from` of the others. A restart forgets nothing. */
const known = ({ params, from }: { readonly from: string; readonly params?: Readonly<Record<string, string>> }): string =>
  params?.['ref'] ?? read().appointments.find(({ phone }) => phone === from)?.ref ?? ''

const start: Page = {
  'call.inbound.pre_route': (event) => ask(event),
  'call.answered': (event) => ask(event),
  'call.redirected': (event) => ask(event),
}

const answered: Page = {
  'gather.completed': (event) => {
    const ref = known(event)
    const choice = chosen(event, answers)
    if (choice === undefined) return event.reason === 'hangup' ? [] : [say('Sorry, I did not get that.'), redirect('/voice')]
    if (choice === 'move') return offer()
    change((book) => void Object.assign(find(book, ref) ?? {}, { status: choice === 'confirm' ? 'confirmed' : 'canceled' }))
    return say(choice === 'confirm' ? 'Thank you, we see you then. Goodbye.' : 'Your appointment is canceled. Goodbye.')
  },
}

const moved: Page = {
  'gather.completed': async (event) => {
    const ref = known(event)
    const time = change((book) => {
      const at = offered(book)[Number(event.digits) - 1]
      const one = find(book, ref)
      if (at === undefined || one === undefined) return undefined
      book.free = [...book.free.filter((free) => free !== at), one.at].toSorted()
      one.at = at
      delete one.status
      return at
    })
    if (time === undefined) return event.reason === 'hangup' ? [] : offer()
    await remind()
    return say(`Your new appointment is on ${spoken(time)}. Goodbye.`)
  },
}

const outcomes: Page = {
  ...{ 'reminder.confirmed': reminded, 'reminder.canceled': reminded, 'reminder.reschedule': reminded, 'reminder.no-answer': reminded },
  ...{ 'reminder.busy': reminded, 'reminder.failed': reminded, 'reminder.voicemail': reminded, 'reminder.opted-out': reminded },
  'reminder.expired': reminded,
}

serve(
  { '/voice': start, '/answer': answered, '/move': moved, '/reminded': outcomes },
  { secret: [SECRET, CALLBACK_SECRET], port: Number(PORT) },
)
await remind()
