/** Fax programs that are not ours on the other end of the line: HylaFAX, mgetty with its sendfax, and efax behind iaxmodem. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { withHylafax, withIaxmodem, withMgetty, type Exchange } from '../fax-peers/cells.ts'
import { whyNot } from '../fax-peers/packages.ts'
import { build } from '../modem/rig.ts'

t.jobs = 4
t.setTimeout(180_000)
await build()

const whole = ({ pages, same }: Exchange): boolean => same === pages
const hasEfax = ((): boolean => {
  try {
    execFileSync('sh', ['-c', 'command -v efax'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** A busy machine makes a soft modem stutter while it trains: a step lower is well too. */
const trained = (rate: number): boolean => rate >= 9600

t.test('HylaFAX: two pages there and two back, with error correction', { buffered: true, skip: await whyNot('hylafax') }, async (t) => {
  const { out, in: back, log } = await withHylafax()
  t.match(out, { pages: 2, ecm: true, resolution: 'fine' })
  t.ok(trained(out.bitRate), `${out.bitRate} bit/s`)
  t.match(back, { pages: 2, ecm: true, resolution: 'fine' })
  t.ok(trained(back.bitRate), `${back.bitRate} bit/s`)
  t.ok(whole(out), 'what it received is what was drawn')
  t.ok(whole(back), 'what it sent is in the inbox')
  t.match(log, /REMOTE wants 2-D MMR/, 'both ways coded by T.6')
  t.match(log, /USE 2-D MMR/)
})

for (const classes of ['0/2', '0/2.0']) {
  t.test(`mgetty and its sendfax, modems of class ${classes.slice(2)}`, { buffered: true, skip: await whyNot('mgetty') }, async (t) => {
    const { out, in: back } = await withMgetty(4, classes)
    t.match(out, { pages: 2, same: 2, resolution: 'fine' })
    t.match(back, { pages: 1, same: 1, resolution: 'fine' })
  })
}

const lacks = (await whyNot('iaxmodem')) || (!hasEfax && 'efax is not installed')
t.test('efax behind a pair of iaxmodem, there and back in real time', { buffered: true, skip: lacks }, async (t) => {
  const { out, in: back } = await withIaxmodem()
  t.match(out, { pages: 1, same: 1, resolution: 'fine' })
  t.ok(trained(out.bitRate), `${out.bitRate} bit/s`)
  t.match(back, { pages: 1, same: 1, resolution: 'fine' })
  t.ok(trained(back.bitRate), `${back.bitRate} bit/s`)
})
