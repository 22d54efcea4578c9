/** One inbox of several sites: real stores and real sockets; time stands still until a test moves it. */
import t, { type Test } from 'tap'
import { idsOfBox } from '../../daemon/base/ids.ts'
import { siteTrunk } from '../../daemon/schema/config/sites.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/waiting.ts'
import { bodies, Box, content } from './collecting.ts'

t.teardown(() => idsOfBox(undefined))

const asSite = (box: Box, id: string, token?: string) => box.source(token, siteTrunk(id))

interface Sites {
  readonly clock: FakeClock
  /** Collects its own sites north and south. */
  readonly main: Box
  readonly north: Box
  readonly south: Box
}

async function sites(t: Test, token?: string): Promise<Sites> {
  const clock = new FakeClock(1_772_460_311_000)
  // Boxes of several sites may have the same id, since no proxy stands before all of them.
  const north = await Box.open(t, '001', clock)
  const south = await Box.open(t, '001', clock)
  const main = await Box.open(t, '001', clock, () => [asSite(north, 'north', token), asSite(south, 'south')])
  return { clock, main, north, south }
}

t.test('items of sites come once each, in the order of each site, and name it', async (t) => {
  const { main, north, south } = await sites(t)
  const sent: string[] = []
  for (let n = 0; n < 10; n++) {
    for (const [name, box] of Object.entries({ main, north, south })) {
      await box.receives(`${name} ${n}`)
      sent.push(`${name} ${n}`)
    }
    if (n % 3 === 0) await main.has(sent.length)
  }
  await main.has(sent.length)
  const seen = await main.polled()
  t.same(bodies(seen).toSorted(), sent.toSorted(), 'each once')
  for (const limit of [1, 4]) t.same(bodies(await main.polled(limit)), bodies(seen), `the same by ${limit} at once`)
  for (const name of ['main', 'north', 'south']) {
    const of = (all: readonly string[]): string[] => all.filter((text) => text.startsWith(name))
    t.same(of(bodies(seen)), of(sent), `those of ${name} in order`)
  }
  for (const { body, site = 'main', box } of seen) t.same([site, box], [body.split(' ')[0], undefined], body)
})

t.test('a site that is away holds nobody up, and one that refuses the token is reported', async (t) => {
  const { main, north, south } = await sites(t, 'wrong')
  await eventually('it is refused', () => main.collector.warnings().length > 0)
  const refused = { code: 'collect-site-north', severity: 'error', text: /^Site north refuses the token of sites/ }
  t.match(main.collector.warnings(), [refused])
  await south.receives('one')
  await main.has(1)
  await south.stop()
  await main.receives('own')
  await main.has(2)
  await main.collects('the fault is known', () => main.collector.warnings().length === 2)
  t.match(main.collector.warnings(), [refused, { code: 'collect-site-south', severity: 'warning', text: /^Site south does not answer/ }])
  await south.start()
  await south.receives('two')
  await main.has(3)
  t.same(bodies(await main.polled()), ['one', 'own', 'two'])
  void north
})

t.test('media, the state of a text and a deletion go through; 503 while the site is away', async (t) => {
  const { main, north } = await sites(t)
  const fax = await north.receivesFax()
  const [text = ''] = await north.receives('of north')
  await main.has(1)
  await main.collects('the fax', async () => (await main.ask('/api/inbox/faxes')).body.items.length === 1)
  t.match(await main.ask(`/api/inbox/faxes/${fax}.pdf`), { status: 200, text: content })
  t.match(await main.ask(`/api/inbox/sms/${text}`), { status: 200, body: { id: text, site: 'north', box: undefined } })
  await north.stop()
  for (const [path, method] of [
    [`/api/inbox/faxes/${fax}.pdf`, 'GET'],
    [`/api/inbox/sms/${text}`, 'DELETE'],
  ] as const)
    t.match(await main.ask(path, { method }), { status: 503, body: { code: 'box_unreachable', error: /^Site north / } }, method)
  await north.start()
  t.equal((await main.ask(`/api/inbox/sms/${text}`, { method: 'DELETE' })).status, 204)
  t.same([await main.polled(), await north.polled()], [[], []])
  t.match(await north.ask(`/api/inbox/sms/${text}`), { status: 410 })
  await north.ask(`/api/inbox/faxes/${fax}`, { method: 'DELETE' })
  t.match(await main.ask(`/api/inbox/faxes/${fax}.pdf`), { status: 410, body: { code: 'media_expired' } }, 'what the site says is repeated')
})

t.test('of a site of several boxes all items come; two sites that collect each other give nothing back', async (t) => {
  const clock = new FakeClock(1_772_460_311_000)
  const second = await Box.open(t, '002', clock)
  let other: Box | null = null
  const north = await Box.open(t, '001', clock, () => [second.source(), ...(other === null ? [] : [asSite(other, 'south')])])
  const south = await Box.open(t, '001', clock, () => [asSite(north, 'north')])
  other = south
  await north.stop()
  await north.start()
  await second.receives('at the second box of north')
  await north.receives('at the first')
  await south.receives('at south')
  for (const box of [north, south]) {
    await eventually('all three', async () => {
      clock.advance(2000)
      return (await box.polled()).length >= 3
    })
  }
  for (let n = 0; n < 5; n++) await south.collects('a further round', () => true)
  const by = (all: readonly { body: string; box?: string; site?: string }[]) =>
    Object.fromEntries(all.map(({ body, box = '', site = '' }) => [body, `${site}/${box}`]))
  t.same(by(await south.polled()), { 'at the second box of north': 'north/002', 'at the first': 'north/', 'at south': '/' })
  t.same(by(await north.polled()), { 'at the second box of north': '/002', 'at the first': '/', 'at south': 'south/' })
  t.same([(await north.polled()).length, (await south.polled()).length], [3, 3], 'each once')
})
