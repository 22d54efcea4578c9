/** The examples of scripts/examples, each as its own process, with one real box. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { callbacksSecret, freePort } from '../../harness/daemon.ts'
import { eventually } from '../../harness/waiting.ts'
import { openHouse } from '../../sdk/house.ts'
import { HandPhone } from '../../sip-driver/hand-phone.ts'

t.setTimeout(180_000)
const folder = mkdtempSync(join(tmpdir(), 'pbxd-examples-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const { scene, daemon, house, started, serving, simulated } = await openHouse(['755', '754'])
const fax = house.sendFax({ to: '+15551230092', pdfBase64: readFileSync('docs/examples/letter.pdf').toString('base64') })

t.test('appointments.ts: a patient who calls gets another time; an outcome of the box is noted', async (t) => {
  const book = join(folder, 'book.json')
  const at = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()
  const [before, free, other] = [at(20), at(30), at(31)]
  writeFileSync(
    book,
    JSON.stringify({ appointments: [{ ref: 'A-5', name: 'Ana Ruiz', phone: '+15551230001', at: before }], free: [free, other] }),
  )
  const read = () => JSON.parse(readFileSync(book, 'utf8')) as { appointments: { at: string; status?: string }[]; free: string[] }
  const program = await serving('scripts/examples/appointments.ts', '754', { BOOK: book, CALLBACK_SECRET: callbacksSecret })
  await eventually('it has posted the reminder', () => /1 reminders accepted/.test(program.said()))
  const shown = await simulated('+15551230001', '+15550001001', '2', '2')
  t.match(shown, /Ana Ruiz, your appointment is on/)
  t.match(shown, /Your new appointment is on/)
  t.same(read(), { appointments: [{ ref: 'A-5', name: 'Ana Ruiz', phone: '+15551230001', at: other }], free: [before, free] })
  const { items } = await house.listReminders({})
  const open = items.filter(({ status }) => status === 'scheduled')
  t.match(open, [{ externalRef: 'A-5', appointmentAt: other }], 'the moved one has replaced the first')
  await house.cancelReminder(open[0]!.reminderId)
  await eventually('the outcome is noted', () => read().appointments[0]!.status === 'canceled', 20_000)
  t.match(await simulated('+15551230009', '+15550001001'), /We found no appointment/)
  await program.stop()
})

t.test('triage.py: an urgent call goes through the rota, and a message is the last way', async (t) => {
  const rota = join(folder, 'rota.json')
  writeFileSync(rota, JSON.stringify({ default: ['+15551230011', '+15551230012'] }))
  const program = await serving('scripts/examples/triage.py', '755', { ROTA: rota })
  const first = await scene.expect('busy')
  const call = simulated('101', '755', '1', '#', '#', '#', '#')
  await first.sip.exit
  await scene.expect('busy')
  const shown = await call
  const order = ['The practice is closed', 'I connect you with the doctor', 'I try the next doctor', 'Nobody can take your call']
  t.same(
    order.filter((text) => !shown.includes(text)),
    [],
    program.said(),
  )
  t.same(
    order.map((text) => shown.indexOf(text)).toSorted((a, b) => a - b),
    order.map((text) => shown.indexOf(text)),
    'in this order',
  )
  await eventually('the message is sent to the practice', () => /was not mailed: /.test(program.said()), 5000)
  t.notMatch(await simulated('101', '755', '2'), /I connect you/)
})

t.test('small-crm.ts: a card while the phone rings, a line in the history after the call', async (t) => {
  const customers = join(folder, 'customers.json')
  writeFileSync(customers, JSON.stringify([{ id: 'c1', name: 'Ana Ruiz', phones: ['+15551230055'], note: 'penicillin', history: [] }]))
  const port = await freePort()
  const program = started('scripts/examples/small-crm.ts', { PORT: String(port), CUSTOMERS: customers, EXTENSION: '101' })
  await eventually('the customers are in the box', () => /customers: 1 new/.test(program.said()))
  const page = await fetch(`http://127.0.0.1:${port}/events`)
  let cards = ''
  void (async () => {
    for await (const piece of page.body!.pipeThrough(new TextDecoderStream())) cards += piece
  })().catch(() => undefined)
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  const caller = await scene.call({ from: '+15551230055' })
  const invite = await phone.peer.request('INVITE')
  await eventually('it pops', () => /"state":"ringing".*"name":"Ana Ruiz","note":"penicillin"/.test(cards))
  phone.peer.answer(invite, 486)
  await caller.sip.exit
  await eventually('the call is filed', () => /filed a call of Ana Ruiz/.test(program.said()))
  const [{ history }] = JSON.parse(readFileSync(customers, 'utf8')) as [{ history: { text: string }[] }]
  t.match(history, [{ text: /missed/ }])
  await program.stop()
})

t.test('fax_inbox.py: a received fax is filed once, though the program is killed', async (t) => {
  await fax
  const database = join(folder, 'records.sqlite')
  const run = () => started('scripts/examples/fax_inbox.py', { DATABASE: database, PAUSE: '0.05' })
  let worker = run()
  await eventually('the fax is received', async () => (await house.listReceivedFaxes()).items.length === 1, 90_000)
  await worker.stop('SIGKILL')
  worker = run()
  const filed = () => {
    // Before its first step the worker has made no tables.
    const there = existsSync(database) ? new DatabaseSync(database, { timeout: 5000 }) : undefined
    if (there?.prepare("SELECT 1 FROM sqlite_master WHERE name = 'faxes'").get() === undefined) return []
    return there.prepare('SELECT pages, pdf FROM faxes').all() as { pages: number; pdf: Uint8Array }[]
  }
  await eventually('it is filed', () => filed().length === 1)
  await worker.stop('SIGKILL')
  worker = run()
  await house.getStatus()
  t.match(filed(), [{ pages: Number }])
  t.equal(Buffer.from(filed()[0]!.pdf).subarray(0, 5).toString(), '%PDF-')
})
