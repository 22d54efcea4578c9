/**
 * What each role gets of a box full of one patient, on all routes that are there: a new route is walked like any other. A technician sees no
 * name, no whole number, no word, picture or sound of the patient in any answer; the desk gets nothing that is the manager's.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import type { Route } from '../../daemon/http/route.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { HistoryRow } from '../../daemon/store/history-rows.ts'
import { describedRoutes } from '../../scripts/generate/described.ts'
import { faxRow } from '../fax/rows.ts'
import { Daemon } from '../harness/daemon.ts'
import { keptRows } from '../harness/kept-rows.ts'
import { Browser, password } from '../people/stage.ts'
import { fillStore } from '../proofs/attack/privacy-items.ts'

t.setTimeout(180_000)

const number = '+15550427731'
const words = `Wyzenbeek haemoglobin ${number}`
/** In any spelling: the last seven digits are a whole number in its town. */
const patient = /wyzenbeek|haemoglobin|0427731|042[ .-]?7731/i

/** Routes open to technicians that say nothing of patients, by their operations: what they give of a full box names none to anybody. */
const withoutPatients: ReadonlySet<string> = new Set([
  ...[
    'getSession',
    'listPeople',
    'listSessions',
    'listExtensions',
    'listHours',
    'listQueues',
    'getQueue',
    'listSmsTrunks',
    'listMailboxes',
  ],
  ...[
    'getInbox',
    'listParking',
    'listLamps',
    'listActiveCalls',
    'listEmergencyCalls',
    'streamLive',
    'getSyncStatus',
    'listAudit',
    'verifyAudit',
    'getAlarms',
  ],
  ...[
    'getReminderCalling',
    'listWalls',
    'getCallFigures',
    'getQueueFigures',
    'getFaxFigures',
    'getTextFigures',
    'getReminderFigures',
    'listBoxEvents',
    'getBoxHealth',
  ],
])

const at = Date.now() - 3_600_000
const missed: HistoryRow = {
  ...{ callId: `CA${'1'.repeat(32)}`, direction: 'inbound', outcome: 'missed', from: number, to: '+15550001000', callerName: 'Wyzenbeek' },
  ...{
    trunkId: 'main',
    extension: '',
    endpointId: '',
    startedAt: at,
    answeredAt: null,
    endedAt: at + 20_000,
    ringSeconds: 20,
    talkSeconds: 0,
  },
  ...{ hangupCause: 16, endedBy: 'caller', sipCode: 0, steps: [], legs: [], recordings: [] },
}

interface Seeded {
  readonly daemon: Daemon
  /** Values of parameters by path or by name. */
  readonly ids: Readonly<Record<string, string>>
}

async function full(t: Test): Promise<Seeded> {
  const daemon = await Daemon.create({
    app: 'http://127.0.0.1:9',
    trunkPort: 9,
    settings: (base) => {
      Object.assign(base, { console: { secondStep: 'off' }, mailboxes: [{ ext: '101' }, { ext: '102' }] })
      base['limits'] = { requestsPerSecond: 1000, burst: 1000, authFailuresPerMinute: 1000 }
      base['queues'] = [{ id: 'front', name: 'Front', members: ['101'] }]
      base['sms'] = {
        trunks: [
          {
            id: 'web',
            kind: 'http',
            provider: 'twilio',
            url: 'http://127.0.0.1:9',
            account: 'AC1',
            secret: 'token',
            number: '+15550002000',
            pollSeconds: 0,
          },
        ],
      }
    },
  })
  t.teardown(() => daemon.close())
  const dir = join(daemon.dir, 'var')
  const items = await fillStore(dir, words)
  const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  const [, sms, , reminder] = [...keptRows(1, systemClock.now())]
  const fax = faxRow(
    { to: number, state: 'failed', completedAt: at, remoteStationId: words, cover: { to: words, from: '', subject: words }, pages: 1 },
    at,
  )
  const toUs = { from: number, callerName: 'Wyzenbeek' }
  await store.transaction(() => {
    const { tables } = store
    tables.faxes.put(fax.faxId, fax)
    tables.sms.put(sms!.key, { ...(sms!.row as object), to: number, rawTo: number, body: words, segments: [words] } as never)
    tables.reminders.put(reminder!.key, {
      ...(reminder!.row as object),
      customerName: words,
      number,
      rawNumber: number,
      appointmentAt: Date.now() + 86_400_000,
    } as never)
    tables.history.put(missed.callId, missed)
    const open = { rev: 1, state: 'open', owner: null, note: words, at, times: 1, closed: null } as const
    const call = { callId: missed.callId, number, callerName: 'Wyzenbeek', queue: '', rang: [], ringSeconds: 20, at }
    tables.work.put(`missed/${missed.callId}`, { ...open, kind: 'missed', id: missed.callId, call })
    for (const [kind, table] of [
      ['fax', tables.inboxFaxes],
      ['text', tables.inboxSms],
      ['voicemail', tables.inboxVoicemails],
    ] as const)
      for (const { key, value } of [...table.range()]) {
        table.put(key, { ...(value as object), ...toUs } as never)
        const mailbox = kind === 'voicemail' ? { mailbox: '101' } : {}
        tables.work.put(`${kind}/${value.id}`, { ...open, ...mailbox, kind, id: value.id, seq: Number(key) })
      }
  })
  await store.close()
  await daemon.start()
  const named = await daemon.api('POST', `/api/crm/names/${encodeURIComponent(number)}`, { name: 'Wyzenbeek' })
  t.equal(named.status, 200, JSON.stringify(named.body))
  return {
    daemon,
    ids: {
      ...{ '/api/inbox/faxes/:id': items.fax, '/api/inbox/sms/:id': items.sms, '/api/inbox/voicemails/:id': items.voicemail },
      ...{ '/api/mailboxes/:ext/:id': items.voicemail, '/api/queues/:id': 'front', '/api/work/:kind/:id': items.fax },
      ...{
        recording: items.recording,
        faxId: fax.faxId,
        messageId: sms!.key,
        callId: missed.callId,
        phoneNumber: encodeURIComponent(number),
      },
      ...{ number: encodeURIComponent(number), ext: '101', extension: '101', kind: 'fax', feed: 'faxes', n: '1' },
    },
  }
}

const filled = ({ path }: Route, ids: Seeded['ids'], more: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:([A-Za-z]+)/g, (whole, name: string, from: number) => {
    const until = path.slice(0, from + whole.length)
    return more[until] ?? ids[until] ?? ids[name] ?? 'x'
  })

/** Of lists that show nothing unasked. */
const queries: Readonly<Record<string, string>> = { searchHouse: '?q=Wyz', streamLive: '?topics=box', listVoicemails: '?ext=101&since=0' }

const routes = describedRoutes().filter(({ access }) => !['basic-token'].includes(access))

async function signedIn(
  { daemon }: Seeded,
  login: string,
  roles: string[],
  rest: object = {},
): Promise<{ browser: Browser; personId: string }> {
  const { body } = await daemon.api('POST', '/api/people', { login, name: login, roles, ...rest })
  const { body: slip } = await daemon.api('POST', `/api/people/${body.personId}/invite`)
  const browser = new Browser({ url: daemon.http }, { 'sec-fetch-site': 'same-origin' })
  const { status, text } = await browser.ask('POST', '/api/session/setup', { code: slip.code, password })
  if (status !== 200) throw new Error(`${login}: ${status} ${text}`)
  return { browser, personId: body.personId }
}

/** An answer of a stream is as much of it as comes at once. */
async function read(url: string, browser: Browser): Promise<{ status: number; text: string; type: string }> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(url, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const type = answer.headers.get('content-type') ?? ''
  if (!type.includes('event-stream'))
    return { status: answer.status, type, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') }
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return { status: answer.status, type, text: Buffer.from(value ?? []).toString('latin1') }
}

t.test('on all routes', async (t) => {
  const seeded = await full(t)
  const { daemon, ids } = seeded
  const manager = await signedIn(seeded, 'boss', ['manager'])
  const technician = await signedIn(seeded, 'tess', ['technician'])
  const desk = await signedIn(seeded, 'maria', ['desk'], { mailboxes: ['102'], extension: '101' })

  await t.test('a technician reads nothing of a patient', async (t) => {
    const idle: string[] = []
    let walked = 0
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const path = filled(route, ids, { '/api/people/:id': technician.personId }) + (queries[route.operationId] ?? '')
      const { status, text, type } = await read(daemon.http + path, technician.browser)
      walked += 1
      t.notMatch(text, patient, `${route.operationId} ${path} ${text.slice(0, 2000)}`)
      t.notMatch(text, /"day":"\*/, `${route.operationId}: a day is no number`)
      if (status >= 300) continue
      t.notMatch(type, /^(image|audio|video)\/(?!svg)|pdf/, `${route.operationId} ${path}`)
      if (route.people?.includes('manager') !== true || withoutPatients.has(route.operationId)) continue
      const whole = await read(daemon.http + path, manager.browser)
      if (!patient.test(whole.text)) idle.push(`${route.operationId} ${path} ${whole.status} ${whole.text.slice(0, 300)}`)
    }
    t.same(idle, [], 'of each it is shown that a manager sees the patient there, or it is listed above')
    t.ok(walked > 60, `${walked} routes`)
  })

  await t.test('nobody does what is not of the role', async (t) => {
    for (const [role, { browser }] of [
      ['desk', desk],
      ['technician', technician],
      ['manager', manager],
    ] as const)
      for (const route of routes) {
        if (route.people?.includes(role) === true || ['public', 'page', 'optional'].includes(route.access)) continue
        const { status } = await browser.ask(
          route.method as never,
          filled(route, ids, {}),
          ['GET', 'DELETE', 'OPTIONS'].includes(route.method) ? undefined : {},
        )
        t.ok([401, 403, 404, 405].includes(status), `${role}: ${status} ${route.method} ${route.path}`)
      }
  })

  await t.test('the desk hears its own mailboxes, and deletes nothing', async (t) => {
    for (const path of [
      `/api/inbox/voicemails/${ids['/api/inbox/voicemails/:id']}.wav`,
      `/api/inbox/voicemails/${ids['/api/inbox/voicemails/:id']}/peaks`,
      '/api/inbox/voicemails?ext=101&since=0',
      '/api/mailboxes/101',
    ])
      t.notMatch((await read(daemon.http + path, desk.browser)).text, patient, path)
    const removing = routes.filter(
      ({ method, people, path }) => method === 'DELETE' && people !== undefined && !/session|\/me|\/reminders\/:/.test(path),
    )
    for (const route of removing) t.equal((await desk.browser.ask('DELETE', filled(route, ids, {}))).status, 403, route.path)
    t.ok(removing.length >= 6)
  })

  await t.test('after the walk the patient is still there', async (t) => {
    t.match((await read(`${daemon.http}/api/inbox/faxes?since=0`, manager.browser)).text, patient)
    t.match((await read(`${daemon.http}/api/inbox/voicemails/${ids['/api/inbox/voicemails/:id']}.wav`, manager.browser)).text, patient)
  })
})
