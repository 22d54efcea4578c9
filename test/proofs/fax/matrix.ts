/**
 * Every way a page can take, in real time: transport, direction and peer, with the pages that arrive compared to those that were
 * drawn, dot by dot. Between whole daemons over SIP; over serial lines between the modem driver, itself and efax on soft modems, and
 * between a daemon and programs of others.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import type { FaxLineResult } from '../../../drivers/fax.ts'
import { makePage, readTiff, rowBytes, samePixels, writeTiff, type Page } from '../../fax-engine/tiff.ts'
import { SilentRelay } from '../../fax-engine/silent-relay.ts'
import { letter } from '../../fax-pages/documents.ts'
import { build, efax, Rig, sending, Story, type Watched } from '../../modem/rig.ts'
import { asteriskCells } from './asterisk/cells.ts'
import { drawn, isTerminal, isSame, Pair, pause, slips, until, type Document, type PairOptions } from './boxes.ts'
import { atOnce } from './crowd.ts'
import { class2Cells } from './class2-cells.ts'
import { peerCells } from './peer-cells.ts'
import { table } from './study.ts'

export interface Outcome {
  readonly good: boolean
  readonly pages: string
  readonly how: string
  readonly seconds: number
  /** Why it could not be tried here. */
  readonly left?: string
}

export interface Cell {
  readonly transport: string
  readonly from: string
  readonly to: string
  readonly what: string
  run(): Promise<Outcome>
}

/** Pages of a PDF as poppler sees them: a second opinion on what is in it. Nothing where it is not installed. */
function pagesByPoppler(pdf: Buffer): Bitmap[] | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'pbxd-images-'))
  try {
    writeFileSync(join(directory, 'fax.pdf'), pdf)
    if (spawnSync('pdfimages', [join(directory, 'fax.pdf'), join(directory, 'page')], { stdio: 'ignore' }).status !== 0) return undefined
    const files = readdirSync(directory).filter((name) => name.endsWith('.pbm'))
    return files.toSorted().map((name) => {
      const bytes = readFileSync(join(directory, name))
      const header = /^P4\s(\d+)\s(\d+)\s/.exec(bytes.toString('latin1', 0, 60))
      if (header === null) throw new Error(`${name} is no bitmap`)
      const width = Number(header[1])
      return { width, rows: Number(header[2]), stride: (width + 7) >> 3, data: bytes.subarray(header[0].length) }
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Expected {
  readonly transport: 'sip-audio' | 't38'
  readonly bitRate?: number
  readonly ecm?: boolean
}

/** From one daemon's HTTP to the inbox of the other. */
async function boxToBox(options: PairOptions, document: Document, expected: Expected, cover = false): Promise<Outcome> {
  const pair = await Pair.open(options)
  try {
    const to = '+15551230001'
    const body = { to, pdfBase64: document.pdf.toString('base64'), ...(cover ? { cover: { subject: 'Referral' } } : {}) }
    const accepted = await pair.sender.api('POST', '/api/fax', body)
    if (accepted.status !== 202) throw new Error(`POST /api/fax: ${accepted.status}`)
    const fax = await until(async () => {
      const view = await pair.show(accepted.body.faxId as string)
      return isTerminal(view) || view.attempts > 0 ? view : undefined
    }, 'the end of the first call')
    if (fax.status !== 'sent') throw new Error(`${fax.status}: ${fax.message} ${JSON.stringify(fax.calls)}`)
    const item = await until(async () => (await pair.received(to))[0], 'the item', 15_000)
    const answer = await fetch(pair.receiver.http + item.mediaUrl, { headers: { authorization: `Bearer ${pair.receiver.token}` } })
    const poppler = pagesByPoppler(Buffer.from(await answer.arrayBuffer()))
    const skip = cover ? 1 : 0
    const compare = (pages: readonly Bitmap[]): number =>
      document.fine.filter((page, i) => pages[i + skip] && isSame(pages[i + skip]!, page)).length
    const pages = await pair.pagesOf(item)
    const same = Math.min(compare(pages), poppler === undefined ? Infinity : compare(poppler))
    const how = `${fax.bitRate} bit/s, ${fax.ecm ? 'ECM' : 'no ECM'}, ${fax.resolution}${fax.transport === expected.transport ? '' : `, ${fax.transport}!`}`
    const { transport, bitRate = 14_400, ecm = true } = expected
    const asMeant = fax.transport === transport && fax.bitRate === bitRate && fax.ecm === ecm && item.complete
    const good = asMeant && same === document.fine.length && pages.length === same + skip
    return { good, pages: `${same} of ${document.fine.length}${cover ? ' and cover' : ''}`, how, seconds: fax.durationSeconds }
  } finally {
    await pair.close()
  }
}

/** Through a gateway that sends no RTP while there is nothing to hear. */
async function overSilence(comfort: boolean, document: Document): Promise<Outcome> {
  const relay = await SilentRelay.open(comfort)
  try {
    const outcome = await boxToBox({ t38: false, relay }, document, { transport: 'sip-audio' })
    await relay.count()
    return { ...outcome, how: `${outcome.how}; ${relay.dropped} packets not sent, ${relay.passed} sent` }
  } finally {
    await relay.close()
  }
}

const describe = (r: FaxLineResult): string => `${r.bitRate} bit/s, ${r.ecm ? 'ECM' : 'no ECM'}, ${r.resolution}`

/** Faster than time, as far as the peers bear it. */
async function onModems(
  speed: number,
  play: (rig: Rig) => Promise<{ result: FaxLineResult; pages: Page[]; isSame: (i: number) => boolean }>,
): Promise<Outcome> {
  const rig = await new Rig(speed).open()
  const began = Date.now()
  try {
    const { result, pages, isSame: same } = await play(rig)
    const seconds = Math.round(((Date.now() - began) / 1000) * speed)
    const count = pages.filter((_, i) => same(i)).length
    if (result.code !== 0) throw new Error(`${result.text} (${result.code})`)
    return { good: count === pages.length, pages: `${count} of ${pages.length}`, how: describe(result), seconds }
  } finally {
    await rig.close()
  }
}

const receiving = (rig: Rig) => ({ file: rig.file('got.tif'), stationId: '+1555200', ecm: true, t38: false })

function oursToOurs(ecm: boolean): Promise<Outcome> {
  return onModems(3, async (rig) => {
    const pages = [makePage(300, 1), makePage(200, 2)]
    writeTiff(rig.file('doc.tif'), pages)
    const [a, b]: Watched[] = await Promise.all([rig.line(0), rig.line(1)])
    const [caller, callee] = [new Story(), new Story()]
    const rings = b!.rings()
    a!.line.sendFax('200', sending(rig.file('doc.tif'), { ecm }), caller)
    ;(await rings).receiveFax(receiving(rig), callee)
    const [result] = await Promise.all([caller.result, callee.result])
    const got = readTiff(rig.file('got.tif'))
    return { result, pages, isSame: (i) => samePixels(got[i], pages[i]!) }
  })
}

/** efax leaves out the last row of a page. */
const containsAllButLast = (got: Page | undefined, page: Page): boolean =>
  got !== undefined && got.includes(page.subarray(0, page.length - rowBytes))

function oursToEfax(fine: boolean): Promise<Outcome> {
  return onModems(3, async (rig) => {
    const page = makePage(250, 3)
    const coarse = makePage(125, 8)
    writeTiff(rig.file('doc.tif'), [page])
    writeTiff(rig.file('standard.tif'), [coarse], 98)
    const a = await rig.line(0)
    const words = ['-d', rig.device(1), '-o1', '-w', '-jS0=1', '-l', '+1 555 200', '-r', rig.file('got')]
    const peer = efax(fine ? words : ['-c0,5,0,2,0,0,0,0', ...words])
    const story = new Story()
    await pause(1500) // efax says nothing when it begins to wait
    a.line.sendFax('200', sending(rig.file('doc.tif'), { standardFile: rig.file('standard.tif') }), story)
    const [result, { code, said }] = await Promise.all([story.result, peer])
    if (code !== 0) throw new Error(`efax ended with ${code}: ${said.slice(-300)}`)
    const [got] = readTiff(rig.file('got.001'))
    return { result, pages: [page], isSame: () => containsAllButLast(got, fine ? page : coarse) && (result.resolution === 'fine') === fine }
  })
}

function efaxToOurs(): Promise<Outcome> {
  return onModems(3, async (rig) => {
    const page = makePage(250, 4)
    writeTiff(rig.file('plain.tif'), [page])
    execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', rig.file('plain.tif'), rig.file('doc.tif')])
    const b = await rig.line(1)
    const rings = b.rings()
    const peer = efax(['-d', rig.device(0), '-o1', '-l', '+1 555 100', '-t', 'T200', rig.file('doc.tif')])
    const story = new Story()
    ;(await rings).receiveFax(receiving(rig), story)
    const [result, { code, said }] = await Promise.all([story.result, peer])
    if (code !== 0) throw new Error(`efax ended with ${code}: ${said.slice(-300)}`)
    const [got] = readTiff(rig.file('got.tif'))
    // The header line of efax covers the first rows.
    return { result, pages: [page], isSame: () => containsAllButLast(got, page.subarray(4 * rowBytes)) }
  })
}

async function cells(): Promise<Cell[]> {
  await build()
  const three = await drawn(await slips(3, 5))
  const one = await drawn(await slips(1, 6))
  const full = await drawn(await letter(1))
  const box = (transport: string, what: string, run: () => Promise<Outcome>): Cell => ({ transport, from: 'box', to: 'box', what, run })
  const audio = { t38: false }
  const onAudio: Expected = { transport: 'sip-audio' }
  const onT38: Expected = { transport: 't38' }
  const serial = (from: string, to: string, what: string, run: () => Promise<Outcome>): Cell => ({
    transport: 'modem',
    from,
    to,
    what,
    run,
  })
  return [
    box('sip-audio', '3 slips', () => boxToBox(audio, three, onAudio)),
    box('sip-audio', '3 slips, no ECM', () => boxToBox({ ...audio, ecm: false }, three, { ...onAudio, ecm: false })),
    box('sip-audio', '1 slip, no V.17', () => boxToBox({ ...audio, v17: false }, one, { ...onAudio, bitRate: 9600 })),
    box('sip-audio', 'a letter', () => boxToBox(audio, full, onAudio)),
    box('sip-audio', '1 slip, caller refuses T.38', () => boxToBox({ t38: false, receiverT38: true }, one, onAudio)),
    box('sip-audio', '1 slip, callee without T.38', () => boxToBox({ t38: true, receiverT38: false }, one, onAudio)),
    box('sip-audio', '3 slips, VAD', () => overSilence(false, three)),
    box('sip-audio', '3 slips, comfort noise', () => overSilence(true, three)),
    box('sip-audio', '16 at once', () => atOnce(16, false)),
    box('t38', '16 at once', () => atOnce(16, true)),
    box('t38', '3 slips', () => boxToBox({}, three, onT38)),
    box('t38', '3 slips, no ECM', () => boxToBox({ ecm: false }, three, { ...onT38, ecm: false })),
    box('t38', '1 slip with a cover page', () => boxToBox({}, one, onT38, true)),
    box('t38', 'a letter', () => boxToBox({}, full, onT38)),
    serial('driver', 'driver', '2 pages', () => oursToOurs(true)),
    serial('driver', 'driver', '2 pages, no ECM', () => oursToOurs(false)),
    serial('driver', 'efax', '1 page', () => oursToEfax(true)),
    serial('driver', 'efax without fine', '1 page', () => oursToEfax(false)),
    serial('efax', 'driver', '1 page', () => efaxToOurs()),
    ...class2Cells(),
    ...peerCells(),
  ]
}

interface Chosen {
  readonly json: boolean
  /** Only the cells of this peer. */
  readonly peer?: string | undefined
  /** Only the cells whose document is called so. */
  readonly what?: string | undefined
  readonly 'at-once'?: string | undefined
  /** Where the log of Asterisk goes. */
  readonly out?: string | undefined
}

/** Some at a time; a cell that does not work is tried no second time. Gives the exit status. */
export async function matrix(values: Chosen): Promise<number> {
  const { peer, what } = values
  const began = Date.now()
  const asterisk = await asteriskCells(values.out)
  const own = peer === 'Asterisk' ? [] : await cells()
  const all = [...own, ...asterisk.cells].filter(
    (cell) => (peer === undefined || [cell.from, cell.to].includes(peer)) && (what === undefined || cell.what.startsWith(what)),
  )
  const outcomes = new Map<Cell, Outcome>()
  const waiting = [...all]
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const outcome = await cell.run().catch((error: unknown): Outcome => ({
        good: false,
        pages: '-',
        how: String(error instanceof Error ? error.message : error),
        seconds: 0,
      }))
      outcomes.set(cell, outcome)
    }
  }
  try {
    await Promise.all(Array.from({ length: Number(values['at-once'] ?? '4') }, work))
  } finally {
    await asterisk.close()
  }
  const left = all.filter((cell) => outcomes.get(cell)!.left !== undefined)
  const bad = all.filter((cell) => !outcomes.get(cell)!.good)
  if (values.json) {
    console.log(
      JSON.stringify(
        all.map((cell) => ({ transport: cell.transport, from: cell.from, to: cell.to, what: cell.what, ...outcomes.get(cell) })),
        null,
        2,
      ),
    )
  } else {
    const rows = all.map((cell) => {
      const { good, pages, how, seconds, left: reason } = outcomes.get(cell)!
      const judgement = reason !== undefined ? 'left out' : good ? 'good' : 'BAD'
      return [cell.transport, cell.from, cell.to, cell.what, pages, reason ?? how, `${seconds} s`, judgement]
    })
    console.log(table([['transport', 'from', 'to', 'what', 'pages dot by dot', 'agreed on', 'call', ''], ...rows]))
    const tried = all.length - left.length
    const seconds = Math.round((Date.now() - began) / 1000)
    console.log(`\n${tried - bad.length} of ${tried} good, ${left.length} left out, ${seconds} s in all`)
  }
  return bad.length === 0 ? 0 : 1
}
