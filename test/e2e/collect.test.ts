/** Two boxes and one that collects their inboxes, each a real daemon: texts come in while boxes are killed, and a poller has each once and in order. */
import t from 'tap'
import { Source } from '../../daemon/inbox/collect/source.ts'
import { SipPeer } from '../engine/sip-peer.ts'
import { Daemon, freePort, oftenAsked } from '../harness/daemon.ts'
import { eventually } from '../harness/waiting.ts'

const number = '+15550001000'

t.test('texts at three boxes, kill -9 of the collector and of a source: the poller has each once, in order', async (t) => {
  const make = async (id: string, more: object = {}): Promise<{ daemon: Daemon; line: SipPeer }> => {
    const trunkPort = await freePort()
    const daemon = await Daemon.create({
      app: `http://127.0.0.1:${await freePort()}`,
      trunkPort,
      settings: (settings) => {
        const sms = { trunks: [{ id: 'voip', kind: 'sip', trunk: 'main', number }] }
        Object.assign(settings, { box: { id, inbox: '001' }, sms, limits: oftenAsked, ...more })
      },
    })
    t.teardown(() => daemon.close())
    const line = await SipPeer.udp(daemon.sipPort, '127.0.0.1', '127.0.0.1', trunkPort)
    t.teardown(() => line.close())
    return { daemon, line }
  }
  const [b, c] = [await make('002'), await make('003')]
  const boxes = [b, c].map(({ daemon: { http, token } }, n) => ({ id: `00${n + 2}`, api: http, token }))
  const a = await make('001', { collect: { boxes } })
  await Promise.all([a, b, c].map(({ daemon }) => daemon.start()))

  const sent: string[] = []
  const text = async (to: typeof a, body: string): Promise<void> => {
    const ask = () => to.line.ask('MESSAGE', `sip:${number}@pbx`, { from: 'sip:+15551230001@pbx', type: 'text/plain', body, ms: 2000 })
    await eventually(`the text ${body} is taken`, async () => (await ask())?.status === 200)
    sent.push(body)
  }
  const seen: string[] = []
  let cursor = 0
  const poll = async (): Promise<void> => {
    const got = await a.daemon.api('GET', `/api/inbox/sms?since=${cursor}&limit=5`).catch(() => null)
    if (got?.status !== 200) return
    cursor = got.body.nextSince
    seen.push(...got.body.items.map(({ body }: { body: string }) => body))
  }
  for (let n = 0; n < 18; n++) {
    await Promise.all([text(a, `001 ${n}`), text(b, `002 ${n}`), text(c, `003 ${n}`)])
    await poll()
    if (n === 5) {
      await a.daemon.kill()
      await Promise.all([text(b, '002 meanwhile'), text(c, '003 meanwhile')])
      await a.daemon.start()
    }
    if (n === 11) {
      await b.daemon.kill()
      await text(a, '001 meanwhile')
      await b.daemon.start()
    }
  }
  await eventually('the poller has all', async () => {
    await poll()
    return seen.length >= sent.length
  })
  await poll()
  t.same(seen.toSorted(), sent.toSorted(), 'each once')
  for (const id of ['001', '002', '003']) {
    const of = (all: readonly string[]): string[] => all.filter((one) => one.startsWith(id))
    t.same(of(seen), of(sent), `those of ${id} in order`)
  }
})

t.test('the file of an authority that cannot be read costs the items of that box alone', async (t) => {
  const source = new Source({ id: '002', api: 'https://127.0.0.1:9', token: 'x', ca: '/dev/null/authority.pem' })
  t.match(await source.page('sms', 0, 10, AbortSignal.timeout(5000)), { kind: 'away' })
  await t.rejects(source.ask('GET', '/api/inbox/sms/x'), { code: 'ENOTDIR' })
  await source.close()
})
