/** One fax each between a whole daemon with a modem as its line and a fax program that is not ours; pages compared dot by dot. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Bitmap } from '../../daemon/fax/pages/bitmap.ts'
import { drawn, isTerminal, pagesOfPdf, slips, until, type Document, type FaxView, type InboxItem } from '../proofs/fax/boxes.ts'
import { makePage, readTiff, rowBytes, writeTiff, type Page } from '../fax-engine/tiff.ts'
import { Daemon } from '../harness/daemon.ts'
import { class2sim, efax, Rig } from '../modem/rig.ts'
import { Peer } from './packages.ts'

/** What became of one fax: how many pages went, how many of them are the same dot by dot, and what was agreed on. */
export interface Exchange {
  readonly pages: number
  readonly same: number
  readonly bitRate: number
  readonly ecm: boolean
  readonly resolution: string
  /** Of the telephone line. */
  readonly seconds: number
}

const own = '15550001999'
const other = '15551230001'

/** A daemon with the first modem of a rig as its line. */
class Box {
  readonly #daemon: Daemon

  private constructor(daemon: Daemon) {
    this.#daemon = daemon
  }

  static async open(device: string, speed: number): Promise<Box> {
    const daemon = await Daemon.create({
      app: 'http://127.0.0.1:9',
      trunkPort: 9,
      env: { PBXD_MODEM_SPEED: String(speed) },
      settings: (settings) => {
        settings['trunks'] = []
        settings['inbound'] = []
        settings['lines'] = [{ id: 'line1', device, number: `+${own}` }]
        settings['fax'] = { header: 'Riverside Clinic', line: 'line1', freeMegabytes: 50 }
      },
    })
    const box = new Box(daemon)
    try {
      await daemon.start()
      await box.ready()
    } catch (error) {
      await daemon.close()
      throw error
    }
    return box
  }

  /** Its modem is free. */
  async ready(): Promise<void> {
    await until(async () => {
      const [modem] = JSON.parse((await this.#daemon.pbx('modem', 'list', '--json')).out || '[]') as { state: string }[]
      return modem?.state === 'ready' ? true : undefined
    }, 'a modem that is ready')
  }

  async send(document: Document): Promise<FaxView> {
    const body = { to: `+${other}`, pdfBase64: document.pdf.toString('base64') }
    const accepted = await this.#daemon.api('POST', '/api/fax', body)
    if (accepted.status !== 202) throw new Error(`POST /api/fax: ${accepted.status} ${JSON.stringify(accepted.body)}`)
    const fax = await until(async () => {
      const { body: view } = await this.#daemon.api('GET', `/api/fax/${accepted.body.faxId}`)
      return isTerminal(view) || view.attempts > 0 ? (view as FaxView) : undefined
    }, 'the end of the fax')
    if (fax.status !== 'sent') throw new Error(`${fax.status}: ${fax.message} ${JSON.stringify(fax.calls)}`)
    return fax
  }

  /** The next item of the inbox that is not among those `before`. */
  async received(
    before: number,
  ): Promise<{ item: InboxItem & { bitRate: number; ecm: boolean; durationSeconds: number }; pages: Bitmap[] }> {
    const item = await until(async () => (await this.items())[before], 'the item of the inbox')
    const pdf = await fetch(this.#daemon.http + item.mediaUrl, { headers: { authorization: `Bearer ${this.#daemon.token}` } })
    return { item, pages: pagesOfPdf(Buffer.from(await pdf.arrayBuffer())) }
  }

  async items(): Promise<(InboxItem & { bitRate: number; ecm: boolean; durationSeconds: number })[]> {
    return (await this.#daemon.api('GET', '/api/inbox/faxes?since=0')).body.items
  }

  close(): Promise<void> {
    return this.#daemon.close()
  }
}

const rowsOf = (bitmap: Bitmap): Page => Buffer.from(bitmap.data)

/** Whether `got` holds the rows of `sent` but for `top` and `bottom` of them, with at most 64 rows more: header lines. */
function hasRows(got: Page | undefined, sent: Page, top = 0, bottom = 0): boolean {
  if (got === undefined || got.length > sent.length + 64 * rowBytes) return false
  return got.includes(sent.subarray(top * rowBytes, sent.length - bottom * rowBytes))
}

const sentExchange = (fax: FaxView, document: Document, got: readonly Page[], bottom: number): Exchange => ({
  pages: document.fine.length,
  same: document.fine.filter((page, i) => hasRows(got[i], rowsOf(page), 0, bottom)).length,
  bitRate: fax.bitRate,
  ecm: fax.ecm,
  resolution: fax.resolution,
  seconds: fax.durationSeconds,
})

async function receivedExchange(box: Box, before: number, sent: readonly Page[], top: number, bottom: number): Promise<Exchange> {
  const { item, pages } = await box.received(before)
  const same = sent.filter((page, i) => pages[i] !== undefined && hasRows(rowsOf(pages[i]), page, top, bottom)).length
  const { bitRate, ecm, resolution, durationSeconds } = item
  return {
    pages: sent.length,
    same: item.complete && pages.length === sent.length ? same : 0,
    bitRate,
    ecm,
    resolution,
    seconds: durationSeconds,
  }
}

export interface BothWays {
  readonly out: Exchange
  readonly in: Exchange
}

const lines = [`${own}:CLINIC`, `${other}:STRANGER`] as const

/** HylaFAX on the other soft modem: two pages there, two back. It says what it heard to `log`. */
export async function withHylafax(speed = 4): Promise<BothWays & { log: string }> {
  const rig = await new Rig(speed, lines).open()
  const closing: { close(): Promise<void> }[] = [rig]
  try {
    const document = await drawn(await slips(2, 41))
    const out = rig.file('hylafax')
    const peer = await Peer.start('hylafax', 'hylafax.sh', [rig.device(1), other, out])
    closing.push(peer)
    const [box] = await Promise.all([Box.open(rig.device(0), speed), peer.says(/^ready/)])
    closing.push(box)
    const fax = await box.send(document)
    const file = `${out}/received.tif`
    await until(async () => existsSync(file) || undefined, 'the file of HylaFAX')
    const sent = sentExchange(fax, document, readTiff(file), 0)

    const pages = [makePage(240, 11), makePage(150, 12)]
    writeTiff(rig.file('back.tif'), pages)
    await box.ready()
    peer.order(`send ${own} ${rig.file('back.tif')}`)
    const received = await receivedExchange(box, 0, pages, 0, 0)
    const end = await peer.says(/^(sent|failed)/)
    if (!end.startsWith('sent')) throw new Error(`HylaFAX: ${end}`)
    return { out: sent, in: received, log: readFileSync(`${out}/log`, 'latin1') }
  } finally {
    for (const each of closing.toReversed()) await each.close()
  }
}

/** Two modems of iaxmodem in place of ours, efax on the other. In real time. */
export async function withIaxmodem(): Promise<BothWays> {
  const rig = new Rig(1, lines)
  const closing: { close(): Promise<void> }[] = [rig]
  try {
    const document = await drawn(await slips(1, 42))
    const modems = await Peer.start('iaxmodem', 'iaxmodem.sh', [rig.device(0), rig.device(1)])
    closing.push(modems)
    await modems.says(/^ready/)
    const box = await Box.open(rig.device(0), 1)
    closing.push(box)
    const waiting = efax(['-d', rig.device(1), '-o1', '-w', '-jS0=1', '-l', '+1 555 200', '-r', rig.file('got')])
    await new Promise((done) => setTimeout(done, 1500)) // efax says nothing when it begins to wait
    const fax = await box.send(document)
    const { code, said } = await waiting
    if (code !== 0) throw new Error(`efax ended with ${code}: ${said.slice(-300)}`)
    const out = sentExchange(fax, document, readTiff(rig.file('got.001')), 1)

    const page = makePage(250, 13)
    writeTiff(rig.file('plain.tif'), [page])
    execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', rig.file('plain.tif'), rig.file('back.tif')])
    await box.ready()
    await new Promise((done) => setTimeout(done, 6000)) // after a call iaxmodem is busy for 5 s
    const calling = efax(['-d', rig.device(1), '-o1', '-l', '+1 555 200', '-t', `T${own}`, rig.file('back.tif')])
    const result = await calling
    if (result.code !== 0) throw new Error(`efax ended with ${result.code}: ${result.said.slice(-300)}`)
    return { out, in: await receivedExchange(box, 0, [page], 4, 1) }
  } finally {
    for (const each of closing.toReversed()) await each.close()
  }
}

/** mgetty on the other modem of class 2, then its sendfax; the line of the daemon is of class 2 as well. */
export async function withMgetty(speed = 4, classes = '0/2'): Promise<BothWays> {
  const knobs = lines.map((line) => `${line}:classes=${classes}`) as [string, string]
  const rig = await new Rig(speed, knobs, class2sim).open()
  const closing: { close(): Promise<void> }[] = [rig]
  try {
    const document = await drawn(await slips(2, 43))
    const peer = await Peer.start('mgetty', 'mgetty.sh', [rig.device(1), other, rig.file('mgetty')])
    closing.push(peer)
    const [box] = await Promise.all([Box.open(rig.device(0), speed), peer.says(/^ready/)])
    closing.push(box)
    const fax = await box.send(document)
    const got: Page[] = []
    for (let line = ''; (line = await peer.says(/^(received|over)/)) !== 'over';) got.push(readPbm(line.replace('received ', '')))
    const out = sentExchange(fax, document, got, 0)

    const page = makePage(250, 14)
    writePbm(rig.file('back.pbm'), page)
    await box.ready()
    peer.order(`send ${own} ${rig.file('back.pbm')}`)
    const received = await receivedExchange(box, 0, [page], 0, 0)
    const end = await peer.says(/^(sent|failed)/)
    if (end !== 'sent') throw new Error(`sendfax: ${end}`)
    return { out, in: received }
  } finally {
    for (const each of closing.toReversed()) await each.close()
  }
}

function writePbm(file: string, page: Page): void {
  writeFileSync(file, Buffer.concat([Buffer.from(`P4\n${rowBytes * 8} ${page.length / rowBytes}\n`), page]))
}

function readPbm(file: string): Page {
  const bytes = readFileSync(file)
  const header = /^P4\s(?:#.*\s)?(\d+)\s(\d+)\s/.exec(bytes.toString('latin1', 0, 100))
  if (header === null || Number(header[1]) !== rowBytes * 8) throw new Error(`${file} is no bitmap of a fax`)
  return bytes.subarray(header[0].length)
}
