/** Texts that are asked for at a provider over HTTP, where it cannot reach the box. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { placeOf } from '../../daemon/messaging/part.ts'
import { openStore } from '../../daemon/store/store.ts'
import { accountSid, placeAt, startProvider, trunkAt, Twilio } from './providers.ts'
import { eventually } from '../harness/waiting.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

t.test('polling Twilio: pages, oldest first, each once, none lost while the disk is full', async (t) => {
  const service = new Twilio()
  service.pageSize = 3
  const hour = 3_600_000
  for (let index = 0; index < 10; index++) service.add({ body: `text ${index}`, created: Date.now() - (11 - index) * hour })
  service.add({ direction: 'outbound-api', to: '+15550100', from: '+15550100', body: 'not one that came' })
  service.add({ to: '+15550999', body: 'for another number' })
  service.add({ body: 'too old', created: Date.now() - 100 * hour })
  let full = false
  const provider = await startProvider(service.behave)
  const trunk = trunkAt(provider.url, { pollSeconds: 0.02 })
  const kept = new KeptTexts(true)
  kept.store = () => (full ? Promise.reject(new Error('the disk is full')) : Promise.resolve())
  t.teardown(async () => {
    await trunk.stop()
    await provider.close()
  })
  trunk.start(kept)
  await kept.until(() => kept.texts.length === 10)
  t.same(
    kept.texts.map(({ body }) => body),
    Array.from({ length: 10 }, (_, index) => `text ${index}`),
  )
  t.match(kept.texts[0], { from: '+15550177', to: '+15550100', sentAt: Number, providerId: /^SM0+1$/ })
  t.ok(trunk.status().ok)
  full = true
  service.add({ body: 'while the disk is full' })
  const refused = kept.calls + 2
  await eventually('the message is offered again', () => kept.calls >= refused, undefined, 5)
  full = false
  await kept.until(() => kept.texts.length === 11)
  t.equal(kept.texts.at(-1)?.body, 'while the disk is full')
  const before = kept.calls
  const rounds = provider.asked.length + 3
  await eventually('rounds', () => provider.asked.length >= rounds, undefined, 5)
  t.equal(kept.calls, before, 'what is durable is not handed over again')
  const since = (at: number): number => Date.parse(provider.asked.at(at)?.url.searchParams.get('DateSent>') ?? '')
  t.ok(Date.now() - since(0) > 71 * hour, 'the first question reaches over a weekend')
  t.ok(Date.now() - since(-1) < hour, 'later ones to the newest text and a little back')
})

t.test('polling goes on where it stopped: a box that was off over the holidays misses nothing', async (t) => {
  const service = new Twilio()
  const day = 86_400_000
  const provider = await startProvider(service.behave)
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-polled-'))
  const log = createLog({ level: 'silent' })
  t.teardown(async () => {
    await provider.close()
    rmSync(dir, { recursive: true, force: true })
  })
  /** A box that runs until it got `text`. */
  const run = async (text: string) => {
    const store = await openStore(join(dir, 'store'), log)
    const kept = new KeptTexts(true)
    const trunk = trunkAt(provider.url, { pollSeconds: 0.02, place: placeOf(store, 'provider') })
    trunk.start(kept)
    await kept.until(() => kept.texts.some(({ body }) => body === text))
    await trunk.stop()
    await store.close()
    return kept.texts.map(({ body }) => body)
  }
  service.add({ body: 'before', created: Date.now() - 2 * day })
  t.same(await run('before'), ['before'])
  // The last that it heard of was eight days ago, and it was off for six.
  const last = { ...service.messages[0]!, created: Date.now() - 8 * day }
  service.messages[0] = last
  const store = await openStore(join(dir, 'store'), log)
  t.ok(Math.abs(placeOf(store, 'provider').get()! - (Date.now() - 2 * day)) < 60_000, 'the place is the time of the newest text')
  await placeOf(store, 'provider').keep(last.created)
  await store.close()
  service.add({ body: 'on the first day', created: Date.now() - 6 * day })
  service.add({ body: 'on the last day', created: Date.now() - 60_000 })
  t.same(await run('on the last day'), ['before', 'on the first day', 'on the last day'])
})

t.test('a place of the future, kept while the clock was wrong, is none', async (t) => {
  const service = new Twilio()
  service.add({ body: 'hello', created: Date.now() - 3_600_000 })
  const provider = await startProvider(service.behave)
  const place = placeAt(Date.now() + 400 * 86_400_000)
  const trunk = trunkAt(provider.url, { pollSeconds: 0.02, place })
  const kept = new KeptTexts(true)
  t.teardown(async () => {
    await trunk.stop()
    await provider.close()
  })
  trunk.start(kept)
  await kept.until(() => kept.texts.length === 1)
  const rounds = provider.asked.length + 2
  await eventually('rounds', () => provider.asked.length >= rounds, undefined, 5)
  t.ok(place.get()! < Date.now())
})

t.test('polling goes on when the provider comes back, and keeps its secret to itself', async (t) => {
  const service = new Twilio()
  let state = 'down'
  const provider = await startProvider((asked) => {
    if (state === 'down') return 'reset'
    if (state === 'refusing') return { status: 401, body: { code: 20003, message: 'Authenticate' } }
    return service.behave(asked)
  })
  const thief = await startProvider(() => ({ body: { messages: [] } }))
  const trunk = trunkAt(provider.url, { pollSeconds: 0.02 })
  const kept = new KeptTexts(true)
  t.teardown(async () => {
    await trunk.stop()
    await provider.close()
    await thief.close()
  })
  trunk.start(kept)
  await kept.until(() => trunk.status().state === 'unreachable')
  state = 'refusing'
  await kept.until(() => trunk.status().state === 'refused')
  state = 'up'
  await kept.until(() => trunk.status().ok)
  service.add({ body: 'hello' })
  await kept.until(() => kept.texts.length === 1)
  provider.behave = () => ({ body: { messages: [], next_page_uri: `${thief.url}/2010-04-01/Accounts/x` } })
  const rounds = provider.asked.length + 3
  await eventually('rounds', () => provider.asked.length >= rounds, undefined, 5)
  t.equal(thief.asked.length, 0, 'a next page elsewhere is not asked for')
  provider.behave = (asked) => ({ body: { messages: [], next_page_uri: asked.url.pathname + asked.url.search } })
  const more = provider.asked.length + 6
  await eventually('more rounds', () => provider.asked.length >= more, undefined, 5)
  t.ok(trunk.status().ok, 'a list that leads to itself ends')
})

t.test('pictures of texts that are polled: their list is asked for, and a text does not wait for ever for it', async (t) => {
  const service = new Twilio()
  const words = ['with a picture', 'with none', 'of a list that is gone', 'of a list that fails']
  const sids = words.map((body, index) => service.add({ body, created: Date.now() - 60_000 + index }).sid)
  const place = (sid: string): string => `/2010-04-01/Accounts/${accountSid}/Messages/${sid}/Media.json`
  const lists: Record<string, object> = {
    [place(sids[0]!)]: { body: { media_list: [{ uri: place(sids[0]!).replace('.json', '/ME1.json'), content_type: 'image/png' }] } },
    [place(sids[2]!)]: { status: 404, body: {} },
    [place(sids[3]!)]: { status: 503, body: {} },
  }
  const provider = await startProvider((asked) => {
    const list = lists[asked.url.pathname]
    if (list !== undefined) return list
    const reply = service.behave(asked)
    for (const message of (reply.body as { messages?: Record<string, unknown>[] }).messages ?? []) {
      const listed = lists[place(String(message['sid']))] !== undefined
      Object.assign(message, { num_media: listed ? '1' : '0', subresource_uris: { media: place(String(message['sid'])) } })
    }
    return reply
  })
  const trunk = trunkAt(provider.url, { pollSeconds: 0.02 })
  const kept = new KeptTexts(true)
  t.teardown(async () => {
    await trunk.stop()
    await provider.close()
  })
  trunk.start(kept)
  await kept.until(() => kept.texts.length === 4)
  const [first, second, third, fourth] = words.map((body) => kept.texts.find((text) => text.body === body))
  t.same(first?.media, [{ url: `${provider.url}${place(sids[0]!).replace('Media.json', 'Media/ME1')}`, contentType: 'image/png' }])
  t.equal(second?.media, undefined)
  t.match(third?.media, [{ url: '', reason: /HTTP 404/ }])
  t.match(fourth?.media, [{ url: '', reason: /HTTP 503/ }])
  const asked = (sid: string): number => provider.asked.filter(({ url }) => url.pathname === place(sid)).length
  t.same([asked(sids[0]!), asked(sids[2]!), asked(sids[3]!)], [1, 1, 4])
})
