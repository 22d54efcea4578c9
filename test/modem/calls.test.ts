/** Faxes over real pbx-fax processes and soft modems: ours with ours, and with efax as somebody else's program. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import type { FaxLineResult } from '../../drivers/fax.ts'
import { makePage, readTiff, rowBytes, samePixels, writeTiff } from '../fax-engine/tiff.ts'
import { build, efax, Rig, sending, Story, Watched } from './rig.ts'

const hasEfax = ((): boolean => {
  try {
    execFileSync('efax', ['-h'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
})()

t.jobs = 3
t.setTimeout(300_000)
await build()

async function rigOf(t: { teardown(end: () => Promise<void>): void }, speed: number): Promise<Rig> {
  const rig = await new Rig(speed).open()
  t.teardown(() => rig.close())
  return rig
}

type Sent = { sent: FaxLineResult; received: FaxLineResult; from: string; caller: Story; callee: Story }

async function fax(rig: Rig, a: Watched, b: Watched, options: Parameters<typeof sending>[1] = {}): Promise<Sent> {
  const caller = new Story()
  const callee = new Story()
  const rings = b.rings()
  a.line.sendFax('200', sending(rig.file('doc.tif'), options), caller)
  const ring = await rings
  ring.receiveFax({ file: rig.file('got.tif'), stationId: '+1555200', ecm: true, t38: false }, callee)
  const [sent, received] = await Promise.all([caller.result, callee.result])
  return { sent, received, from: ring.callerNumber, caller, callee }
}

t.test(
  'two pages arrive pixel by pixel, with error correction and without, and the lines are ready again',
  { buffered: true },
  async (t) => {
    const rig = await rigOf(t, 6)
    const pages = [makePage(300, 1), makePage(200, 2)]
    writeTiff(rig.file('doc.tif'), pages)
    const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
    t.match(a.line.status(), { model: /soft-switch/, faxClass: '1', modems: ['v17', 'v29', 'v27ter'] })
    for (const ecm of [true, false]) {
      const { sent, received, from, caller } = await fax(rig, a, b, { ecm })
      t.match(sent, {
        code: 0,
        dial: 'connected',
        pages: 2,
        bitRate: 14_400,
        ecm,
        resolution: 'fine',
        transport: 'modem',
        remoteId: '+1555200',
      })
      t.match(received, { code: 0, pages: 2, remoteId: '+1555100', badRows: 0 })
      t.equal(from, '100', 'caller identification')
      t.same(
        readTiff(rig.file('got.tif')).map((page, i) => samePixels(page, pages[i]!)),
        [true, true],
      )
      t.ok(caller.frames.some(({ name, received: r }) => name === 'DIS' && r))
      t.same([...new Set(caller.phases)], ['negotiating', 'training', 'page', 'confirmed'])
      await Promise.all([a.is('ready'), b.is('ready')])
    }
    const slow = await fax(rig, a, b, { modems: ['v27ter'], firstPage: 1 })
    t.match(slow.sent, { code: 0, pages: 1, bitRate: 4800 })
    t.same(
      readTiff(rig.file('got.tif')).map((page) => samePixels(page, pages[1]!)),
      [true],
      'from the second page on, V.27ter',
    )
  },
)

t.test('to efax', { buffered: true, skip: !hasEfax && 'efax is not installed' }, async (t) => {
  const rig = await rigOf(t, 4)
  const page = makePage(250, 3)
  writeTiff(rig.file('doc.tif'), [page])
  const a = await rig.line(0)
  const peer = efax(['-d', rig.device(1), '-o1', '-w', '-jS0=1', '-l', '+1 555 200', '-r', rig.file('got')])
  const story = new Story()
  await new Promise((done) => setTimeout(done, 1500)) // efax says nothing when it begins to wait
  a.line.sendFax('200', sending(rig.file('doc.tif')), story)
  const [sent, { code, said }] = await Promise.all([story.result, peer])
  t.match(sent, { code: 0, pages: 1, ecm: false, remoteId: /1 555 200/ }, said)
  t.equal(code, 0, said)
  const [got] = readTiff(rig.file('got.001'))
  t.ok(
    got !== undefined && got.includes(page.subarray(0, page.length - rowBytes)),
    'every row is the same, but the last that efax leaves out',
  )
})

t.test('from efax', { buffered: true, skip: !hasEfax && 'efax is not installed' }, async (t) => {
  const rig = await rigOf(t, 4)
  const page = makePage(250, 4)
  writeTiff(rig.file('plain.tif'), [page])
  execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', rig.file('plain.tif'), rig.file('doc.tif')])
  const b = await rig.line(1)
  const rings = b.rings()
  const peer = efax(['-d', rig.device(0), '-o1', '-l', '+1 555 100', '-t', 'T200', rig.file('doc.tif')])
  const story = new Story()
  ;(await rings).receiveFax({ file: rig.file('got.tif'), stationId: '+1555200', ecm: true, t38: false }, story)
  const [received, { code, said }] = await Promise.all([story.result, peer])
  t.equal(code, 0, said)
  t.match(received, { code: 0, pages: 1, remoteId: /1 555 100/ })
  const [got] = readTiff(rig.file('got.tif'))
  // Below efax's own header, which covers some rows, and without the last row, which it leaves out.
  t.ok(got !== undefined && got.includes(page.subarray(4 * rowBytes, page.length - rowBytes)), 'every row is the same')
})

t.test('numbers that do not answer as a fax have their own words', { buffered: true }, async (t) => {
  const rig = await rigOf(t, 20)
  writeTiff(rig.file('doc.tif'), [makePage(50, 5)])
  const a = await rig.line(0)
  for (const [number, dial] of [
    ['90', 'busy'],
    ['91', 'no-dialtone'],
    ['92', 'no-answer'],
    ['93', 'not-a-fax'],
    ['94', 'no-carrier'],
    ['95', 'delayed'],
    ['96', 'blacklisted'],
  ] as const) {
    const story = new Story()
    a.line.sendFax(number, sending(rig.file('doc.tif')), story)
    const result = await story.result
    t.match(result, { dial, code: 49, pages: 0, heardFax: false, text: /\w/ }, number)
    await a.is('ready')
    t.equal(story.ends, 1)
  }
  const story = new Story()
  a.line.sendFax('92', sending(rig.file('doc.tif')), story).stop()
  t.match(await story.result, { dial: 'canceled' })
  await a.is('ready')
})

t.test('a call that rings while dialling wins', { buffered: true }, async (t) => {
  const rig = await rigOf(t, 10)
  writeTiff(rig.file('doc.tif'), [makePage(50, 5)])
  const a = await rig.line(0)
  const story = new Story()
  const rings = a.rings()
  a.line.sendFax('92', sending(rig.file('doc.tif')), story)
  await a.is('dialing')
  await new Promise((done) => setTimeout(done, 100))
  rig.order('ring 0 5551234')
  t.match(await story.result, { dial: 'glare' })
  t.equal((await rings).callerNumber, '5551234', 'and is offered')
  const second = new Story()
  a.line.sendFax('200', sending(rig.file('doc.tif')), second)
  t.match(await second.result, { dial: 'glare' }, 'nothing is dialled on a line that rings')
  await a.is('ready')
})

t.test('the exchange ends the call in the middle; a sender stops in the middle', { buffered: true }, async (t) => {
  const rig = await rigOf(t, 8)
  writeTiff(rig.file('doc.tif'), [makePage(60, 6), makePage(1500, 7)])
  const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
  for (const how of ['drop', 'stop'] as const) {
    const caller = new Story()
    const callee = new Story()
    const rings = b.rings()
    const session = a.line.sendFax('200', sending(rig.file('doc.tif')), caller)
    ;(await rings).receiveFax({ file: rig.file('got.tif'), stationId: '200', ecm: true, t38: false }, callee)
    await callee.reached('confirmed')
    if (how === 'drop') rig.order('drop')
    else session.stop()
    const [sent, received] = await Promise.all([caller.result, callee.result])
    t.not(sent.code, 0, JSON.stringify(sent))
    t.not(received.code, 0, JSON.stringify(received))
    t.equal(sent.dial, how === 'stop' ? 'canceled' : 'connected')
    t.equal(received.pages, 1, 'the whole page is kept')
    t.equal(readTiff(rig.file('got.tif')).length >= 1, true)
    await Promise.all([a.is('ready'), b.is('ready')])
  }
})

t.test('a modem that is unplugged ends its call and comes back; one that is silent is told so', { buffered: true }, async (t) => {
  const rig = await rigOf(t, 8)
  writeTiff(rig.file('doc.tif'), [makePage(800, 8)])
  const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
  const story = new Story()
  const callee = new Story()
  const rings = b.rings()
  a.line.sendFax('200', sending(rig.file('doc.tif')), story)
  ;(await rings).receiveFax({ file: rig.file('got.tif'), stationId: '200', ecm: true, t38: false }, callee)
  await story.reached('page')
  rig.order('unplug 0')
  t.match(await story.result, { code: 49, heardFax: true })
  await a.is('unplugged')
  const early = new Story()
  a.line.sendFax('200', sending(rig.file('doc.tif')), early)
  t.match(await early.result, { dial: 'modem-fault' })
  rig.order('drop')
  await callee.result
  rig.order('mute 0')
  rig.order('plug 0')
  await a.is('faulty')
  t.match(a.line.status().text, /does not answer/)
  rig.order('unmute 0')
  await a.is('ready')
  const other = new Watched({ id: 'x', device: rig.device(0), number: '1' })
  other.line.start()
  await other.is('faulty')
  t.match(other.line.status().text, /in use/, 'the port is locked')
  await other.line.stop()
})
