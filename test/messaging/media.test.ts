/** Pictures of texts: a real box between a provider that calls it and servers that have the files. */
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { mostFileBytes } from '../../daemon/messaging/media/fetcher.ts'
import type { Template } from '../../drivers/sms-http/template.ts'
import type { HttpTrunkOptions } from '../../drivers/sms-http/trunk.ts'
import { eventually } from '../harness/waiting.ts'
import { accountSid } from '../sms-http/providers.ts'
import { Box, Files } from './media-box.ts'

const account = `Basic ${Buffer.from(`${accountSid}:token`).toString('base64')}`
const picture = randomBytes(300_000)

t.test('pictures are fetched after the text is in the inbox, and served as downloads', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  const held = Promise.withResolvers<void>()
  files.served.set('/media/1', (_, response) => {
    void held.promise.then(() => response.writeHead(200, { 'content-type': 'image/jpeg; charset=binary' }).end(picture))
  })
  files.to('/media/2', '/cdn/2')
  files.file('/cdn/2', Buffer.from('BEGIN:VCARD'), 'text/vcard')
  t.equal(await box.comes([`${files.url}/media/1`, `${files.url}/media/2`]), 200, 'the provider is answered though its files are slow')
  const early = await box.newest()
  t.match(early, { body: '', mediaUrl: null, media: [{ state: 'fetching', bytes: null, contentType: 'image/jpeg' }, {}] })
  t.match(await box.get(early.media[0].mediaUrl), { status: 409, body: { code: 'media_fetching' } })
  held.resolve()
  const item = await box.settled()
  t.equal(item.id, early.id)
  t.same(
    item.media.map((one: { contentType: string; bytes: number; state: string }) => [one.contentType, one.bytes, one.state]),
    [
      ['image/jpeg', picture.length, 'stored'],
      ['text/vcard', 11, 'stored'],
    ],
  )
  t.ok(
    files.asked.filter(({ path }) => path.startsWith('/media')).every(({ authorization }) => authorization === account),
    'as the account',
  )
  t.match((await box.get(`/api/inbox/sms/${item.id}`)).body, item, 'and of itself')
  const got = await box.get(item.media[0].mediaUrl)
  t.ok(got.bytes.equals(picture))
  t.match(Object.fromEntries(got.headers), {
    'content-type': 'image/jpeg',
    'content-disposition': `attachment; filename="text-${item.media[0].id}.jpg"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'content-security-policy': /sandbox/,
  })
  t.equal((await box.get(item.media[0].mediaUrl, 'voice-only')).status, 403)
  t.equal((await box.get(item.media[0].mediaUrl, 'nobody')).status, 401)
  t.equal((await box.get('/api/inbox/sms/media/019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8')).status, 404)
  t.equal((await box.get('/api/inbox/sms/media/..%2f..%2fstore')).status, 404)
  const on = (): string[] => readdirSync(join(box.dir, 'inbox/sms'))
  t.equal(on().length, 2)
  t.equal((await box.get(`/api/inbox/sms/${item.id}`, 'the-token', 'DELETE')).status, 204)
  t.same(on(), [], 'the files go with their item')
  t.equal((await box.get(item.media[0].mediaUrl)).status, 410)
  t.equal((await box.get(`/api/inbox/sms/${item.id}`)).status, 410)
  t.equal(box.store.tables.textMedia.count(), 0)
})

t.test('words and a picture: both; the keyword is that of the words', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  await box.comes([files.file('/m', picture)], { Body: 'Stop. It bleeds', MessageType: 'image' })
  t.match(await box.settled(), { body: 'Stop. It bleeds', keyword: 'STOP', media: [{ state: 'stored' }] })
  await box.comes([], {
    Body: '',
    MessageType: 'location',
    Latitude: '30.2',
    Longitude: '-97.7',
    Label: 'Main St',
    From: 'whatsapp:+15550177',
  })
  t.match(await box.newest(), { from: '+15550177', body: '[by whatsapp]\n[place: 30.2, -97.7, Main St]', media: undefined })
  await box.comes([], { Body: 'Yes', ButtonText: 'Yes', ButtonPayload: 'confirm-7' })
  t.match(await box.newest(), { body: 'Yes\n[button: confirm-7]' })
  await box.comes([], { Body: '', MessageType: 'reaction' })
  t.match(await box.newest(), { body: /of the kind "reaction"/ })
  await box.comes([], { Body: '', NumMedia: '2' })
  t.match(await box.newest(), { media: [{ state: 'failed', reason: /no address/ }, {}] })
})

t.test('what cannot be fetched is tried again, and then says why', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  let broken = 3
  files.served.set('/late', (_, response) => {
    if (broken-- > 0) response.writeHead(broken === 1 ? 429 : 503).end()
    else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(picture)
  })
  files.served.set('/cut', (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' })
    response.write('half', () => response.destroy())
  })
  files.file('/page', Buffer.from('<html>log in'), 'text/html')
  files.served.set('/huge', (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' })
    response.on('error', () => undefined)
    for (let sent = 0; sent <= mostFileBytes; sent += 1 << 20) response.write(Buffer.alloc(1 << 20))
    response.end()
  })
  await box.comes(['/late', '/nothing', '/page', '/huge'].map((path) => files.url + path))
  const { media } = await box.settled(5000)
  t.match(media[0], { state: 'stored', contentType: 'image/jpeg', bytes: picture.length }, 'the provider knows better than "octet-stream"')
  t.match(media[1], { state: 'failed', reason: 'the provider does not have it (HTTP 404)' })
  t.match(media[2], { state: 'failed', reason: /web page/ })
  t.match(media[3], { state: 'failed', reason: 'it is larger than 10 MiB' })
  t.match(await box.get(media[1].mediaUrl), { status: 404, body: { code: 'media_failed', error: /HTTP 404/ } })
  t.ok(files.count('/nothing') > 1 && files.count('/huge') === 1, 'only what may change is asked for again')
  await box.comes([`${files.url}/cut`])
  const tried = async () => /./.test((await box.newest()).media[0].reason ?? '')
  await eventually('it was tried', tried)
  t.match((await box.newest()).media, [{ state: 'fetching', bytes: null, reason: /./ }], 'half a file is none')
  t.same(
    readdirSync(join(box.dir, 'inbox/sms')).map((name) => name.slice(name.lastIndexOf('.'))),
    ['.jpg'],
    'nothing half written stays',
  )
})

t.test('what a server says in place of a file is no file, and what it packs is unpacked', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  const packed = (path: string, encoding: string, content: Buffer): string => {
    const headers = { 'content-type': 'image/jpeg', 'content-encoding': encoding }
    files.served.set(path, (_, response) => response.writeHead(200, headers).end(content))
    return files.url + path
  }
  const rows: readonly (readonly [string, object])[] = [
    [packed('/gzip', 'gzip', gzipSync(picture)), { state: 'stored', bytes: picture.length }],
    [packed('/deflate', 'Deflate', deflateSync(picture)), { state: 'stored', bytes: picture.length }],
    [packed('/br', 'br', brotliCompressSync(picture)), { state: 'stored', bytes: picture.length }],
    [packed('/identity', 'identity', picture), { state: 'stored', bytes: picture.length }],
    [packed('/zip', 'x-zip', picture), { state: 'failed', reason: /packs it/ }],
    // 30 MB of nothing in 30 kB.
    [packed('/bomb', 'gzip', gzipSync(Buffer.alloc(30_000_000))), { state: 'failed', reason: /larger than 10 MiB/ }],
    [files.file('/login', Buffer.from('\uFEFF\n<!DOCTYPE html><title>Log in</title>')), { state: 'failed', reason: /web page/ }],
    [files.file('/xml', Buffer.from('<?xml version="1.0"?><Error/>'), ''), { state: 'failed', reason: /web page/ }],
    [files.file('/json', Buffer.from('{"error":"gone"}'), 'application/json'), { state: 'failed', reason: /web page/ }],
    [files.file('/bytes', Buffer.from(' {"error":"gone"}'), 'application/octet-stream'), { state: 'failed', reason: /web page/ }],
  ]
  await box.comes(rows.map(([url]) => url))
  const { media } = await box.settled(5000)
  for (const [index, [url, expected]] of rows.entries()) t.match(media[index], expected, url)
  const got = await box.get(media[0].mediaUrl)
  t.ok(got.bytes.equals(picture))
  t.equal(files.count('/bomb'), 1)
  await box.comes([packed('/half', 'gzip', gzipSync(picture).subarray(0, 1000))])
  const tried = async () => /./.test((await box.newest()).media[0].reason ?? '')
  await eventually('it was tried', tried)
  t.match((await box.newest()).media, [{ state: 'fetching', bytes: null }], 'half a packed file is none')
})

t.test('a restart goes on with what was not fetched', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  files.served.set('/m', () => undefined)
  await box.comes([`${files.url}/m`])
  await eventually('it is asked for', () => files.count('/m') > 0, undefined, 5)
  files.file('/m', picture)
  const before = await box.newest()
  await box.restart()
  const { id, media } = await box.settled(5000)
  t.equal(id, before.id)
  t.match(media, [{ id: before.media[0].id, state: 'stored', bytes: picture.length }])
  t.equal(await box.comes([`${files.url}/m`], { MessageSid: 'MM1' }), 200)
  t.equal((await box.get('/api/inbox/sms')).body.items.length, 1, 'the same text again brings nothing twice')
})

t.test('only what the provider may be asked for is asked for, and only the provider gets the secret', async (t) => {
  const files = await Files.open(t)
  const elsewhere = await Files.open(t, '127.0.0.2')
  const box = await Box.open(t, files.url)
  const refused = [
    elsewhere.file('/m', picture),
    'http://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/m',
    'https://[::ffff:192.168.1.1]/m',
    'file:///etc/passwd',
    'http://127.0.0.1:1/api/status',
    'https://user:secret@example.com/m',
    files.to('/to-metadata', 'http://169.254.169.254/'),
    files.to('/to-elsewhere', `${elsewhere.url}/m`, 302),
  ]
  await box.comes(refused)
  const { media } = await box.settled(5000)
  for (const [index, one] of media.entries()) t.match(one, { state: 'failed', reason: /address is not permitted/ }, String(refused[index]))
  t.same(elsewhere.asked, [])
  const round = files.to('/round', '/round')
  await box.comes([round])
  t.match((await box.settled(5000)).media, [{ state: 'failed', reason: /more than 5 times/ }])
  await box.comes(Array.from({ length: 12 }, (_, index) => files.file(`/${index}`, picture)))
  const many = (await box.settled(5000)).media as { state: string; reason?: string }[]
  t.same(
    many.map(({ state }) => state),
    [...Array(10).fill('stored'), 'failed', 'failed'],
  )
  t.match(many[11], { reason: /10 files/ })
})

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const fields = { id: '/id', from: '/from', to: '', body: '/text', at: '' }
const template: Template = {
  auth: 'bearer',
  send: { method: 'POST', path: '/send', json: { to: '{{to}}' } },
  answer: { id: '', code: '', text: '' },
  temporary: { statuses: [], codes: [] },
  poll: {
    request: { method: 'GET', path: '/inbox' },
    list: '/messages',
    fields: { ...fields, media: { list: '/files', url: '', contentType: '' } },
    next: '',
  },
  webhook: {
    signature: { kind: 'hmac-sha256', header: 'X-Signature', prefix: '', encoding: 'hex' },
    content: 'json',
    answer: { type: 'text/plain', body: 'ok' },
    text: { fields: { ...fields, media: { list: '/files', url: '/href', contentType: '/type' } } },
  },
}
/** How each kind of provider brings a text with files: it calls, or is asked. */
const kinds: readonly (readonly [string, Partial<HttpTrunkOptions>, (box: Box, files: Files, urls: readonly string[]) => Promise<void>])[] =
  [
    ['Twilio', {}, async (box, _, urls) => void (await box.comes(urls))],
    [
      'Telnyx',
      { provider: 'telnyx', webhook: { secret: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64') } },
      async (box, _, urls) => {
        const media = urls.map((url) => ({ url, content_type: 'image/jpeg' }))
        const payload = {
          id: 'one',
          type: 'MMS',
          from: { phone_number: '+15550177' },
          to: [{ phone_number: '+15550100' }],
          text: '',
          media,
        }
        const body = JSON.stringify({ data: { event_type: 'message.received', payload } })
        const time = String(Math.floor(Date.now() / 1000))
        const signature = sign(null, Buffer.from(`${time}|${body}`), privateKey).toString('base64')
        const headers = { 'telnyx-timestamp': time, 'telnyx-signature-ed25519': signature, 'content-type': 'application/json' }
        t.equal((await fetch(box.webhook, { method: 'POST', headers, body })).status, 200)
      },
    ],
    [
      'a provider by template that calls',
      { provider: 'generic', template, webhook: { secret: 'shared' } },
      async (box, _, urls) => {
        const body = JSON.stringify({ id: '1', from: '+15550177', text: '', files: urls.map((href) => ({ href, type: 'image/jpeg' })) })
        const headers = { 'x-signature': createHmac('sha256', 'shared').update(body).digest('hex'), 'content-type': 'application/json' }
        t.equal((await fetch(box.webhook, { method: 'POST', headers, body })).status, 200)
      },
    ],
    [
      'a provider by template that is asked',
      { provider: 'generic', template, pollSeconds: 0.02 },
      async (_, files, urls) => {
        const list = JSON.stringify({ messages: [{ id: '1', from: '+15550177', text: '', files: urls }] })
        files.file('/inbox', Buffer.from(list), 'application/json')
      },
    ],
  ]

for (const [kind, trunk, brings] of kinds)
  t.test(`${kind}: a picture arrives, and one that does not says why`, async (t) => {
    const files = await Files.open(t)
    const box = await Box.open(t, files.url, trunk)
    await brings(box, files, [files.file('/media/1', picture), `${files.url}/media/2`])
    await eventually('the text', async () => (await box.newest()) !== undefined)
    const item = await box.settled(5000)
    t.match(item, {
      from: '+15550177',
      body: '',
      media: [
        { state: 'stored', bytes: picture.length },
        { state: 'failed', reason: /HTTP 404/ },
      ],
    })
    t.ok((await box.get(item.media[0].mediaUrl)).bytes.equals(picture))
  })
