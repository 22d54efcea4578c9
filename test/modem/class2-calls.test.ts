/** Faxes over modems that run the T.30 session themselves: ours with ours in each dialect, with efax as somebody else's program, quirks, failures. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import type { FaxClass, FaxLineResult } from '../../drivers/fax.ts'
import { makePage, readTiff, rowBytes, samePixels, writeTiff, type Page } from '../fax-engine/tiff.ts'
import { build, class2sim, efax, Rig, sending, Story, Watched } from './rig.ts'

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

type Class2 = '2' | '2.0' | '2.1'

/** Knobs of the modems as class2sim has them. */
async function rigOf(t: { teardown(end: () => Promise<void>): void }, speed: number, a: string, b: string): Promise<Rig> {
  const rig = await new Rig(speed, [`100:ALICE:${a}`, `200:BOB:${b}`], class2sim).open()
  t.teardown(() => rig.close())
  return rig
}

const only = (faxClass: Class2): string => `classes=0/${faxClass}`

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

const arrived = (rig: Rig, pages: readonly Page[]): boolean[] => {
  const got = readTiff(rig.file('got.tif'))
  return got.length === pages.length ? got.map((page, i) => samePixels(page, pages[i]!)) : [false]
}

const words = (story: Story): string => story.frames.map(({ received, name }) => `${received ? '<' : '>'}${name}`).join(' ')

for (const [from, to] of [
  ['2', '2'],
  ['2', '2.0'],
  ['2.0', '2.1'],
  ['2.1', '2'],
] as const)
  t.test(
    `from class ${from} to class ${to}: two pages arrive pixel by pixel, and the lines are ready again`,
    { buffered: true },
    async (t) => {
      const rig = await rigOf(t, 10, only(from), only(to))
      const pages = [makePage(300, 1), makePage(200, 2)]
      writeTiff(rig.file('doc.tif'), pages)
      const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
      t.match(a.line.status(), { model: /simulator/, faxClass: from, modems: ['v17', 'v29', 'v27ter'] })
      for (const ecm of [true, false]) {
        const { sent, received, from: number, caller, callee } = await fax(rig, a, b, { ecm })
        const agreed = { bitRate: 14_400, ecm, resolution: 'fine', transport: 'modem', dial: 'connected', heardFax: true }
        t.match(sent, { code: 0, pages: 2, remoteId: '+1555200', unconfirmedLastPage: false, ...agreed })
        t.match(received, { code: 0, pages: 2, remoteId: '+1555100', badRows: 0, ...agreed })
        t.equal(number, '100', 'caller identification')
        t.same(arrived(rig, pages), [true, true])
        t.equal(words(caller), '<CSI <DIS >DCS >MPS <MCF >DCS >EOP <MCF')
        t.match(words(callee), /^<TSI <DCS .*<MPS >MCF .*<EOP >MCF$/)
        t.same([...new Set(caller.phases)], ['negotiating', 'training', 'page', 'confirmed'])
        await Promise.all([a.is('ready'), b.is('ready')])
      }
      const slow = await fax(rig, a, b, { modems: ['v27ter'], firstPage: 1 })
      t.match(slow.sent, { code: 0, pages: 1, bitRate: 4800 })
      t.same(arrived(rig, pages.slice(1)), [true], 'from the second page on, V.27ter')
      t.match(a.states.join(), /ready,dialing,sending,resetting,ready/)
    },
  )

for (const [ours, theirs] of [
  ['2', '2'],
  ['2.0', '2.0'],
  ['2.1', '2'],
] as const) {
  t.test(`from class ${ours} to efax in class ${theirs}`, { buffered: true, skip: !hasEfax && 'efax is not installed' }, async (t) => {
    const rig = await rigOf(t, 4, only(ours), only(theirs))
    const page = makePage(250, 3)
    writeTiff(rig.file('doc.tif'), [page])
    const a = await rig.line(0)
    const words = ['-d', rig.device(1), theirs === '2' ? '-o2' : '-o0', '-w', '-jS0=1', '-l', '+1 555 200', '-r', rig.file('got')]
    const peer = efax(words)
    const story = new Story()
    await new Promise((done) => setTimeout(done, 3000)) // efax says nothing when it begins to wait
    a.line.sendFax('200', sending(rig.file('doc.tif')), story)
    const [sent, { code, said }] = await Promise.all([story.result, peer])
    t.match(sent, { code: 0, pages: 1, ecm: false, remoteId: /1 555 200/ }, said)
    t.equal(code, 0, said)
    const [got] = readTiff(rig.file('got.001'))
    t.ok(got !== undefined && got.includes(page), 'every row is the same')
  })

  t.test(`from efax in class ${theirs} to class ${ours}`, { buffered: true, skip: !hasEfax && 'efax is not installed' }, async (t) => {
    const rig = await rigOf(t, 4, only(theirs), only(ours))
    const page = makePage(250, 4)
    writeTiff(rig.file('plain.tif'), [page])
    execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', rig.file('plain.tif'), rig.file('doc.tif')])
    const b = await rig.line(1)
    const rings = b.rings()
    const peer = efax(['-d', rig.device(0), theirs === '2' ? '-o2' : '-o0', '-l', '+1 555 100', '-t', 'T200', rig.file('doc.tif')])
    const story = new Story()
    ;(await rings).receiveFax({ file: rig.file('got.tif'), stationId: '+1555200', ecm: true, t38: false }, story)
    const [received, { code, said }] = await Promise.all([story.result, peer])
    t.equal(code, 0, said)
    t.match(received, { code: 0, pages: 1, badRows: 0, remoteId: /1 555 100/ })
    const [got] = readTiff(rig.file('got.tif'))
    // Below efax's own header, and without the last row, which it leaves out.
    t.ok(got !== undefined && got.includes(page.subarray(4 * rowBytes, page.length - rowBytes)), 'every row is the same')
  })
}

t.test('what chips are known for does no harm', { buffered: true }, async (t) => {
  for (const [what, a, b] of [
    ['no XON, and bits the right way round', 'classes=0/2+noxon', 'classes=0/2+straight'],
    ['USR leaves the end of the page to us', 'classes=0/2.0+nortc+model=U.S. Robotics 56K FAX', only('2')],
    ['Multi-Tech', only('2.1'), 'classes=0/2+straight+model=MultiTech MT5634ZBA'],
    ['slow', 'classes=0/2+rate=1', 'classes=0/2.0+ecm=0'],
    ['early Rockwell', 'classes=0/2+model=RC2388', only('2')],
  ] as const) {
    const rig = await rigOf(t, 20, a, b)
    const pages = [makePage(120, 11)]
    writeTiff(rig.file('doc.tif'), pages)
    const { sent, received } = await fax(rig, ...((await Promise.all([rig.line(0), rig.line(1)])) as [Watched, Watched]))
    t.match([sent, received], [{ code: 0 }, { code: 0, badRows: 0 }], what)
    if (what === 'slow') t.match(sent, { bitRate: 4800, ecm: false })
    t.same(arrived(rig, pages), [true], what)
  }
})

t.test(
  'a damaged page is refused and comes again; a modem that cannot refuse it keeps it with its bad rows',
  { buffered: true },
  async (t) => {
    for (const faxClass of ['2', '2.0'] as const) {
      const rig = await rigOf(t, 10, only(faxClass), only(faxClass))
      const pages = [makePage(200, 12), makePage(100, 13)]
      writeTiff(rig.file('doc.tif'), pages)
      const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
      rig.order('corrupt 1')
      const { sent, received, caller, callee } = await fax(rig, a, b, { ecm: false })
      t.match(
        [sent, received],
        [
          { code: 0, pages: 2 },
          { code: 0, pages: 2, badRows: 0 },
        ],
      )
      t.same(arrived(rig, pages), [true, true])
      t.match(words(caller), /<RTN .*<MCF .*<MCF/)
      t.match(words(callee), />RTN/)
    }
    const rig = await rigOf(t, 10, only('2'), 'classes=0/2+noquality')
    writeTiff(rig.file('doc.tif'), [makePage(200, 12)])
    const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
    rig.order('corrupt 1')
    const { sent, received } = await fax(rig, a, b, { ecm: false })
    t.match([sent.code, received.code, received.pages], [0, 0, 1])
    t.ok(received.badRows > 0)
  },
)

t.test('a far end without fine resolution gets the standard pages in the same call', { buffered: true }, async (t) => {
  const rig = await rigOf(t, 10, only('2.1'), 'classes=0/2+nofine')
  const coarse = makePage(100, 8)
  writeTiff(rig.file('doc.tif'), [makePage(200, 7)])
  writeTiff(rig.file('standard.tif'), [coarse], 98)
  const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
  const { sent, received } = await fax(rig, a, b, { standardFile: rig.file('standard.tif') })
  t.match(
    [sent, received],
    [
      { code: 0, resolution: 'standard' },
      { code: 0, resolution: 'standard' },
    ],
  )
  const [got] = readTiff(rig.file('got.tif'))
  t.ok(got?.subarray(-coarse.length).equals(coarse))
  await a.is('ready')
  const without = await fax(rig, a, b)
  t.match(without.sent, { code: 11, heardFax: true })
})

t.test('numbers that do not answer as a fax have their own words', { buffered: true }, async (t) => {
  const rig = await rigOf(t, 15, only('2'), only('2'))
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
    ['97', 'no-dialtone'],
  ] as const) {
    const story = new Story()
    a.line.sendFax(number, sending(rig.file('doc.tif')), story)
    t.match(await story.result, { dial, pages: 0, heardFax: false, text: /\w/ }, number)
    await a.is('ready')
    t.equal(story.ends, 1)
  }
  const story = new Story()
  const session = a.line.sendFax('92', sending(rig.file('doc.tif')), story)
  setTimeout(() => session.stop(), 300)
  t.match(await story.result, { dial: 'canceled' })
  await a.is('ready')
})

t.test('a call that comes in while a fax is dialled goes first, with its number', { buffered: true }, async (t) => {
  // Slowly: the number comes between two rings, and a busy machine is late for it.
  const rig = await rigOf(t, 4, only('2'), only('2'))
  writeTiff(rig.file('doc.tif'), [makePage(50, 5)])
  const a = await rig.line(0)
  // While the number is dialled, and before the modem is asked to dial it: that would take the call that comes in.
  for (const ms of [375, 0]) {
    const glare = new Story()
    const rings = a.rings()
    a.line.sendFax('92', sending(rig.file('doc.tif')), glare)
    setTimeout(() => rig.order('ring 0 5551234'), ms)
    t.match(await glare.result, { dial: 'glare' }, `${ms} ms`)
    t.equal((await rings).callerNumber, '5551234', 'the call that came in is offered')
    await a.is('ready')
  }
})

t.test('calls that break: in a page, before a page, by the exchange, by us', { buffered: true }, async (t) => {
  for (const faxClass of ['2', '2.0'] as const) {
    const rig = await rigOf(t, 10, only(faxClass), only(faxClass))
    writeTiff(rig.file('doc.tif'), [makePage(60, 6), makePage(1500, 7)])
    const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
    for (const how of ['cut', 'hang', 'drop', 'stop', 'stop receiving'] as const) {
      const caller = new Story()
      const callee = new Story()
      const rings = b.rings()
      const session = a.line.sendFax('200', sending(rig.file('doc.tif')), caller)
      const taking = (await rings).receiveFax({ file: rig.file('got.tif'), stationId: '200', ecm: true, t38: false }, callee)
      await caller.reached('confirmed')
      if (how === 'cut') rig.order('cut 0')
      if (how === 'hang') rig.order('hang 0 25')
      if (how === 'drop') rig.order('drop')
      if (how.startsWith('stop')) await callee.reached('page')
      if (how === 'stop') session.stop()
      if (how === 'stop receiving') taking.stop()
      const [sent, received] = await Promise.all([caller.result, callee.result])
      const told = `${faxClass} ${how}: ${JSON.stringify([sent, received])}`
      t.not(sent.code, 0, told)
      t.not(received.code, 0, told)
      t.equal(sent.dial, how === 'stop' ? 'canceled' : 'connected', told)
      t.same([sent.pages, received.pages], [1, 1], told)
      t.equal(readTiff(rig.file('got.tif')).length, 1, 'the whole page is kept')
      await Promise.all([a.is('ready'), b.is('ready')])
    }
    const caller = new Story()
    const callee = new Story()
    const rings = b.rings()
    a.line.sendFax('200', sending(rig.file('doc.tif')), caller)
    ;(await rings).receiveFax({ file: rig.file('got.tif'), stationId: '200', ecm: true, t38: false }, callee)
    await caller.reached('confirmed')
    rig.order('unplug 0')
    t.match(await caller.result, { code: 49, heardFax: true, pages: 1 })
    await a.is('unplugged')
    rig.order('drop')
    t.match(await callee.result, { pages: 1 })
    rig.order('plug 0')
    await a.is('ready')
  }
})

t.test('which class is used', { buffered: true }, async (t) => {
  for (const [classes, faxClass, used] of [
    ['0/1/2/2.0', 'auto', '1'],
    ['0/2/2.0/2.1', 'auto', '2.1'],
    ['0/2/2.0', 'auto', '2.0'],
    ['0/1/2/2.0', '2', '2'],
    ['0/2', '2.0', ''],
    ['0/8', 'auto', ''],
  ] as const) {
    const rig = await rigOf(t, 10, `classes=${classes}`, only('2'))
    const a = new Watched({ id: 'a', device: rig.device(0), number: '1', faxClass: faxClass as 'auto' | FaxClass })
    t.teardown(() => a.line.stop())
    a.line.start()
    await a.is(used === '' ? 'faulty' : 'ready')
    t.equal(a.line.status().faxClass, used, `${faxClass} of ${classes}`)
    if (used === '') t.match(a.line.status().text, /fax (class 2\.0|modem): it offers the classes 0/)
    await a.line.stop()
  }
})
