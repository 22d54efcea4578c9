/** A whole box with an SMPP account and a Twilio account: the web port at one end, the carriers at the other, the disk between. */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eraseText } from '../../daemon/messaging/part.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { smsRoutes } from '../../daemon/messaging/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createMessaging } from '../../daemon/messaging/messaging.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { SmsTrunk } from '../../drivers/sms.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { answered, startService, trunkAt as smppTrunkAt } from '../smpp/service.ts'
import { accountSid, startProvider, trunkAt as httpTrunkAt, Twilio } from './providers.ts'
import { eventually, found } from '../harness/waiting.ts'

const log = createLog({ level: 'silent' })

async function openBox(t: Test, trunks: SmsTrunk[]) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-carriers-'))
  const settings = {
    site: { country: 'US' },
    storage: { dir },
    extensions: [{ number: '101', password: 'a-long-password' }],
    sms: { trunks: trunks.map(({ id }) => ({ id, kind: 'sim' })) },
  }
  const { config } = parseConfig(JSON.stringify(settings), join(dir, 'pbxd.yaml'))
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: [] })
  const messaging = createMessaging({ config, store, inbox, clock: systemClock, log, trunks, policies: policiesOf(config) })
  messaging.start()
  const { queue } = messaging
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: [
      ...smsRoutes(messaging, eraseText(store, queue)),
      ...inboxRoutes(
        inbox,
        eraseItem(store, inbox, () => undefined),
      ),
    ],
    tokens: accessTokens([tokenRow('all', 'the-token', ['send', 'inbox'])], store.tables.tokens),
    limits,
    store,
    log,
    clock: systemClock,
  })
  t.teardown(async () => {
    await http.close(500)
    await messaging.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const ask = async (method: string, path: string, json?: unknown): Promise<any> => {
    const headers = { authorization: 'Bearer the-token', 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
      method,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    return answer.json()
  }
  const inState = async (messageId: string, ...wanted: string[]): Promise<{ state: string }> => {
    const row = () => store.tables.sms.get(messageId)
    return found(wanted.join(' or '), () => wanted.includes(row()?.state ?? '') && row(), undefined, 5)
  }
  return { http, ask, inState }
}

async function until(condition: () => boolean): Promise<void> {
  await eventually('what was waited for', () => condition(), undefined, 5)
}

t.test('over SMPP: sent, delivered, answered', async (t) => {
  const service = await startService()
  const trunk = smppTrunkAt(service.port)
  const { ask, inState } = await openBox(t, [trunk])
  t.teardown(() => service.kill())
  const session = await service.session()
  await until(() => trunk.status().ok)
  const body = 'Ваш приём завтра в 9:30. '.repeat(5)
  const answer = await ask('POST', '/api/sms', { to: ['+15551230001', '+15551230002'], message: body })
  t.match(answer, { sent: 2, recipients: 2, queued: 0, failed: 0, messages: [{ encoding: 'UCS-2', segments: 2 }, {}] })
  t.equal(service.texts.length, 4, 'two parts for each')
  const parts = service.texts.filter((pdu) => pdu.destination_addr === '15551230001')
  t.equal(parts.map((pdu) => pdu.short_message.message as string).join(''), body)
  for (const { id } of parts) {
    const receipt = { esm_class: 4, source_addr: '15551230001', source_addr_ton: 1, receipted_message_id: id as string, message_state: 2 }
    t.equal((await answered((done) => session.deliver_sm(receipt, done))).command_status, 0)
  }
  t.ok(await inState(answer.messages[0].messageId, 'delivered'))
  const text = { source_addr: '15551230001', source_addr_ton: 1, destination_addr: '15550100', data_coding: 1 }
  for (const [index, words] of [
    [2, 'and good bye'],
    [1, 'Thank you '],
  ] as const) {
    const header = Buffer.from([5, 0, 3, 77, 2, index])
    const part = { ...text, esm_class: 0x40, short_message: Buffer.concat([header, Buffer.from(words)]) }
    t.equal((await answered((done) => session.deliver_sm(part, done))).command_status, 0)
  }
  await answered((done) => session.deliver_sm({ ...text, short_message: Buffer.from('STOP') }, done))
  const { items } = await ask('GET', '/api/inbox/sms')
  t.match(items, [
    { from: '+15551230001', body: 'Thank you and good bye', segments: 2 },
    { body: 'STOP', keyword: 'STOP' },
  ])
  const stopped = await ask('POST', '/api/sms', { to: '+15551230001', message: 'Hello' })
  t.match(JSON.stringify(stopped), /opted_out/)
  t.equal(service.texts.length, 4)
})

t.test('over Twilio: sent, an answer lost and looked up, receipts and texts by webhook and by polling once', async (t) => {
  const twilio = new Twilio()
  let lose = false
  const provider = await startProvider((asked) => {
    const reply = twilio.behave(asked)
    return lose && asked.method === 'POST' ? 'reset' : reply
  })
  const publicUrl = 'https://clinic.example/api/sms/webhook/provider'
  const trunk = httpTrunkAt(provider.url, { webhook: { publicUrl }, pollSeconds: 0.05 })
  const { http, ask, inState } = await openBox(t, [trunk])
  t.teardown(() => provider.close())
  const first = await ask('POST', '/api/sms', { to: '+15551230001', text: 'See you tomorrow' })
  t.match(first, { sent: 1 })
  lose = true
  const second = await ask('POST', '/api/sms', { to: '+15551230002', text: 'See you tomorrow' })
  t.ok(await inState(second.messages[0].messageId, 'sent'), 'found by its recipient and its words')
  t.equal(twilio.messages.length, 2, 'and not sent again')
  const call = (fields: Record<string, string>, secret = 'token') => {
    const content =
      publicUrl +
      Object.keys(fields)
        .toSorted()
        .map((name) => name + fields[name])
        .join('')
    const headers = { 'x-twilio-signature': createHmac('sha1', secret).update(content).digest('base64') }
    const body = new URLSearchParams(fields)
    return fetch(`http://127.0.0.1:${http.port}/api/sms/webhook/provider`, { method: 'POST', headers, body })
  }
  const status = { AccountSid: accountSid, MessageSid: twilio.messages[0]?.sid ?? '', To: '+15551230001', MessageStatus: 'delivered' }
  t.equal((await call(status, 'forged')).status, 403)
  t.equal((await call(status)).status, 200)
  t.ok(await inState(first.messages[0].messageId, 'delivered'))
  const came = twilio.add({ from: '+15551230001', body: 'Running late', created: Date.now() })
  const reply = await call({
    AccountSid: accountSid,
    MessageSid: came.sid,
    SmsStatus: 'received',
    From: came.from,
    To: came.to,
    Body: came.body,
  })
  t.equal(await reply.text(), '<?xml version="1.0" encoding="UTF-8"?><Response></Response>')
  const rounds = provider.asked.length + 4
  await until(() => provider.asked.length >= rounds)
  const { items } = await ask('GET', '/api/inbox/sms')
  t.match(items, [{ from: '+15551230001', to: '+15550100', body: 'Running late' }])
  t.equal(items.length, 1, 'once, though it came both ways')
})
