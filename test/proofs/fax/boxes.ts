/** Pairs of daemons that fax each other, pages to send, and the pages of a received PDF as pixels. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { renderJob } from '../../../daemon/fax/pages/pages.ts'
import { decodeT6 } from '../../../daemon/fax/pages/t6-decode.ts'
import { Daemon, endlessDay } from '../../harness/daemon.ts'
import { childrenOf, commandOf } from '../../harness/processes.ts'
import type { SilentRelay } from '../../fax-engine/silent-relay.ts'
import { readFax } from '../../fax-pages/fax-file.ts'
import { Rig } from '../../modem/rig.ts'
import { Client } from '../../../scripts/cli/client.ts'

/** Rows that the header line adds on top of a page, at fine and at standard resolution. */
export const headerRows = { fine: 32, standard: 16 } as const

export interface Document {
  readonly pdf: Buffer
  readonly fine: readonly Bitmap[]
  readonly standard: readonly Bitmap[]
  /** Documents whose pages may lie in the same inbox, with or without this one. */
  siblings: readonly Document[]
}

/** Half a line of text on a slip of paper, `rows` high: short on the wire, and no page like another. */
export async function slips(pages: number, seed: number, rows = 300): Promise<Buffer> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const height = (rows / 196) * 72
  for (let page = 1; page <= pages; page++) {
    const sheet = document.addPage([400, height])
    sheet.drawText(`Slip ${seed}, page ${page}`, { x: 20, y: height - 30, size: 16, font })
    for (let box = 0; box < 12; box++) {
      if (((seed * 31 + page) >> (box % 8)) & 1) sheet.drawRectangle({ x: 20 + box * 28, y: 12, width: 20, height: 24 })
    }
  }
  return Buffer.from(await document.save())
}

/** The pages as they are drawn for sending. */
export async function drawn(pdf: Uint8Array): Promise<Document> {
  const directory = mkdtempSync(join(tmpdir(), 'pbxd-drawn-'))
  try {
    const file = join(directory, 'document.pdf')
    writeFileSync(file, pdf)
    const job = await renderJob({ pdf: file, directory })
    const of = (tiff: string): Bitmap[] => readFax(tiff).map((page) => page.bitmap)
    return { pdf: Buffer.from(pdf), fine: of(job.fine), standard: of(job.standard), siblings: [] }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Pages of a PDF of the inbox: each is one Group 4 image. */
export function pagesOfPdf(pdf: Buffer): Bitmap[] {
  const pages: Bitmap[] = []
  const image = /\/Width (\d+) \/Height (\d+) .*?\/DecodeParms << \/K (-?\d+).*?>> \/Length (\d+) >>\nstream\n/g
  const text = pdf.toString('latin1')
  for (let found = image.exec(text); found !== null; found = image.exec(text)) {
    const [width, rows, coding, length] = found.slice(1).map(Number) as [number, number, number, number]
    if (coding !== -1) throw new Error('an image that is not of Group 4')
    const start = found.index + found[0].length
    const { bitmap, decoded } = decodeT6(pdf.subarray(start, start + length), width, rows)
    if (decoded !== rows) throw new Error(`only ${decoded} rows of ${rows} could be decoded`)
    pages.push(bitmap)
    image.lastIndex = start + length
  }
  return pages
}

/** Whether `received` is `sent` below the header line. */
export function isSame(received: Bitmap, sent: Bitmap, header: number = headerRows.fine): boolean {
  if (received.width !== sent.width || received.rows !== sent.rows + header) return false
  const below = received.data.subarray(header * received.stride, (header + sent.rows) * received.stride)
  return Buffer.from(below).equals(Buffer.from(sent.data))
}

export interface InboxItem {
  readonly id: string
  readonly to: string
  readonly from: string
  readonly pages: number
  readonly complete: boolean
  readonly mediaUrl: string
  readonly resolution: 'fine' | 'standard'
}

export interface FaxView {
  readonly faxId: string
  readonly status: string
  readonly to: string
  readonly pages: number
  readonly pagesSent: number
  readonly attempts: number
  readonly nextAttemptAt: string | null
  readonly transport: string | null
  readonly bitRate: number
  readonly ecm: boolean
  readonly resolution: string
  readonly reason: string | null
  readonly message: string
  readonly t30Code: number | null
  readonly durationSeconds: number
  readonly possibleDuplicatePages: readonly number[]
  readonly progress: { readonly phase: string; readonly page: number } | null
  readonly calls: readonly { readonly callId: string; readonly outcome: string; readonly text: string; readonly transport: string | null }[]
}

export interface PairOptions {
  readonly t38?: boolean
  /** Where it differs from the sender's. */
  readonly receiverT38?: boolean
  readonly ecm?: boolean
  readonly v17?: boolean
  /** Runs the compiled program. */
  readonly compiled?: boolean
  readonly channels?: number
  readonly calls?: number
  /** Stands between the two. */
  readonly relay?: SilentRelay
}

/** The number at the far end of a serial line. */
export const lineNumber = '+15551230001'

/** Each pair takes ports of its own. */
let pairs = Math.floor(Math.random() * 40)

/** A daemon that sends and one that receives, each the other's trunk. */
export class Pair {
  readonly sender: Daemon
  readonly receiver: Daemon
  readonly #seen = new Map<string, Bitmap[]>()
  /** Soft modems and the telephone line between them, where the two have no trunk. */
  readonly #rig: Rig | null

  private constructor(sender: Daemon, receiver: Daemon, rig: Rig | null = null) {
    this.sender = sender
    this.receiver = receiver
    this.#rig = rig
  }

  /** Each with a serial line instead; the line is `speed` times as fast as time. */
  static async overModems(speed: number): Promise<Pair> {
    const rig = await new Rig(speed, ['15550001000:CLINIC', `${lineNumber.slice(1)}:OFFICE`]).open()
    const box = (index: number, number: string): Promise<Daemon> =>
      Daemon.create({
        app: 'http://127.0.0.1:9',
        trunkPort: 9,
        env: { PBXD_MODEM_SPEED: String(speed) },
        settings: (settings: Record<string, any>) => {
          settings['trunks'] = []
          settings['inbound'] = []
          settings['lines'] = [{ id: 'line1', device: rig.device(index), number }]
          settings['fax'] = { line: 'line1', freeMegabytes: 50 }
          settings['limits'] = { requestsPerSecond: 100_000, burst: 100_000, perDay: endlessDay }
        },
      })
    const pair = new Pair(await box(0, '+15550001000'), await box(1, lineNumber), rig)
    try {
      await Promise.all([pair.sender, pair.receiver].map(async (daemon) => (await daemon.start(false)).ready(60_000)))
    } catch (error) {
      await pair.close()
      throw error
    }
    return pair
  }

  /** Processes of the daemon that run a fax call on a serial line. */
  static faxProgramsOf(daemon: Daemon): number[] {
    return childrenOf(daemon.pid).filter((pid) => commandOf(pid).split('\0')[0]?.endsWith('/pbx-fax') === true)
  }

  static async open(options: PairOptions = {}): Promise<Pair> {
    const { relay } = options
    const { t38 = true, receiverT38 = t38, ecm = true, v17 = true, compiled = false, channels = 30, calls = 16 } = options
    const ports = 10_000 + (pairs++ % 50) * 400
    const box = (rtp: number, mayT38: boolean, fax: Record<string, unknown>): Promise<Daemon> =>
      Daemon.create({
        app: 'http://127.0.0.1:9',
        trunkPort: 9,
        compiled,
        settings: (settings: Record<string, any>) => {
          settings['sip'].rtpPorts = `${rtp}-${rtp + 198}`
          Object.assign(settings['trunks'][0], { t38: mayT38, channels, numbers: ['+15550001000'] })
          settings['inbound'] = [{ trunk: 'main', to: '*', destination: 'fax' }]
          settings['fax'] = { ecm, v17, calls, freeMegabytes: 50, ...fax }
          settings['limits'] = { requestsPerSecond: 100_000, burst: 100_000, perDay: endlessDay }
        },
      })
    const sender = await box(ports, t38, { stationId: '+1 555 000 1000' })
    const receiver = await box(ports + 200, receiverT38, { stationId: '+1 555 123 0001' })
    const trunkTo = (daemon: Daemon, port: number): void =>
      writeFileSync(
        daemon.configFile,
        readFileSync(daemon.configFile, 'utf8').replace('server: 127.0.0.1:9\n', `server: 127.0.0.1:${port}\n`),
      )
    relay?.between(sender.sipPort, receiver.sipPort)
    const [toReceiver, toSender] = relay?.ports ?? [receiver.sipPort, sender.sipPort]
    trunkTo(sender, toReceiver)
    trunkTo(receiver, toSender)
    const pair = new Pair(sender, receiver)
    try {
      await Promise.all([sender, receiver].map(async (box) => (await box.start(false)).ready(60_000)))
    } catch (error) {
      await pair.close()
      throw error
    }
    return pair
  }

  async close(): Promise<void> {
    await Promise.all([this.sender.close(), this.receiver.close()])
    await this.#rig?.close()
  }

  async show(faxId: string): Promise<FaxView> {
    const { status, body } = await this.sender.api('GET', `/api/fax/${faxId}`)
    if (status !== 200) throw new Error(`GET /api/fax/${faxId}: ${status} ${JSON.stringify(body)}`)
    return body as FaxView
  }

  /** What `pbx fax retry` asks: a fax that waits for its next try is due now. */
  async hurry(faxId: string): Promise<void> {
    await new Client(join(this.sender.dir, 'run', 'pbxd.sock')).post(`/faxes/${faxId}/retry`)
  }

  /** What came for one number, oldest first. */
  async received(to: string): Promise<InboxItem[]> {
    const items: InboxItem[] = []
    for (let since = '0'; ;) {
      const { body } = await this.receiver.api('GET', `/api/inbox/faxes?since=${encodeURIComponent(since)}`)
      items.push(...(body.items as InboxItem[]))
      if (body.items.length === 0 || String(body.nextSince) === since)
        return items.filter((item) => item.to === (this.#rig === null ? to : lineNumber))
      since = String(body.nextSince)
    }
  }

  async pagesOf(item: InboxItem): Promise<readonly Bitmap[]> {
    const seen = this.#seen.get(item.id)
    if (seen !== undefined) return seen
    const answer = await fetch(this.receiver.http + item.mediaUrl, { headers: { authorization: `Bearer ${this.receiver.token}` } })
    if (answer.status !== 200) throw new Error(`${item.mediaUrl}: ${answer.status}`)
    const pages = pagesOfPdf(Buffer.from(await answer.arrayBuffer()))
    this.#seen.set(item.id, pages)
    return pages
  }
}

export const isTerminal = ({ status }: { status: string }): boolean => ['sent', 'failed', 'canceled'].includes(status)

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks until there is an answer. */
export async function until<T>(look: () => Promise<T | undefined>, what: string, ms = 120_000, everyMs = 250): Promise<T> {
  for (const deadline = Date.now() + ms; Date.now() < deadline;) {
    const found = await look()
    if (found !== undefined) return found
    await pause(everyMs)
  }
  throw new Error(`${what} never came`)
}

/** An application that takes callbacks, by what they are about. */
export class CallbackDesk {
  readonly url: string
  /** Bodies by faxId, in the order of arrival, repeated deliveries too. */
  readonly events = new Map<
    string,
    { readonly event: string; readonly eventId: string; readonly possibleDuplicatePages: readonly number[] }[]
  >()
  /** Called before the answer; the answer waits for it. */
  readonly hold = new Map<string, () => Promise<void>>()
  readonly #close: () => void

  private constructor(url: string, close: () => void) {
    this.url = url
    this.#close = close
  }

  static async open(): Promise<CallbackDesk> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { faxId: string } & Parameters<typeof desk.take>[0]
        void desk.take(body).then(() => response.end())
      })
      request.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const desk = new CallbackDesk(`http://127.0.0.1:${(server.address() as AddressInfo).port}/fax`, () => {
      server.closeAllConnections()
      server.close()
    })
    return desk
  }

  async take(body: { faxId: string; event: string; eventId: string; possibleDuplicatePages: readonly number[] }): Promise<void> {
    const events = this.events.get(body.faxId) ?? []
    this.events.set(body.faxId, events)
    events.push(body)
    const hold = this.hold.get(body.faxId)
    this.hold.delete(body.faxId)
    await hold?.()
  }

  close(): void {
    this.#close()
  }
}
