import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eraseMail } from '../../daemon/mail/part.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { emailRoutes } from '../../daemon/mail/routes.ts'
import type { Route } from '../../daemon/http/route.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createMail, type Mail } from '../../daemon/mail/mail.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { MailRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { certificate } from '../harness/processes.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { technicianOf } from '../harness/socket.ts'
import { MailServer } from './server.ts'

const token = 'the-token'
const log = createLog({ level: 'silent' })
const account = { username: 'clinic', password: 'secret', from: 'Riverside Clinic <office@example.com>', tls: 'off' }

interface Answer {
  readonly status: number
  readonly body: any
  readonly replayed: boolean
}

/** A box with an account, its routes on a real socket; retries wait for `clock`. */
class Stage {
  readonly dir: string
  readonly clock = new FakeClock(Date.now())
  store!: Store
  mail!: Mail
  port = 0
  #settings: object | undefined
  #close: () => Promise<void> = () => Promise.resolve()

  constructor(t: Test, settings: object | undefined) {
    this.dir = mkdtempSync(join(tmpdir(), 'pbxd-mail-'))
    this.#settings = settings
    t.teardown(async () => {
      await this.stop()
      rmSync(this.dir, { recursive: true, force: true })
    })
  }

  static async open(t: Test, server: MailServer | null, changes: object = {}): Promise<Stage> {
    const stage = new Stage(t, server === null ? undefined : { server: `127.0.0.1:${server.port}`, ...account, ...changes })
    await stage.start()
    return stage
  }

  routes(): Route[] {
    return emailRoutes({ ...this.mail, site: 'the clinic' }, eraseMail(this.store, this.mail.queue))
  }

  async start(): Promise<void> {
    const text = JSON.stringify({ storage: { dir: this.dir }, ...(this.#settings === undefined ? {} : { mail: this.#settings }) })
    const { config } = parseConfig(text, join(this.dir, 'pbxd.yaml'))
    const { clock } = this
    this.store = await openStore(join(this.dir, 'store'), log)
    this.mail = createMail({ config, store: this.store, clock, log, socketTimeoutMs: 2000 })
    const tokens = accessTokens([tokenRow('all', token, ['send'])], this.store.tables.tokens)
    const http = await startHttp({
      listen: '127.0.0.1:0',
      routes: this.routes(),
      tokens,
      limits,
      store: this.store,
      log,
      clock,
    })
    this.port = http.port
    this.mail.start()
    this.#close = async () => {
      await http.close(100)
      const stopped = this.mail.stop()
      clock.advance(5000)
      await stopped
      await this.store.close()
    }
  }

  stop(): Promise<void> {
    const close = this.#close
    this.#close = () => Promise.resolve()
    return close()
  }

  async ask(method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    return { status: answer.status, body: await answer.json(), replayed: answer.headers.get('idempotent-replayed') === 'true' }
  }

  send(changes: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('POST', '/api/email', { to: 'pat@example.org', subject: 'Your visit', text: 'See you.', ...changes }, headers)
  }

  /** Moves the clock to the next attempt of a mail and waits for its end. */
  async next(mailId: string): Promise<MailRow> {
    const attempted = this.mail.queue!.attempted(mailId, this.clock, 3_600_000)
    this.clock.advance((this.mail.queue!.find(mailId)?.nextAttemptAt ?? 0) + 1 - this.clock.now())
    await attempted
    return this.mail.queue!.find(mailId)!
  }

  files(): string[] {
    return readdirSync(join(this.dir, 'mail'))
  }
}

t.test('a mail with both bodies and an attachment arrives, over TLS and with the login', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-cert-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  await certificate(dir)
  const cert = join(dir, 'cert.pem')
  const tls = { key: readFileSync(join(dir, 'key.pem')), cert: readFileSync(cert) }
  for (const [mode, secure] of [
    ['starttls', false],
    ['on', true],
  ] as const) {
    const server = await MailServer.open(t, { ...tls, secure })
    const stage = await Stage.open(t, server, { tls: mode, caFile: cert })
    const sent = await stage.send({
      to: '"Doe, Pät" <pat@example.org>',
      subject: 'Häufige\r\nBcc: evil@example.org',
      html: '<p>See you.</p>',
      attachment: { filename: '../../plan ü.pdf', base64: Buffer.from('%PDF-1.4 plan').toString('base64') },
    })
    t.match(sent, { status: 200, body: { recipients: 1, delivered: 1, queued: 0, status: 'delivered' } }, mode)
    const [mail] = server.received
    t.match(mail, { from: 'office@example.com', to: ['pat@example.org'], user: 'clinic', secure: true })
    const text = mail?.text ?? ''
    t.match(text, /^Subject: =\?UTF-8\?Q\?H=C3=A4ufige_Bcc/m)
    t.notMatch(text, /^Bcc:/im, 'a line break begins no header')
    t.match(text, /^From: Riverside Clinic <office@example.com>/m)
    t.match(text, /^Auto-Submitted: auto-generated/m, 'so that no machine answers')
    t.match(text, /See you\.[^]*<p>See you\.<\/p>[^]*JVBERi0xLjQgcGxhbg==/)
    t.match(text, /filename\*0\*=utf-8''plan%20%C3%BC.pdf/)
    t.match(text, new RegExp(`^Message-ID: <${sent.body.mailId}@example.com>`, 'm'))
    t.same(stage.files(), [], 'a message that is through is not kept')
    t.match((await stage.ask('GET', `/api/email/${sent.body.mailId}`)).body, { status: 'delivered', to: 'pat@example.org', attempts: 1 })
  }
})

t.test('a server without TLS never sees the password of an account that wants TLS', async (t) => {
  const server = await MailServer.open(t)
  const stage = await Stage.open(t, server, { tls: 'starttls' })
  t.match((await stage.send()).body, { delivered: 0, queued: 1, status: 'retrying' })
  t.equal(server.logins, 0)
  t.match(stage.mail.condition(), { ok: false, waiting: 1 })
})

t.test('a refused recipient is final and said at once', async (t) => {
  const server = await MailServer.open(t)
  server.refuse = (to) => (to.startsWith('gone') ? '550 5.1.1 no such user here' : undefined)
  const stage = await Stage.open(t, server)
  const refused = await stage.send({ to: 'gone@example.org' })
  t.match(refused, { status: 200, body: { recipients: 1, delivered: 0, queued: 0, failed: 1, status: 'failed' } })
  t.match(refused.body.error, /no such user here/)
  t.match((await stage.send()).body, { delivered: 1 }, 'and the next goes through')
  t.equal(stage.mail.condition().ok, true)
  t.same(stage.files(), [])
})

t.test('a greylisted mail waits and is delivered once', async (t) => {
  const server = await MailServer.open(t)
  let asked = 0
  server.refuse = () => (++asked <= 2 ? '450 4.2.0 greylisted, come back later' : undefined)
  const stage = await Stage.open(t, server)
  const { body } = await stage.send()
  t.match(body, { delivered: 0, queued: 1, status: 'retrying', error: /greylisted/ })
  t.equal(stage.mail.condition().ok, true, 'nothing is wrong with the account')
  t.match(await stage.next(body.mailId), { state: 'retrying', attempts: 2 })
  t.match(await stage.next(body.mailId), { state: 'delivered', attempts: 3, error: '' })
  t.equal(server.received.length, 1)
})

t.test('a connection that dies in the middle of a message costs nothing but time', async (t) => {
  const server = await MailServer.open(t)
  server.cut = true
  const stage = await Stage.open(t, server)
  const { body } = await stage.send({ text: 'long '.repeat(100_000) })
  t.match(body, { delivered: 0, queued: 1, status: 'retrying' })
  server.cut = false
  t.match(await stage.next(body.mailId), { state: 'delivered' })
  t.equal(server.received.length, 1)
  t.ok(server.received[0]!.text.length > 500_000, 'and it is whole')
})

t.test('a dead server and a wrong password put mail off, are told, and what waits goes as soon as it works', async (t) => {
  const server = await MailServer.open(t)
  const stage = await Stage.open(t, server)
  await server.stop()
  const first = (await stage.send()).body
  const second = (await stage.send()).body
  t.match([first, second], [{ queued: 1, error: /cannot be reached/ }, { queued: 1 }])
  t.match(stage.mail.condition(), { ok: false, waiting: 2, reason: /cannot be reached/ })
  await server.start()
  await stage.next(first.mailId)
  if (server.received.length < 2) await server.next()
  t.equal(server.received.length, 2, 'the second did not wait for its own time')
  t.equal(stage.mail.condition().ok, true)

  const wrong = await Stage.open(t, server, { password: 'wrong' })
  t.match((await wrong.send()).body, { queued: 1, error: /refuses the login.*wrong user or password/ })
  const ask = await technicianOf(t, wrong.routes())
  t.match((await ask('POST', '/api/email/test', {})).json, { ok: false, reason: /refuses the login/ })
  const well = await technicianOf(t, stage.routes())
  t.match((await well('POST', '/api/email/test', { to: 'office@example.org' })).json, { ok: true, mail: { status: 'delivered' } })
  t.match((await ask('POST', '/api/email/all/retry')).json, [{ status: 'retrying' }])
})

t.test('an answer that takes too long leaves the mail to the queue', async (t) => {
  const server = await MailServer.open(t)
  const gate = Promise.withResolvers<void>()
  server.gate = gate.promise
  const stage = await Stage.open(t, server)
  const asked = stage.send({}, { 'idempotency-key': 'slow' })
  while (stage.files().length === 0 || stage.mail.condition().waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  stage.clock.advance(20_000)
  const { body } = await asked
  t.match(body, { delivered: 0, queued: 1, status: 'queued' })
  const arrived = server.next()
  gate.resolve()
  await arrived
  const again = await stage.send({}, { 'idempotency-key': 'slow' })
  t.match(again, { replayed: true, body: { mailId: body.mailId } })
  t.equal(server.received.length, 1, 'the repeated request sent nothing')
})

t.test('what cannot be sent is refused before anything is kept', async (t) => {
  const server = await MailServer.open(t)
  const stage = await Stage.open(t, server)
  const pdf = { filename: 'a.pdf', base64: 'JVBERg==' }
  for (const [changes, status, where] of [
    [{ to: 'a@example.org, b@example.org' }, 422, '/to'],
    [{ to: 'a@example.org\r\nBcc: b@example.org' }, 422, '/to'],
    [{ to: 'nobody' }, 422, '/to'],
    [{ to: 'friends: a@example.org;' }, 422, '/to'],
    [{ to: ['a@example.org'] }, 422, '/to'],
    [{ subject: '' }, 422, '/subject'],
    [{ subject: 'x'.repeat(999) }, 422, '/subject'],
    [{ text: null }, 422, '/text'],
    [{ attachment: [pdf] }, 422, '/attachment'],
    [{ attachment: { ...pdf, base64: '%%%' } }, 422, '/attachment/base64'],
    [{ attachment: { ...pdf, filename: '../' } }, 422, '/attachment/filename'],
    [{ attachment: { ...pdf, base64: Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64') } }, 413, undefined],
  ] as const) {
    const answer = await stage.send(changes)
    t.equal(answer.status, status, JSON.stringify(changes).slice(0, 80))
    if (where !== undefined) t.match(answer.body.details, [{ path: where }], where)
  }
  t.same([stage.files(), stage.mail.queue!.list(10), server.received], [[], [], []])
  const missing = await stage.ask('POST', '/api/email', { subject: 'x', text: 'y' })
  t.match(missing, { status: 422, body: { details: [{ path: '/to' }] } })
  const none = await Stage.open(t, null)
  t.match(await none.ask('POST', '/api/email', {}), { status: 503, body: { code: 'no_mail_account' } })
  t.match(await none.ask('GET', '/api/email'), { status: 200, body: { items: [] } })
})

t.test('whatever stands in a mail, no line ends otherwise than by CR LF', async (t) => {
  const server = await MailServer.open(t)
  const stage = await Stage.open(t, server)
  const odd = 'a\nb\rc\n.\n\r\n.\r\nd\u2028e\u0085f\r'
  for (const [what, changes] of Object.entries({
    html: { html: `<html>\n<body>\r<b>${odd}</b>\n</html>\n`, text: undefined },
    text: { text: odd },
    letters: { text: `é${odd}` },
    file: { text: 'x', attachment: { filename: 'lines.txt', base64: Buffer.from(odd).toString('base64') } },
    subject: { text: 'x', subject: 'ü'.repeat(200) },
  })) {
    t.equal((await stage.send(changes)).body.delivered, 1)
    const { text } = server.received.at(-1)!
    t.equal(text.replaceAll('\r\n', '').match(/[\r\n]/g), null, what)
  }
})

t.test('a domain of other letters goes out in the form that every server takes', async (t) => {
  const server = await MailServer.open(t)
  const stage = await Stage.open(t, server)
  for (const [to, wanted] of [
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['Ann Müller <ann@BÜCHER.example>', 'ann@xn--bcher-kva.example'],
    ['ann@例え.テスト', 'ann@xn--r8jz45g.xn--zckzah'],
  ] as const) {
    t.equal((await stage.send({ to })).body.delivered, 1, to)
    t.match(server.received.at(-1)!.text, new RegExp(`^To: .*${wanted}`, 'm'), to)
  }
})

t.test('mails are listed newest first, in pages', async (t) => {
  const server = await MailServer.open(t)
  const stage = await Stage.open(t, server)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.unshift((await stage.send({ subject: `mail ${i}` })).body.mailId)
  const one = (await stage.ask('GET', '/api/email?limit=3')).body
  const two = (await stage.ask('GET', `/api/email?limit=3&cursor=${one.nextCursor}`)).body
  t.same(
    [...one.items, ...two.items].map(({ mailId }: { mailId: string }) => mailId),
    ids,
  )
  t.equal(two.nextCursor, null)
})

t.test('kill -9 between the answer and the mail server loses no mail', async (t) => {
  const server = await MailServer.open(t)
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-mail-kill-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  server.refuse = () => '450 4.2.0 later'
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'sending-child.ts'), dir, String(server.port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line)
    if (acknowledged.length === 25) child.kill('SIGKILL')
  }
  server.refuse = () => undefined
  const stage = new Stage(t, { server: `127.0.0.1:${server.port}`, ...account })
  rmSync(stage.dir, { recursive: true, force: true })
  Object.assign(stage, { dir })
  await stage.start()
  const queue = stage.mail.queue!
  const attempted = queue.list(1000).map(({ mailId }) => queue.attempted(mailId, stage.clock, 7_200_000))
  stage.clock.advance(3_600_000)
  await Promise.all(attempted)
  const arrived = server.received.map(({ text }) => /^Message-ID: <([^@]+)@/m.exec(text)?.[1])
  t.same(
    acknowledged.filter((mailId) => !arrived.includes(mailId)),
    [],
  )
  t.equal(new Set(arrived).size, arrived.length, 'and sends none twice')
})
