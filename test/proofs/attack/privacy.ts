/** Somebody who reads what anybody may read looks for patients; and what was deleted is looked for in all that is left. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import { createLog } from '../../../daemon/base/log.ts'
import { openStore } from '../../../daemon/store/store.ts'
import { MailServer } from '../../mail/server.ts'
import { eventually, Scene } from '../../harness/scene.ts'
import { none, type Area } from './attack.ts'
import { fillStore } from './privacy-items.ts'

/** Of one patient: nothing of it may be seen. */
const name = 'Wyzenbeek'
const mrn = '4711239'
const mail = 'wyz@patients.example'
const number = '+15550427731'
const patient = new RegExp(`${name}|${mrn}|wyz@|patients\\.example|5550427731|0427731`, 'i')
const words = `Pat ${name}, MRN-${mrn}, ${number}, ${mail}`

const refusing = new MailServer()
let provider: Server | undefined

/** A provider of texts that refuses each, in the patient's name. */
async function startProvider(): Promise<void> {
  provider = createServer((request, response) => {
    request.resume()
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ code: 21_610, message: `${words} is not reachable` }))
  })
  await new Promise<void>((resolve) => provider!.listen(0, '127.0.0.1', resolve))
}

await startProvider()
await refusing.start()
refusing.refuse = () => `550 5.1.1 <${mail}> ${words}: user unknown`
// The program ends by process.exit; these must not keep it.
provider!.unref()

async function pdf(): Promise<string> {
  const document = await PDFDocument.create()
  document.setTitle(words)
  document.addPage([200, 200])
  return Buffer.from(await document.save()).toString('base64')
}

function settings(base: any): void {
  base.log = { level: 'debug' }
  base.mail = { server: `127.0.0.1:${refusing.port}`, tls: 'off', from: 'clinic@example.com' }
  const url = `http://127.0.0.1:${(provider!.address() as AddressInfo).port}`
  base.sms = {
    trunks: [{ id: 'web', kind: 'http', provider: 'twilio', url, account: 'AC1', secret: 'token', number: '+15550002000', pollSeconds: 0 }],
  }
  base.limits = { requestsPerSecond: 1000, burst: 1000, originatesPerMinute: 1000, originateStartsPerSecond: 100 }
}

/** Documents that cannot run, or run badly, in the patient's words. */
const documents: readonly unknown[] = [
  [{ gather: { numDigits: words } }],
  [{ [words]: {} }],
  [{ say: { text: 'x' }, [words]: {} }],
  [{ play: { url: words } }],
  [{ route: { to: words } }],
  [{ play: { url: `http://127.0.0.1:9/${'x'}?patient=${encodeURIComponent(words)}` } }, { say: { text: words } }],
  words,
  `[{"say":{"text":"${words}`,
]

export const privacy: Area = {
  name: 'privacy',
  settings,
  attacks: [
    {
      name: 'every failure, in the words of a patient, sought in log and status',
      play: async (box) => {
        const { daemon, app } = box
        const query = `patient=${encodeURIComponent(words)}&mrn=${mrn}&name=${name}`
        const answers = [
          ...documents,
          { status: 500 },
          { status: 401 },
          'reset',
          { status: 302, headers: { location: `http://x/?${query}` } },
        ]
        app.script = (_event, { path }) => {
          const answer = answers[Number(path.split('/')[2])]
          if (typeof answer === 'string' && answer !== 'reset') return { body: answer, headers: { 'content-type': 'application/json' } }
          return answer as never
        }
        const calls: string[] = []
        for (const index of answers.keys()) {
          await box.expect('answer')
          const asked = { to: number, controlUrl: `${app.url}/voice/${index}?${query}`, params: { patient: name }, externalRef: name }
          const placed = await box.originate(asked)
          if (placed.status !== 200) throw new Error(JSON.stringify(placed.body))
          calls.push(String(placed.body.callId))
          const asks = () => app.received.some(({ path }) => path === `/voice/${index}`)
          await eventually(`the application is asked for document ${index}`, asks, 5000)
        }
        const over = async (callId: string) => (await daemon.api('GET', `/api/voice/calls/${callId}`)).body.endedAt !== null
        await eventually('the calls are over', async () => (await Promise.all(calls.map(over))).every(Boolean), 20_000)
        await daemon.api('POST', '/api/email', { to: mail, subject: words, text: words })
        await daemon.api('POST', '/api/sms', { to: number, message: words })
        const fax = {
          to: number,
          pdfBase64: await pdf(),
          cover: { to: words, subject: words },
          statusCallbackUrl: `${app.url}/status?${query}`,
        }
        const sent = await daemon.api('POST', '/api/fax', fax)
        await daemon.api('DELETE', `/api/fax/${sent.body.faxId}`)
        await daemon.api('POST', '/api/fax', { ...fax, pdfBase64: Buffer.from(`%PDF-1.4 ${words}`).toString('base64') })
        await daemon.api('POST', `/api/reminders?${query}`, [{ customerName: words, phoneNumber: words, appointmentAt: words }])
        await daemon.api('GET', `/api/inbox/faxes/${encodeURIComponent(words)}.pdf?${query}`)
        await daemon.api('POST', '/api/sms', `{"to": "${words}`)
        await eventually('the callback of the fax', () => daemon.log.some(({ msg }) => msg === 'fax ended'))
        const places = {
          'lines of the log': daemon.log.map((line) => JSON.stringify(line)),
          'lines of stderr': daemon.stderr.split('\n'),
          'lines of /readyz': JSON.stringify((await daemon.api('GET', '/readyz')).body, null, 1).split('\n'),
          'lines of /metrics': String((await daemon.api('GET', '/metrics')).body).split('\n'),
          'lines of pbx status': (await daemon.pbx('status')).out.split('\n'),
        }
        const found = Object.entries(places).map(([place, lines]) => [place, lines.filter((line) => patient.test(line)).length] as const)
        const alerts = (await daemon.api('GET', '/readyz')).body.warnings as readonly { code: string }[]
        const hit = Object.values(places)
          .flat()
          .find((line) => patient.test(line))
        return none(
          Object.fromEntries(found),
          hit === undefined ? `${places['lines of the log'].length} lines, ${alerts.length} warnings` : hit.slice(0, 400),
        )
      },
    },
    {
      name: 'every kind of item deleted, then its words sought in all files and rows',
      play: async () => {
        const box = await Scene.open({ settings: (base: any) => (settings(base), (base.voice.trace = 'full')) }, false)
        const { daemon } = box
        const dir = join(daemon.dir, 'var')
        try {
          const ids = await fillStore(dir, words)
          await daemon.start()
          const key = (value: string) => ({ 'idempotency-key': value })
          const fax = (await daemon.api('POST', '/api/fax', { to: number, pdfBase64: await pdf(), cover: { subject: words } }, key('f')))
            .body.faxId
          const message = (await daemon.api('POST', '/api/email', { to: mail, subject: words, text: words }, key('m'))).body.mailId
          const text = (await daemon.api('POST', '/api/sms', { to: number, message: words }, key('s'))).body.messages[0].messageId
          const appointmentAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
          const asked = { customerName: words, phoneNumber: number, serviceName: name, appointmentAt, externalRef: mrn }
          const reminder = (await daemon.api('POST', '/api/reminders', [asked])).body.reminders[0].reminderId
          const refused: string[] = []
          const remove = async (path: string, statuses: readonly number[] = [204]) => {
            const { status, body } = await daemon.api('DELETE', path)
            if (!statuses.includes(status)) refused.push(`${path}: ${status} ${JSON.stringify(body)}`)
          }
          const before = scan(dir)
          await remove(`/api/fax/${fax}`, [200])
          await eventually('the fax is deleted', async () => (await daemon.api('DELETE', `/api/fax/${fax}`)).status === 204)
          await remove(`/api/reminders/${reminder}`, [200])
          await remove(`/api/reminders/${reminder}`)
          await remove(`/api/email/${message}`)
          await remove(`/api/sms/${text}`)
          await remove(`/api/inbox/faxes/${ids.fax}`)
          await remove(`/api/inbox/sms/${ids.sms}`)
          await remove(`/api/voice/recordings/${ids.recording}`)
          await remove(`/api/voice/calls/${ids.tracedCall}/trace`)
          for (const command of [
            ['inbox', 'delete', ids.voicemail],
            ['recordings', 'delete', ids.otherRecording],
          ]) {
            const { code, error } = await daemon.pbx(...command)
            if (code !== 0) refused.push(error)
          }
          const gone = (await daemon.api('GET', `/api/inbox/faxes/${ids.fax}.pdf`)).status
          const feed = (await daemon.api('GET', '/api/inbox/faxes?since=0')).body.items.length
          await daemon.stop()
          const { rows, audited, waiting } = await readRows(dir)
          const figures = {
            'rows with the words': rows.length,
            'files with the words': scan(dir).length,
            'deletions refused': refused.length,
            'deletions without a row in the audit trail': Math.max(0, 10 - audited),
            'callbacks that are not told any more': 1 - waiting,
            'other items lost': 1 - feed,
            'wrong answers for what is gone': gone === 410 ? 0 : 1,
          }
          return none(figures, `${before.length} files had them before; ${[...refused, ...rows].join('; ').slice(0, 300)}`)
        } finally {
          await box.close()
        }
      },
    },
  ],
}

/** Files with the words. Pages of the database that are free keep what was in them until they are used again: rows are read instead. */
function scan(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((file) => join(dir, file))
    .filter((file) => statSync(file).isFile() && !file.includes('store.mdb'))
    .filter((file) => patient.test(file) || patient.test(readFileSync(file).toString('latin1')))
}

async function readRows(dir: string): Promise<{ rows: string[]; audited: number; waiting: number }> {
  const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  try {
    const { tables } = store
    const rows = Object.entries(tables).flatMap(([table, rowsOf]) =>
      [...rowsOf.range()]
        .filter(({ key, value }) => patient.test(`${key} ${JSON.stringify(value)}`))
        .map(({ key, value }) => `${table} ${key} ${JSON.stringify(value).slice(0, 200)}`),
    )
    const audited = [...tables.audit.range()].filter(({ value }) => value.deed.endsWith('.delete') && value.outcome === 'done').length
    return { rows, audited, waiting: tables.outbox.get('019a0000-0000-7000-8000-0000000000aa') === undefined ? 0 : 1 }
  } finally {
    await store.close()
  }
}
