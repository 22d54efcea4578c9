/** Texts and receipts from providers: requests that are signed, and lists that are polled. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { ProviderRequest } from '../../drivers/sms.ts'
import { isSigned } from '../../drivers/sms-http/signatures.ts'
import type { HttpTrunkOptions } from '../../drivers/sms-http/trunk.ts'
import type { Template } from '../../drivers/sms-http/template.ts'
import { accountSid, startProvider, trunkAt, Twilio } from './providers.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

const publicUrl = 'https://clinic.example/api/sms/webhook/provider'

function request(url: string, headers: Record<string, string>, body: string, method = 'POST'): ProviderRequest {
  return { method, url, headers: new Map(Object.entries(headers)), body: Buffer.from(body) }
}

function started(t: Test, options: Partial<HttpTrunkOptions>) {
  const trunk = trunkAt('http://127.0.0.1:1', options)
  const kept = new KeptTexts(true)
  trunk.start(kept)
  t.teardown(() => trunk.stop())
  return { trunk, kept }
}

t.test("Twilio's signature: the vectors of its own libraries", async (t) => {
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  const form = { CallSid: 'CA1234567890ABCDE', Caller: '+14158675309', Digits: '1234', From: '+14158675309', To: '+18005551212' }
  const repeated = 'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234'
  const body = new URLSearchParams(form).toString()
  const signed = (fields: string, signature: string, at = url, secret = '12345', address = ''): boolean =>
    isSigned(request(at, { 'x-twilio-signature': signature }, fields), { kind: 'twilio' }, { secret, publicUrl: address }, 0)
  t.ok(signed(body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='))
  t.ok(signed(repeated, 'IK+Dwps556ElfBT0I3Rgjkr1wJU='), 'fields that are there several times')
  t.ok(
    signed(body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', 'https://mycompany.com:443/myapp.php?foo=1&bar=2'),
    'with the port that goes without saying',
  )
  t.ok(
    signed(body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', 'http://10.0.0.5:8080/x?foo=1&bar=2', '12345', 'https://mycompany.com/myapp.php'),
    'behind a proxy',
  )
  t.notOk(signed(body.replace('1234&', '1235&'), 'RSOYDt4T1cUTdK1PDd93/VVr8B8='))
  t.notOk(signed(body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', `${url}&x`))
  t.notOk(signed(body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', url, '12346'))
  t.notOk(signed(body, ''))
  const empty = createHmac('sha1', '').update(url).digest('base64')
  t.notOk(signed('', empty, url, ''), 'without a secret nothing is signed')
})

t.test('Twilio calls: a text, receipts, a forgery', async (t) => {
  const { trunk, kept } = started(t, { webhook: { publicUrl } })
  const call = (fields: Record<string, string>, secret = 'token') => {
    const names = Object.keys(fields).toSorted()
    const signature = createHmac('sha1', secret)
      .update(publicUrl + names.map((name) => name + fields[name]).join(''))
      .digest('base64')
    return trunk.webhook(
      request('http://box/api/sms/webhook/provider', { 'x-twilio-signature': signature }, new URLSearchParams(fields).toString()),
    )
  }
  const incoming = {
    ToCountry: 'US',
    SmsMessageSid: 'SM1',
    NumMedia: '0',
    SmsSid: 'SM1',
    SmsStatus: 'received',
    Body: 'Да, приду 👍',
    To: '+15550100',
    NumSegments: '1',
    MessageSid: 'SM1',
    AccountSid: accountSid,
    From: '+15550177',
    ApiVersion: '2010-04-01',
  }
  const reply = await call(incoming)
  t.same(reply, { status: 200, type: 'text/xml', body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>' })
  t.match(kept.texts, [{ from: '+15550177', to: '+15550100', body: 'Да, приду 👍', encoding: 'UCS-2', providerId: 'SM1' }])
  const receipt = { AccountSid: accountSid, From: '+15550100', To: '+15550177', MessageSid: 'SM7', SmsSid: 'SM7', SmsStatus: 'x' }
  for (const MessageStatus of ['queued', 'sent', 'delivered']) t.equal((await call({ ...receipt, MessageStatus })).status, 200)
  t.equal((await call({ ...receipt, MessageStatus: 'undelivered', ErrorCode: '30005' })).status, 200)
  t.match(kept.reports, [
    { reference: 'SM7', to: '+15550177', state: 'buffered' },
    { state: 'delivered', text: '' },
    { state: 'failed', text: /undelivered \(code 30005\)/ },
  ])
  t.equal((await call(incoming, 'guess')).status, 403)
  t.equal((await trunk.webhook(request(publicUrl, {}, 'SmsStatus=received&From=x'))).status, 403)
  kept.store = () => Promise.reject(new Error('the disk is full'))
  t.equal((await call({ ...incoming, MessageSid: 'SM2' })).status, 503, 'to come again')
  t.equal(kept.texts.length, 1)
})

t.test('Telnyx calls: signed with its key, and lately', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const { trunk, kept } = started(t, { provider: 'telnyx', webhook: { secret: key } })
  const call = (body: string, time = Math.floor(Date.now() / 1000), signedBody = body) => {
    const signature = sign(null, Buffer.from(`${time}|${signedBody}`), privateKey).toString('base64')
    return trunk.webhook(request('http://box/', { 'telnyx-timestamp': String(time), 'telnyx-signature-ed25519': signature }, body))
  }
  // As in the documentation of the inbound message callback.
  const event = (event_type: string, payload: object): string =>
    JSON.stringify({
      data: { event_type, id: 'b301ed3f', occurred_at: '2019-01-23T18:10:02.574Z', payload, record_type: 'event' },
      meta: { attempt: 1 },
    })
  const inbound = event('message.received', {
    direction: 'inbound',
    encoding: 'GSM-7',
    from: { carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless', phone_number: '+18665550001' },
    id: '7ee4241c-f127-47e5-9c34-3aac291f8058',
    received_at: '2019-01-23T18:10:02.574Z',
    text: 'Hello, World!',
    to: [{ carrier: 'TELNYX LLC', phone_number: '+18445550001', status: 'delivered' }],
  })
  t.equal((await call(inbound)).status, 200)
  t.match(kept.texts, [
    {
      from: '+18665550001',
      to: '+18445550001',
      body: 'Hello, World!',
      encoding: 'GSM-7',
      providerId: '7ee4241c-f127-47e5-9c34-3aac291f8058',
      sentAt: Date.parse('2019-01-23T18:10:02.574Z'),
    },
  ])
  const final = (status: string, errors: object[] = []): string =>
    event('message.finalized', { direction: 'outbound', id: '834f3d53', errors, to: [{ phone_number: '+18665550001', status }] })
  await call(final('delivered'))
  await call(final('delivery_failed', [{ code: '40001', title: 'Not routable' }]))
  t.match(kept.reports, [
    { reference: '834f3d53', to: '+18665550001', state: 'delivered' },
    { state: 'failed', text: 'Not routable (code 40001)' },
  ])
  const now = Math.floor(Date.now() / 1000)
  t.equal((await call(inbound, now - 301)).status, 403, 'stale')
  t.equal((await call(inbound, now + 301)).status, 403, 'of the future')
  t.equal((await call(inbound, now, inbound.replace('Hello', 'Adieu'))).status, 403, 'another body')
  t.equal((await call('{', now)).status, 400)
  t.equal((await call('null', now)).status, 200, 'what says nothing is taken')
  const keyless = started(t, { provider: 'telnyx' })
  t.equal((await keyless.trunk.webhook(request('http://box/', {}, inbound))).status, 403)
  t.equal(kept.texts.length, 1)
})

const generic: Template = {
  auth: 'bearer',
  send: { method: 'POST', path: '/send', json: { to: '{{to}}' } },
  answer: { id: '', code: '', text: '' },
  temporary: { statuses: [], codes: [] },
  poll: {
    request: { method: 'GET', path: '/inbox?since={{since}}&to={{number}}' },
    list: '',
    fields: { id: '/id', from: '/sender', to: '', body: '/text', at: '/at' },
    next: '',
  },
  webhook: {
    signature: { kind: 'hmac-sha256', header: 'X-Signature', prefix: 'sha256=', encoding: 'hex' },
    content: 'json',
    answer: { type: 'application/json', body: '{"ok":true}' },
    text: { when: { '/type': 'mo' }, fields: { id: '/id', from: '/sender', to: '', body: '/text', at: '/at' } },
    receipt: { when: { '/type': 'dlr' }, id: '/id', to: '', state: '/state', states: { D: 'delivered', X: 'expired' }, code: '', text: '' },
  },
}

t.test('a generic provider calls', async (t) => {
  const { trunk, kept } = started(t, { provider: 'generic', template: generic, webhook: { secret: 'shared' } })
  const call = (body: object, secret = 'shared', mangle = (signature: string) => signature) => {
    const text = JSON.stringify(body)
    const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
    return trunk.webhook(request('http://box/', { 'x-signature': mangle(signature) }, text))
  }
  t.same(await call({ type: 'mo', id: 5, sender: '12345', text: 'Hi', at: 1_700_000_000 }), {
    status: 200,
    type: 'application/json',
    body: '{"ok":true}',
  })
  t.match(kept.texts, [{ from: '12345', to: '+15550100', body: 'Hi', providerId: '5', sentAt: 1_700_000_000_000 }])
  await call({ type: 'dlr', id: 'a', state: 'X' })
  await call({ type: 'dlr', id: 'a', state: 'constructor' })
  t.match(kept.reports, [{ reference: 'a', state: 'expired' }])
  t.equal(kept.reports.length, 1)
  t.equal(
    (await call({ type: 'mo', sender: 'x' }, 'shared', (signature) => signature.toUpperCase().replace('SHA256', 'sha256'))).status,
    200,
  )
  t.equal((await call({ type: 'mo' }, 'wrong')).status, 403)
  t.equal((await call({ type: 'mo' }, 'shared', () => 'sha256=')).status, 403)
  const closed = started(t, { provider: 'generic', template: { ...generic, webhook: undefined as never } })
  t.equal((await closed.trunk.webhook(request('http://box/', {}, ''))).status, 403, 'a provider that is not known to call')
})

t.test('a generic provider calls by GET: only with the query signed, in time, and once', async (t) => {
  const text = { when: {}, fields: { id: '/id', from: '/from', to: '', body: '/text', at: '' } }
  const hmac = { kind: 'hmac-sha256', header: 'X-Signature', prefix: '', encoding: 'hex' } as const
  const byGet = (signature: object) => ({
    ...generic,
    webhook: { signature: { ...hmac, ...signature }, content: 'form' as const, answer: { type: 'text/plain', body: 'ok' }, text },
  })
  const signed = (message: string) => createHmac('sha256', 'shared').update(message).digest('hex')
  const url = (body: string, id = '1') => `http://box/hook?id=${id}&from=12345&text=${body}`
  const plain = started(t, { provider: 'generic', template: byGet({}), webhook: { secret: 'shared' } })
  const forged = await Promise.all(
    ['one', 'two', 'STOP'].map((body) => plain.trunk.webhook(request(url(body), { 'x-signature': signed('') }, '', 'GET'))),
  )
  t.same(
    forged.map(({ status }) => status),
    [403, 403, 403],
    'the signature of an empty body says nothing about the query',
  )
  t.equal(plain.kept.texts.length, 0)

  const timed = { signs: '{{timestamp}}.{{query}}', timestampHeader: 'X-Time' }
  const { trunk, kept } = started(t, { provider: 'generic', template: byGet(timed), webhook: { secret: 'shared' } })
  const now = Math.floor(Date.now() / 1000)
  const call = async (at: number | string, address: string, of = address, mangle = (text: string) => text) => {
    const signature = mangle(signed(`${at}.${of.slice(of.indexOf('?') + 1)}`))
    return (await trunk.webhook(request(address, { 'x-signature': signature, 'x-time': String(at) }, '', 'GET'))).status
  }
  t.equal(await call(now, url('hello')), 200)
  t.equal(await call(now, url('hello'), url('hello'), (text) => text.toUpperCase()), 200, 'again: the same answer')
  t.equal(kept.texts.length, 1, 'and nothing done')
  t.equal(await call(now * 1000 + 7, url('other', '2')), 200, 'milliseconds')
  t.equal(await call(now, url('STOP', '3'), url('hello')), 403, 'another query')
  for (const at of [now - 301, now + 310, '', 'x']) t.equal(await call(at, url('late', '4')), 403, `time ${at}`)
  t.equal(kept.texts.length, 2)
})

t.test('whatever is sent to the webhook, it answers', async (t) => {
  const { trunk } = started(t, { webhook: { publicUrl } })
  const headers = fc.dictionary(
    fc.constantFrom('x-twilio-signature', 'telnyx-timestamp', 'telnyx-signature-ed25519', 'x-signature'),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(
      headers,
      fc.string(),
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('POST', 'GET'),
      async (heads, url, body, method) => {
        const { status } = await trunk.webhook({ method, url, headers: new Map(Object.entries(heads)), body: Buffer.from(body) })
        return status === 403
      },
    ),
    { numRuns: Number(process.env.PBX_PROPERTY_RUNS ?? 200) },
  )
})

t.test('Telnyx: files, a subject, other recipients, and what RCS brings', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const { trunk, kept } = started(t, { provider: 'telnyx', webhook: { secret: key } })
  const call = async (payload: object) => {
    const time = Math.floor(Date.now() / 1000)
    const from = { phone_number: '+18665550001' }
    const data = {
      event_type: 'message.received',
      payload: { id: String(kept.texts.length), from, to: [{ phone_number: '+1844' }], ...payload },
    }
    const body = JSON.stringify({ data })
    const signature = sign(null, Buffer.from(`${time}|${body}`), privateKey).toString('base64')
    const heads = { 'telnyx-timestamp': String(time), 'telnyx-signature-ed25519': signature }
    t.equal((await trunk.webhook(request('http://box/', heads, body))).status, 200)
    return kept.texts.at(-1)!
  }
  const url = 'https://media.example/1.jpg'
  t.match(await call({ type: 'MMS', text: '', media: [{ url, content_type: 'image/jpeg', size: 5 }, { url: null }] }), {
    body: '',
    media: [
      { url, contentType: 'image/jpeg' },
      { url: '', reason: /no address/ },
    ],
    besides: undefined,
  })
  t.match(await call({ text: 'Hi', subject: 'Wound', cc: [], media: [] }), { body: 'Hi', besides: ['subject: Wound'], media: undefined })
  t.match(await call({ type: 'RCS', body: { text: 'STOP' } }), { body: 'STOP', besides: undefined })
  t.match(await call({ type: 'RCS', body: { location: { latitude: 1, longitude: 2 } } }), { body: '', besides: [/RCS: .*latitude/] })
  t.match(await call({ type: 'MMS', text: '' }), { besides: [/of the kind "MMS"/] })
})

t.test('a generic provider: files in a list, in a list of addresses, in numbered fields', async (t) => {
  const of = async (media: object, document: object, besides = {}) => {
    const fields = { id: '/id', from: '/from', to: '', body: '/text', at: '', media: { url: '', contentType: '', ...media }, besides }
    const template = { ...generic, webhook: { ...generic.webhook!, text: { fields } } } as Template
    const { trunk, kept } = started(t, { provider: 'generic', template, webhook: { secret: 'shared' } })
    const body = JSON.stringify({ id: 1, from: '+1555', text: 'x', ...document })
    const signature = `sha256=${createHmac('sha256', 'shared').update(body).digest('hex')}`
    await trunk.webhook(request('http://box/', { 'x-signature': signature }, body))
    return kept.texts[0]!
  }
  const urls = ({ media = [] }: { media?: readonly { url: string }[] }) => media.map(({ url }) => url)
  t.same(urls(await of({ list: '/media' }, { media: ['https://a/1', 'https://a/2'] })), ['https://a/1', 'https://a/2'])
  t.same(urls(await of({ list: '/media', url: '/file' }, { media: [{ file: 'https://a/1' }] })), ['https://a/1'])
  t.same(urls(await of({ list: '/media' }, { media: 'https://a/1' })), ['https://a/1'], 'one without its list')
  t.same(urls(await of({ url: '/image{{index}}' }, { image: 'https://a/0', image2: 'https://a/2' })), ['https://a/0', 'https://a/2'])
  t.same(urls(await of({ url: '/image' }, { image: 'https://a/0' })), ['https://a/0'])
  t.same(
    urls(await of({ url: '/m{{index}}', count: '/n' }, { m0: 'https://a/0', n: 3 })),
    ['https://a/0', '', ''],
    'none is lost in silence',
  )
  t.same(urls(await of({ list: '/media' }, {})), [])
  t.match(await of({}, { place: { lat: 1 }, tag: 'y' }, { place: '/place', button: '/button', tag: '/tag' }), {
    besides: ['place: {"lat":1}', 'tag: y'],
  })
})

t.test('whatever a provider sends that is signed, it is a text, a receipt, or said to be neither', async (t) => {
  const said: object[] = []
  const noted = { info: () => undefined, error: () => undefined, warn: (facts: object) => void said.push(facts) }
  const { trunk, kept } = started(t, { webhook: { publicUrl }, log: noted })
  const call = (fields: Record<string, string>) => {
    const signature = createHmac('sha1', 'token')
      .update(
        publicUrl +
          Object.keys(fields)
            .toSorted()
            .map((name) => name + fields[name])
            .join(''),
      )
      .digest('base64')
    return trunk.webhook(request(publicUrl, { 'x-twilio-signature': signature }, new URLSearchParams(fields).toString()))
  }
  await call({ MessageSid: 'SM1', From: 'whatsapp:+1555', To: 'whatsapp:+1666', Body: 'Hi' })
  t.match(kept.texts, [{ from: '+1555', to: '+1666', body: 'Hi', besides: ['by whatsapp'] }], 'without a status')
  await call({ MessageSid: 'SM2', MessageStatus: 'queued', SmsStatus: 'queued' })
  t.same(said, [], 'a status that says nothing is one')
  await call({ Something: 'else' })
  t.same(said, [{ names: ['Something'] }])
  t.equal(kept.texts.length, 1)
})

t.test('polling a generic provider whose answer is the list itself', async (t) => {
  const provider = await startProvider(() => ({
    body: [
      { id: 1, sender: '+15550177', text: 'Hello', at: '2026-03-02T12:00:00Z' },
      'odd',
      null,
      { id: 2 },
      { sender: '1', text: 'no id' },
    ],
  }))
  const trunk = trunkAt(provider.url, { provider: 'generic', template: generic, pollSeconds: 0.02, secret: 'k' })
  const kept = new KeptTexts(true)
  t.teardown(async () => {
    await trunk.stop()
    await provider.close()
  })
  trunk.start(kept)
  await kept.until(() => kept.texts.length === 2)
  t.match(kept.texts, [
    { from: '1', body: 'no id', providerId: /^[0-9a-f]{64}$/ },
    { from: '+15550177', to: '+15550100', body: 'Hello', providerId: '1' },
  ])
  t.match(provider.asked[0], { url: { pathname: '/inbox' }, headers: { authorization: 'Bearer k' } })
  t.equal(provider.asked[0]?.url.searchParams.get('to'), '+15550100')
})
