/** A clinic that nobody has ever met, on a running box: what came in the night, who waits, who talks, and browsers of its people. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser as Chromium, type BrowserContext } from 'playwright-core'
import { newId } from '../../../daemon/base/ids.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { systemClock } from '../../../daemon/base/clock.ts'
import { pdfOfFax } from '../../../daemon/fax/pages/pages.ts'
import { encodeT6 } from '../../../daemon/fax/pages/t6-encode.ts'
import { TiffWriter } from '../../../daemon/fax/pages/tiff-write.ts'
import { Inbox } from '../../../daemon/inbox/inbox.ts'
import { openStore, type Store } from '../../../daemon/store/store.ts'
import { wavBytes } from '../../../drivers/wav.ts'
import { faxRow } from '../../fax/rows.ts'
import { Baresip } from '../../harness/baresip.ts'
import { keepCalls, manyCalls } from '../../harness/call-log.ts'
import { chromiumPath } from '../../harness/chromium-path.ts'
import { Daemon } from '../../harness/daemon.ts'
import { keptRows } from '../../harness/kept-rows.ts'
import { call, type Phone } from '../../harness/sipp.ts'
import { Trunk } from '../../harness/trunk.ts'
import { Browser, password } from '../../people/stage.ts'

const phonePassword = 'a-long-password'
const box = '+12025550199'
/** Of the site, as harness/daemon.ts has it. */
const zone = 'America/New_York'
const callId = (n: number): string => `CA${String(n).padStart(32, '0')}`
const minute = 60_000

/** Numbers are those that are kept for stories (555-0100 to 555-0199). */
const people = {
  gloria: { from: '+12025550114', callerName: 'Gloria Chen' },
  samuel: { from: '+12025550131', callerName: 'Samuel Ortiz' },
  imaging: { from: '+12025550177', callerName: 'Lakeside Imaging' },
  pharmacy: { from: '+12025550162', callerName: 'Corner Pharmacy' },
  ruth: { from: '+12025550148', callerName: 'Ruth Abara' },
}

type Settings = Record<string, unknown>

/** Dots of a page in fine resolution. */
const width = 1728
const rows = 2200

/** For the browser, which has the letters. */
const drawing = (lines: readonly string[]): string => `(() => {
  const canvas = new OffscreenCanvas(${width}, ${rows})
  const pen = canvas.getContext('2d')
  pen.fillStyle = 'white'
  pen.fillRect(0, 0, ${width}, ${rows})
  pen.fillStyle = 'black'
  const lines = ${JSON.stringify(lines)}
  lines.forEach((line, at) => {
    pen.font = at === 0 ? 'bold 64px serif' : '40px serif'
    pen.fillText(line, 150, 220 + at * 74)
  })
  const dots = pen.getImageData(0, 0, ${width}, ${rows}).data
  const bytes = new Uint8Array(${(width / 8) * rows})
  for (let dot = 0; dot < ${width * rows}; dot++) if (dots[dot * 4] < 128) bytes[dot >> 3] |= 0x80 >> (dot & 7)
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
})()`

/** A letter, drawn by the browser: one bit a dot, black is 1, in Base64. */
async function letterOf(chromium: Chromium, from: string): Promise<string> {
  const page = await chromium.newPage()
  const lines = [
    ...[from, '14 Harbor Road, Riverside', '', 'To: Riverside Clinic', 'Re: Your referral of November 20', ''],
    ...['Dear colleagues,', '', 'thank you for sending us your patient. We have seen no fracture.'],
    ...[
      'We suggest two weeks of rest and a look at it afterwards; no further',
      'pictures are needed. The report follows by the end of the week.',
      '',
    ],
    ...['With kind regards', '', 'Dr. A. Lindholm'],
  ]
  try {
    return await page.evaluate<string>(drawing(lines))
  } finally {
    await page.close()
  }
}

/** `dir`: the storage directory of a box that stands still. */
async function fill(dir: string, chromium: Chromium): Promise<void> {
  const log = createLog({ level: 'silent' })
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: ['101', '102'] })
  const now = Date.now()
  try {
    for (const [who, pages, ago] of [
      [people.imaging, 1, 95],
      [people.pharmacy, 1, 41],
    ] as const)
      await receivedFax(dir, inbox, { ...who, pages, receivedAt: now - ago * minute }, await letterOf(chromium, who.callerName))
    for (const [who, ago, transcript] of [
      [people.ruth, 620, 'Good evening, this is Ruth Abara. I would like to move my appointment on Friday to the week after. Thank you.'],
      [people.samuel, 33, 'Hello, Samuel Ortiz here. My new insurance card has come; where shall I send it? You have my number.'],
    ] as const)
      await voicemail(dir, inbox, { ...who, receivedAt: now - ago * minute, transcript })
    await further(store, inbox, now)
  } finally {
    await store.close()
  }
}

async function receivedFax(
  dir: string,
  inbox: Inbox,
  facts: { from: string; callerName: string; pages: number; receivedAt: number },
  letter: string,
): Promise<void> {
  const id = newId()
  const file = join('inbox', 'faxes', `${id}.pdf`)
  mkdirSync(join(dir, 'inbox', 'faxes'), { recursive: true })
  const tiff = join(dir, `${id}.tif`)
  const writer = new TiffWriter(tiff, { pages: 1, dotsDown: 196 })
  writer.add({ width, rows, strip: encodeT6({ width, rows, stride: width / 8, data: Buffer.from(letter, 'base64') }) })
  writer.close()
  await pdfOfFax(tiff, join(dir, file))
  const session = { durationSeconds: 41, bitRate: 14_400, ecm: true, resolution: 'fine', transport: 't38', badRows: 0, t30Code: 0 } as const
  const whole = { id, ...facts, ...session, to: box, remoteStationId: facts.callerName, trunkId: 'main', callId: callId(1) }
  await inbox.publishFax({ ...whole, status: 'complete' }, file, () => undefined)
}

async function voicemail(
  dir: string,
  inbox: Inbox,
  facts: { from: string; callerName: string; receivedAt: number; transcript: string },
): Promise<void> {
  const id = newId()
  const recording = join(dir, `${id}.wav`)
  const seconds = 14
  const speech = (n: number): number =>
    Math.abs(Math.sin(n / 9000)) * Math.abs(Math.sin(n / 1700)) * (Math.floor(n / 12_000) % 4 === 3 ? 0.03 : 1)
  writeFileSync(
    recording,
    wavBytes(Int16Array.from({ length: seconds * 8000 }, (_, n) => Math.round(12_000 * speech(n) * Math.sin(n / 5)))),
  )
  await inbox.publishVoicemail(
    { id, ext: '101', ...facts, to: box, callId: callId(2), durationSeconds: seconds, transcriptStatus: 'done' },
    recording,
  )
}

/** Texts, faxes that went out, and calls that nobody took. */
async function further(store: Store, inbox: Inbox, now: number): Promise<void> {
  const [, sms] = [...keptRows(1, now)]
  const at = now - 52 * minute
  const text = { sha256: '', bytes: 0, segments: 1, encoding: 'GSM-7', trunkId: 'sim', to: box } as const
  await store.transaction(() => {
    const { tables } = store
    const sent = faxRow(
      { to: people.imaging.from, state: 'sent', pages: 3, pagesSent: 3, completedAt: at + minute, durationSeconds: 96, transport: 't38' },
      at,
    )
    tables.faxes.put(sent.faxId, sent)
    const body = 'Your appointment is tomorrow at 9:30. Reply C to confirm.'
    const messageId = newId()
    tables.sms.put(messageId, {
      ...(sms!.row as object),
      messageId,
      to: people.gloria.from,
      rawTo: people.gloria.from,
      body,
      segments: [body],
      createdAt: at,
      sentAt: at,
      completedAt: at,
    } as never)
    inbox.sms.insert({ ...text, id: newId(), ...people.gloria, receivedAt: now - 20 * minute, body: 'C - may I bring my daughter along?' })
    boxHistory(store, now)
    for (const [n, who, times, ago] of [
      [11, people.ruth, 3, 17],
      [12, people.samuel, 1, 8],
    ] as const) {
      const whenMissed = now - ago * minute
      const missed = {
        callId: callId(n),
        number: who.from,
        callerName: who.callerName,
        queue: 'front',
        rang: ['101', '102'],
        ringSeconds: 31,
        at: whenMissed,
      }
      const row = {
        kind: 'missed',
        id: callId(n),
        rev: 1,
        state: 'open',
        owner: null,
        note: '',
        at: whenMissed,
        times,
        closed: null,
      } as const
      tables.work.put(`missed/${row.id}`, { ...row, call: missed })
      tables.workNumbers.put(who.from, row.id)
    }
    for (const [kind, table] of [
      ['fax', tables.inboxFaxes],
      ['text', tables.inboxSms],
      ['voicemail', tables.inboxVoicemails],
    ] as const)
      for (const { key, value } of [...table.range()]) {
        const row = {
          kind,
          id: value.id,
          rev: 1,
          state: 'open',
          owner: null,
          note: '',
          at: value.receivedAt,
          times: 1,
          closed: null,
          seq: Number(key),
        } as const
        tables.work.put(`${kind}/${value.id}`, kind === 'voicemail' ? { ...row, mailbox: '101' } : row)
      }
  })
}

/** What has happened to the box in the week, as events: hours ago, minutes that it lasted, and what it was. */
function boxHistory({ tables }: Pick<Store, 'tables'>, now: number): void {
  const hour = 60 * minute
  for (const [ago, lasted, code, severity, text] of [
    [140, 22, 'line-main', 'error', 'Trunk main: no answer to OPTIONS'],
    [97, 190, 'phone-104', 'notice', 'Phone 104: not registered'],
    [70, 0, 'update', 'notice', 'pbxd 0.1.0 replaced 0.0.9'],
    [51, 64, 'line-spare', 'error', 'Trunk spare: no answer to OPTIONS'],
    [26, 540, 'backup-late', 'warning', 'The last good backup is 3 days old'],
    [9, 41, 'line-spare', 'error', 'Trunk spare: the provider refuses the password (403)'],
  ] as const) {
    const since = now - ago * hour
    const eventId = newId()
    const kind = code === 'update' ? 'update' : code.startsWith('backup') ? 'warning' : 'line'
    const told = severity === 'error' ? [{ at: since + minute, rule: 'office', way: 'mail', to: 'help@ridge.example' }] : []
    const row = { eventId, kind, code, severity, since, until: since + lasted * minute, text, fix: '', told } as const
    tables.boxEvents.put(eventId, { ...row, told: [...told], acknowledgedAt: null, acknowledgedBy: '' })
  }
}

export class Clinic {
  readonly daemon: Daemon
  /** A second line, which may be pulled. */
  readonly spare: Trunk
  readonly #trunk: Trunk
  readonly #open: { close(): unknown }[] = []
  readonly #chromium: Chromium

  private constructor(daemon: Daemon, [trunk, spare]: readonly [Trunk, Trunk], chromium: Chromium) {
    this.daemon = daemon
    this.spare = spare
    this.#trunk = trunk
    this.#chromium = chromium
  }

  /** `calls`: that the house has had in the last 120 days. `settings`: what else the configuration has. */
  static async open({
    calls = 0,
    settings,
  }: { readonly calls?: number; readonly settings?: (base: Settings) => void } = {}): Promise<Clinic> {
    const executablePath = chromiumPath()
    if (executablePath === undefined) throw new Error('there is no Chromium here: apt-get install chromium-headless-shell')
    const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: ['--disable-dev-shm-usage'] })
    const trunk = await Trunk.open()
    const spare = await Trunk.open()
    const daemon = await Daemon.create({
      app: 'http://127.0.0.1:9',
      trunkPort: trunk.port,
      settings: (base) => {
        base['console'] = { secondStep: 'off', help: 'Ridge IT, 555 010 0190' }
        base['limits'] = { requestsPerSecond: 1000, burst: 1000, authFailuresPerMinute: 1000 }
        const names = { 101: 'Front desk', 102: 'Nurse station', 103: 'Billing', 104: 'Dr. Lindqvist' }
        base['extensions'] = Object.entries(names).map(([number, name]) => ({ number, name, password: phonePassword, class: 'national' }))
        base['queues'] = [
          { id: 'front', name: 'Front desk', members: ['101', '102'] },
          { id: 'nurses', name: 'Nurse line', members: ['102'] },
        ]
        base['mailboxes'] = [{ ext: '101' }, { ext: '102' }]
        base['inbound'] = [{ trunk: 'main', to: '*', destination: 'queue:front' }]
        base['outbound'] = [{ trunks: ['main'] }]
        const [main] = base['trunks'] as Record<string, unknown>[]
        base['trunks'] = [main, { ...main, id: 'spare', server: `127.0.0.1:${spare.port}`, channels: 4, numbers: [], default: false }]
        base['alarms'] = [{ id: 'office', events: ['line'], afterSeconds: 0, notify: { webhook: ['https://monitor.ridge.example/pbx'] } }]
        settings?.(base)
      },
    })
    await fill(join(daemon.dir, 'var'), browser)
    if (calls > 0) await keepCalls(join(daemon.dir, 'var'), manyCalls({ count: calls, now: Date.now(), days: 120, zone }), zone)
    await daemon.start()
    const clinic = new Clinic(daemon, [trunk, spare], browser)
    for (const { from, callerName } of Object.values(people))
      await daemon.api('POST', `/api/crm/names/${encodeURIComponent(from)}`, { name: callerName })
    return clinic
  }

  async phone(user: string, autoAnswer = false): Promise<Baresip> {
    const started = await Baresip.start({ registrar: `127.0.0.1:${this.daemon.sipPort}`, user, password: phonePassword, autoAnswer })
    this.#open.push(started)
    await started.until('REGISTER_OK')
    return started
  }

  async caller(from: string): Promise<Phone> {
    const one = await call(this.daemon.sipPort, { from })
    this.#open.push(one)
    return one
  }

  /** Somebody who has signed in, and the cookie of the session. */
  async person(login: string, name: string, roles: readonly string[], rest: object = {}): Promise<{ browser: Browser; cookie: string }> {
    const { body } = await this.daemon.api('POST', '/api/people', { login, name, roles, ...rest })
    const { body: slip } = await this.daemon.api('POST', `/api/people/${body.personId}/invite`)
    const browser = new Browser({ url: this.daemon.http }, { 'sec-fetch-site': 'same-origin' })
    await browser.ask('POST', '/api/session/setup', { code: slip.code, password })
    return { browser, cookie: browser.cookies.get('pbx') as string }
  }

  /** A window of that person. */
  async window(cookie: string, options: object = {}): Promise<BrowserContext> {
    const context = await this.#chromium.newContext({ baseURL: this.daemon.http, reducedMotion: 'reduce', locale: 'en-US', ...options })
    await context.addCookies([{ name: 'pbx', value: cookie, url: this.daemon.http, httpOnly: true, sameSite: 'Strict' }])
    return context
  }

  async close(): Promise<void> {
    await this.#chromium.close()
    for (const one of this.#open.splice(0)) await one.close()
    this.#trunk.close()
    this.spare.close()
    await this.daemon.close()
  }
}
