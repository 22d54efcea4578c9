/** The SMPP trunk against a real SMPP service: login, texts, the window, and what breaks. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { answered, connected, never, startService, text, trunkAt, type Service, type ServicePdu } from './service.ts'
import { eventually } from '../harness/waiting.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

t.test('it logs in as a transceiver and says goodbye', async (t) => {
  const { service, trunk, session } = await connected(t, {}, { systemType: 'gateway' })
  t.match(service.logins, [{ system_id: 'clinic', password: 'secret', system_type: 'gateway', interface_version: 0x34 }])
  t.match(trunk.status(), { ok: true, state: 'ready', text: '' })
  const goodbye = new Promise((resolve) => session.on('unbind', resolve))
  await trunk.stop()
  await goodbye
  t.equal(trunk.status().state, 'stopped')
})

t.test('a refused login is told in plain words, and tried again', async (t) => {
  for (const [code, state, words] of [
    [0x0e, 'refused', /password is wrong/],
    [0x0f, 'refused', /does not know this system ID/],
    [0x0d, 'refused', /refuses the login/],
    [0x05, 'unreachable', /in use already/],
    [0x123, 'unreachable', /own code 0x123/],
  ] as const) {
    let mended = false
    const service = await startService({ login: () => (mended ? 0 : code) })
    const trunk = trunkAt(service.port)
    const kept = new KeptTexts()
    trunk.start(kept)
    await kept.until(() => trunk.status().state === state)
    t.match(trunk.status().text, words)
    t.match(await trunk.send(text(), never), { kind: 'temporary', accepted: [null] }, 'a text waits meanwhile')
    mended = true
    await kept.until(() => trunk.status().ok)
    await trunk.stop()
    await service.kill()
  }
})

t.test('a service that is not there is unreachable, and found when it comes', async (t) => {
  const first = await startService()
  await first.kill()
  const trunk = trunkAt(first.port)
  const kept = new KeptTexts()
  trunk.start(kept)
  await kept.until(() => trunk.status().state === 'unreachable')
  t.match(trunk.status().text, /nothing listens/)
  const second = await startService({ port: first.port })
  await kept.until(() => trunk.status().ok)
  await trunk.stop()
  await second.kill()
})

t.test('a short text: addresses, alphabet, validity, receipt', async (t) => {
  const { service, trunk } = await connected(t, { submit: () => ({ id: 'abc-1' }) })
  const outcome = await trunk.send(text({ body: 'Grüße, 5 € [ok]', segments: ['Grüße, 5 € [ok]'], validitySeconds: 90_061 }), never)
  t.same(outcome, { kind: 'accepted', accepted: ['abc-1'] })
  const [pdu] = service.texts
  t.match(pdu, {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: '15550100',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '15550177',
    esm_class: 0,
    registered_delivery: 1,
    data_coding: 0,
    short_message: { message: 'Grüße, 5 € [ok]' },
  })
  const ahead = (Number(pdu?.validity_period) - Date.now()) / 1000
  t.ok(Math.abs(ahead - 90_061) < 5, `valid for ${ahead} s`)

  await trunk.send(text({ to: '12345', from: 'Clinic', body: 'Привет', segments: ['Привет'], encoding: 'UCS-2' }), never)
  t.match(service.texts[1], {
    source_addr_ton: 5,
    source_addr: 'Clinic',
    dest_addr_ton: 3,
    destination_addr: '12345',
    data_coding: 8,
    short_message: { message: 'Привет' },
  })
})

t.test('a text in parts is joined by its header, and a part that was taken is not sent again', async (t) => {
  const { service, trunk } = await connected(t)
  const segments = ['a'.repeat(153), '€'.repeat(76), 'end']
  await trunk.send(text({ body: segments.join(''), segments, reference: 0x1234, accepted: ['7', null, null] }), never)
  t.same(
    service.texts.map((pdu) => [pdu.esm_class, pdu.short_message.udh[0].toString('hex'), pdu.short_message.message]),
    [
      [0x40, '0003340302', segments[1]],
      [0x40, '0003340303', 'end'],
    ],
  )
})

t.test('answers: throttling and a full queue are temporary, a wrong number is not', async (t) => {
  const codes = [0x58, 0x14, 0x0b, 0x45, 0x499]
  const { trunk } = await connected(t, { submit: () => ({ status: codes.shift() ?? 0 }) })
  t.match(await trunk.send(text(), never), { kind: 'temporary', retryAfterSeconds: 5, text: /ESME_RTHROTTLED/ })
  t.match(await trunk.send(text(), never), { kind: 'temporary', text: /queue of the service is full/ })
  t.match(await trunk.send(text(), never), { kind: 'refused', code: 'ESME_RINVDSTADR', text: /number of the recipient/ })
  t.match(await trunk.send(text(), never), { kind: 'temporary' })
  t.match(await trunk.send(text(), never), { kind: 'temporary', text: /0x499/ })
  t.match(await trunk.send(text({ segments: ['a', 'b'] }), never), { kind: 'accepted' })
  codes.push(0, 0x14)
  const half = await trunk.send(text({ segments: ['a', 'b'] }), never)
  t.match(half, { kind: 'temporary' })
  t.type(half.accepted[0], 'string', 'the part that was taken is named')
  t.equal(half.accepted[1], null)
})

t.test('an answer is one with and without a body, whatever it says', async (t) => {
  const answers: [status: number, body: string][] = [
    [0, ''],
    [0, '\0'],
    [0, 'no end'],
    [0, `${'x'.repeat(70)}\0`],
    [0x0b, ''],
    [0x0b, '0A000000A3D323A1\0'],
  ]
  const { trunk } = await connected(t, {
    submit(pdu, session) {
      const [status, body] = answers.shift()!
      const head = Buffer.alloc(16)
      for (const [at, value] of [16 + body.length, 0x80000004, status, pdu.sequence_number as number].entries())
        head.writeUInt32BE(value, at * 4)
      session.socket.write(Buffer.concat([head, Buffer.from(body, 'latin1')]))
      return null
    },
  })
  for (const reference of ['', '', 'no end', 'x'.repeat(70)]) t.same((await trunk.send(text(), never)).accepted, [reference])
  for (let refused = 0; refused < 2; refused++)
    t.match(await trunk.send(text(), never), { kind: 'refused', code: 'ESME_RINVDSTADR', accepted: [null] })
})

t.test('no more than the window is unanswered', async (t) => {
  let open = 0
  let most = 0
  const answers: (() => void)[] = []
  const { trunk } = await connected(
    t,
    {
      submit(pdu, session) {
        most = Math.max(most, ++open)
        answers.push(() => {
          open--
          session.send(pdu.response({ message_id: 'x' }))
        })
        // Answered only when nothing more comes: had the trunk more to send at once, it would have.
        setTimeout(() => answers.shift()?.(), 20)
        return null
      },
    },
    { window: 3 },
  )
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => trunk.send(text(), never)))
  t.ok(outcomes.every(({ kind }) => kind === 'accepted'))
  t.equal(most, 3)
})

t.test('who waits for the window when the box stops was not sent', async (t) => {
  const { trunk, session } = await connected(t, { submit: () => null }, { window: 1 })
  const stopping = new AbortController()
  const written = new Promise((resolve) => session.on('submit_sm', resolve))
  const first = trunk.send(text(), stopping.signal)
  const second = trunk.send(text(), stopping.signal)
  await written
  stopping.abort()
  t.match(await second, { kind: 'temporary' })
  await trunk.stop()
  t.match(await first, { kind: 'unknown' }, 'and what was written has an unknown fate')
})

t.test('a lost answer is unknown, not sent again', async (t) => {
  const { trunk, kept } = await connected(t, { submit: (_pdu, session) => (session.socket.destroy(), null) })
  t.match(await trunk.send(text({ segments: ['a', 'b'] }), never), { kind: 'unknown', accepted: [null, null] })
  await kept.until(() => trunk.status().ok)
  t.pass('and the trunk is back')

  const slow = await connected(t, { submit: () => null }, { times: { answer: 50 } })
  t.match(await slow.trunk.send(text(), never), { kind: 'unknown', text: /in time/ })
})

t.test('the link is tested both ways, and a dead one is given up', async (t) => {
  const { service, session } = await connected(t, {}, { times: { enquire: 20 } })
  t.match(await answered((done) => session.enquire_link({}, done)), { command: 'enquire_link_resp', command_status: 0 })
  while (service.enquiries() < 3) await new Promise((resolve) => session.once('enquire_link', resolve))

  const dead = await connected(t, { enquire: false }, { times: { enquire: 30, answer: 50 } })
  await dead.kept.until(() => !dead.trunk.status().ok)
  t.match(dead.trunk.status(), { state: 'unreachable', text: /test of the link/ })
  await dead.kept.until(() => dead.trunk.status().ok)
  t.equal(dead.service.logins.length, 2, 'a new session')
})

t.test('the service may end the session', async (t) => {
  const { trunk, kept, session, service } = await connected(t)
  t.match(await answered((done) => session.unbind(done)), { command: 'unbind_resp' })
  await kept.until(() => !trunk.status().ok)
  await kept.until(() => trunk.status().ok)
  t.equal(service.logins.length, 2)
})

t.test('TLS: a certificate that is trusted, and one that is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'smpp-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
  ]
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  const { trunk, service } = await connected(t, { tls }, { tls: true, ca: tls.cert })
  t.match(await trunk.send(text(), never), { kind: 'accepted' })
  const stranger = trunkAt(service.port, { tls: true })
  const kept = new KeptTexts()
  stranger.start(kept)
  await kept.until(() => stranger.status().state === 'unreachable')
  t.match(stranger.status().text, /cannot be secured/)
  await stranger.stop()
})

t.test('a service that restarts under load: nothing lost, nothing doubled', async (t) => {
  const taken: string[] = []
  const submit = (pdu: ServicePdu, session: { socket: { destroy(): unknown } }): { id?: string } | null => {
    taken.push(pdu.short_message.message as string)
    if (taken.length % 97 !== 0) return {}
    session.socket.destroy()
    return null
  }
  let service: Service = await startService({ submit })
  const { port } = service
  const trunk = trunkAt(port, { window: 20 })
  const kept = new KeptTexts()
  trunk.start(kept)
  const bodies = Array.from({ length: 400 }, (_, index) => `text ${index}`)
  const unknown = new Set<string>()
  let finished = 0
  const send = async (body: string): Promise<void> => {
    for (;;) {
      const outcome = await trunk.send(text({ body, segments: [body] }), never)
      if (outcome.kind === 'unknown') unknown.add(body)
      if (outcome.kind !== 'temporary') break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    finished++
  }
  const restarts = (async () => {
    for (let i = 0; i < 3; i++) {
      await kept.until(() => trunk.status().ok)
      const enough = taken.length + 50
      await eventually('fifty more', () => taken.length >= enough || finished === bodies.length, undefined, 2)
      await service.kill()
      service = await startService({ submit, port })
    }
  })()
  const queue = bodies.values()
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (const body of queue) await send(body)
    }),
  )
  await restarts
  await trunk.stop()
  await service.kill()
  t.equal(finished, bodies.length)
  t.same(
    bodies.filter((body) => !taken.includes(body) && !unknown.has(body)),
    [],
    'what was reported as sent was taken',
  )
  t.same(
    taken.filter((body, index) => taken.indexOf(body) !== index),
    [],
    'and none came twice',
  )
  t.ok(unknown.size > 0, `${unknown.size} were told as unknown`)
})

t.test('a peer that is no SMPP service is left', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const trunk = trunkAt((server.address() as { port: number }).port)
  const kept = new KeptTexts()
  trunk.start(kept)
  await kept.until(() => trunk.status().state === 'unreachable')
  t.match(trunk.status().text, /not SMPP/)
  await trunk.stop()
  server.close()
})
