/** The cells of the matrix over modems that run the fax themselves: our driver with itself and with efax, in each dialect. */
import { execFileSync } from 'node:child_process'
import type { FaxLineResult } from '../../../drivers/fax.ts'
import { makePage, readTiff, rowBytes, samePixels, writeTiff, type Page } from '../../fax-engine/tiff.ts'
import { class2sim, efax, Rig, sending, Story } from '../../modem/rig.ts'
import type { Cell, Outcome } from './matrix.ts'

type Class2 = '2' | '2.0' | '2.1'

const speed = 3
const efaxStartMs = 3000

async function onModems(
  from: Class2,
  to: Class2,
  play: (rig: Rig) => Promise<{ result: FaxLineResult; same: boolean[] }>,
): Promise<Outcome> {
  const rig = await new Rig(speed, [`100:A:classes=0/${from}`, `200:B:classes=0/${to}`], class2sim).open()
  const began = Date.now()
  try {
    const { result, same } = await play(rig)
    if (result.code !== 0) throw new Error(`${result.text} (${result.code})`)
    return {
      good: same.length > 0 && same.every(Boolean),
      pages: `${same.filter(Boolean).length} of ${same.length}`,
      how: `${result.bitRate} bit/s, ${result.ecm ? 'ECM' : 'no ECM'}, ${result.resolution}`,
      seconds: Math.round(((Date.now() - began) / 1000) * speed),
    }
  } finally {
    await rig.close()
  }
}

const receiving = (rig: Rig) => ({ file: rig.file('got.tif'), stationId: '+1555200', ecm: true, t38: false })

function ours(from: Class2, to: Class2): Promise<Outcome> {
  return onModems(from, to, async (rig) => {
    const pages = [makePage(300, 1), makePage(200, 2)]
    writeTiff(rig.file('doc.tif'), pages)
    const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
    const [caller, callee] = [new Story(), new Story()]
    const rings = b.rings()
    a.line.sendFax('200', sending(rig.file('doc.tif')), caller)
    ;(await rings).receiveFax(receiving(rig), callee)
    const [result] = await Promise.all([caller.result, callee.result])
    const got = readTiff(rig.file('got.tif'))
    return { result, same: pages.map((page, i) => samePixels(got[i], page)) }
  })
}

const efaxClass = (theirs: Class2): string => (theirs === '2' ? '-o2' : '-o0')

const contains = (got: Page | undefined, part: Page): boolean => got !== undefined && got.includes(part)

function toEfax(from: Class2, theirs: Class2): Promise<Outcome> {
  return onModems(from, theirs, async (rig) => {
    const page = makePage(250, 3)
    writeTiff(rig.file('doc.tif'), [page])
    const a = await rig.line(0)
    const peer = efax(['-d', rig.device(1), efaxClass(theirs), '-w', '-jS0=1', '-l', '+1 555 200', '-r', rig.file('got')])
    await new Promise((done) => setTimeout(done, efaxStartMs)) // efax says nothing when it begins to wait
    const story = new Story()
    a.line.sendFax('200', sending(rig.file('doc.tif')), story)
    const [result, { code, said }] = await Promise.all([story.result, peer])
    if (code !== 0) throw new Error(`efax ended with ${code}: ${said.slice(-300)}`)
    return { result, same: [contains(readTiff(rig.file('got.001'))[0], page)] }
  })
}

function fromEfax(theirs: Class2, to: Class2): Promise<Outcome> {
  return onModems(theirs, to, async (rig) => {
    const page = makePage(250, 4)
    writeTiff(rig.file('plain.tif'), [page])
    execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', rig.file('plain.tif'), rig.file('doc.tif')])
    const b = await rig.line(1)
    const rings = b.rings()
    const peer = efax(['-d', rig.device(0), efaxClass(theirs), '-l', '+1 555 100', '-t', 'T200', rig.file('doc.tif')])
    const story = new Story()
    ;(await rings).receiveFax(receiving(rig), story)
    const [result, { code, said }] = await Promise.all([story.result, peer])
    if (code !== 0) throw new Error(`efax ended with ${code}: ${said.slice(-300)}`)
    // The header line of efax covers the first rows, and it leaves out the last one.
    return { result, same: [contains(readTiff(rig.file('got.tif'))[0], page.subarray(4 * rowBytes, page.length - rowBytes))] }
  })
}

const cell = (faxClass: Class2, from: string, to: string, what: string, run: () => Promise<Outcome>): Cell => ({
  transport: `modem, class ${faxClass}`,
  from,
  to,
  what,
  run,
})

export const class2Cells = (): Cell[] => [
  ...(['2', '2.0', '2.1'] as const).map((faxClass) => cell(faxClass, 'driver', 'driver', '2 pages', () => ours(faxClass, faxClass))),
  cell('2', 'driver', 'driver, class 2.0', '2 pages', () => ours('2', '2.0')),
  ...(['2', '2.0'] as const).flatMap((faxClass) => [
    cell(faxClass, 'driver', 'efax', '1 page', () => toEfax(faxClass, faxClass)),
    cell(faxClass, 'efax', 'driver', '1 page', () => fromEfax(faxClass, faxClass)),
  ]),
  cell('2.1', 'driver', 'efax, class 2', '1 page', () => toEfax('2.1', '2')),
  cell('2.1', 'efax, class 2', 'driver', '1 page', () => fromEfax('2', '2.1')),
]
