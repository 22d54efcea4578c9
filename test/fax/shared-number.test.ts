/** Two daemons, each the other's trunk; an application answers the number that is also faxed to. */
import { readFileSync, writeFileSync } from 'node:fs'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import t, { type Test } from 'tap'
import { application } from '../outbox/bench.ts'
import { Daemon } from '../harness/daemon.ts'
import { found } from '../harness/waiting.ts'

const until = <T>(look: () => Promise<T | undefined> | T | undefined, what: string, ms = 120_000) => found(what, look, ms, 100)

t.jobs = 3
t.setTimeout(300_000)

interface Event {
  readonly event: string
  readonly [name: string]: unknown
}

const number = '+15551230001'

/** `first`: what the application of the called box answers when a call comes in. */
async function boxes(t: Test, first: (url: string) => unknown[], rule: Record<string, unknown> = {}) {
  const app = await application(t, ({ body }, response) => {
    const { event } = JSON.parse(body) as Event
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(event === 'call.inbound.pre_route' ? first(app.url) : []))
  })
  const box = async (change: (settings: Record<string, any>) => void): Promise<Daemon> => {
    const daemon = await Daemon.create({ app: app.url, trunkPort: 9, settings: change })
    t.teardown(() => daemon.close())
    return daemon
  }
  const caller = await box((settings) => (settings.fax = { stationId: '+1 555 000 1000' }))
  const called = await box((settings) => {
    settings.trunks[0].numbers = [number]
    settings.inbound = [{ trunk: 'main', to: number, destination: 'endpoint:reception', ...rule }]
  })
  for (const [daemon, other] of [
    [caller, called],
    [called, caller],
  ] as const) {
    const text = readFileSync(daemon.configFile, 'utf8')
    writeFileSync(daemon.configFile, text.replace('server: 127.0.0.1:9', `server: 127.0.0.1:${other.sipPort}`))
  }
  await Promise.all([caller.start(), called.start()])
  const events = (): Event[] => app.received.map(({ body }) => JSON.parse(body) as Event)
  return { caller, called, events }
}

async function letter(): Promise<string> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  document.addPage([595, 842]).drawText('Referral letter', { x: 50, y: 700, size: 16, font })
  return Buffer.from(await document.save()).toString('base64')
}

async function fax(caller: Daemon): Promise<string> {
  const accepted = await caller.api('POST', '/api/fax', { to: number, pdfBase64: await letter() })
  if (accepted.status !== 202) throw new Error(JSON.stringify(accepted.body))
  return accepted.body.faxId as string
}

const over = (caller: Daemon, faxId: string) =>
  until(async () => {
    const { body } = await caller.api('GET', `/api/fax/${faxId}`)
    return ['sent', 'failed', 'canceled'].includes(body.status) ? body : undefined
  }, 'the end of the fax')

const ended = (events: () => Event[]) => until(() => events().find(({ event }) => event === 'call.ended'), 'call.ended', 30_000)

const menu = (url: string) => [
  { say: { text: 'Welcome to the Riverside Clinic. For appointments press one. For the nurse press two. For all else, please wait.' } },
  { gather: { input: 'dtmf', actionUrl: `${url}/voice`, timeout: 10 } },
]

t.test(
  'a fax to a number that an application answers arrives in the inbox; the application is cut off',
  { buffered: true, timeout: 240_000 },
  async (t) => {
    const { caller, called, events } = await boxes(t, menu)
    const sent = await over(caller, await fax(caller))
    t.match(sent, { status: 'sent', pagesSent: 1, attempts: 1 }, JSON.stringify(sent))
    const item = await until(async () => (await called.api('GET', '/api/inbox/faxes?since=0')).body.items[0], 'the item', 10_000)
    t.match(item, { from: '+15550001000', to: number, pages: 1, complete: true, remoteStationId: '+1 555 000 1000' })
    const end = await ended(events)
    t.match((await called.api('GET', '/readyz')).body.parts.fax, { ok: true, reason: 'sends through main; receives through main' })
    t.match((await caller.api('GET', '/metrics')).body, /pbx_fax_attempts_total\{transport="t38",outcome="sent"\} 1/)
    t.match((await called.api('GET', '/metrics')).body, /pbx_fax_pages_total\{direction="received"\} 1/)
    t.match(end, { endReason: /routed-ended|caller-hangup/, documents: 1 })
    t.same(
      events().map(({ event }) => event),
      ['call.inbound.pre_route', 'call.ended'],
      'nothing is told of the menu that was cut',
    )
    t.same(
      events().map(({ sequence }) => sequence),
      [1, 2],
    )
    const trace = await called.pbx('trace', String(end.callId))
    t.match(trace.out, /verb\s+gather[\s\S]*a fax machine calls: the application is cut off[\s\S]*> DIS[\s\S]*> MCF/, 'the trace says so')
  },
)

t.test('a rule may say that a number takes no faxes', { buffered: true, timeout: 120_000 }, async (t) => {
  const { caller, called, events } = await boxes(t, menu, { fax: 'off' })
  const faxId = await fax(caller)
  await until(() => events().find(({ event }) => event === 'gather.completed'), 'the end of the menu', 60_000)
  t.match(await ended(events), { endReason: 'document-end' })
  t.equal((await caller.api('DELETE', `/api/fax/${faxId}`)).status, 200)
  t.same((await called.api('GET', '/api/inbox/faxes?since=0')).body.items, [])
})

t.test('a person who calls that number is not disturbed', { buffered: true, timeout: 120_000 }, async (t) => {
  const document = (url: string) => [{ say: { text: 'Please leave a message.' } }, { record: { actionUrl: `${url}/voice`, maxSeconds: 8 } }]
  const { caller, called, events } = await boxes(t, document)
  const call = await caller.api('POST', '/api/voice/originate', {
    to: number,
    document: [
      { pause: { seconds: 2 } },
      { say: { text: 'This is Anna Hay. I would like to move my appointment on Thursday to the week after. Please call me back.' } },
      { pause: { seconds: 9 } },
    ],
  })
  t.equal(call.status, 200, JSON.stringify(call.body))
  const recorded = await until(() => events().find(({ event }) => event === 'record.completed'), 'the recording', 60_000)
  t.ok(Number(recorded.durationSeconds ?? recorded.durationMs) > 2, JSON.stringify(recorded))
  const end = await ended(events)
  const trace = await called.pbx('trace', String(end.callId))
  t.notMatch(trace.out, /fax/)
  t.same((await called.api('GET', '/api/inbox/faxes?since=0')).body.items, [])
})
