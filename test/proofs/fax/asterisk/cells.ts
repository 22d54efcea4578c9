/** The cells of the matrix between a daemon and Asterisk: both ways, both transports, both kinds of error correction, short and long. */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { readTiff, rowBytes, writeTiff, type Page } from '../../../fax-engine/tiff.ts'
import { letter } from '../../../fax-pages/documents.ts'
import { Daemon, endlessDay, freePort } from '../../../harness/daemon.ts'
import { drawn, isTerminal, pagesOfPdf, slips, until, type Document, type FaxView, type InboxItem } from '../boxes.ts'
import type { Cell, Outcome } from '../matrix.ts'
import { Asterisk, whyNot } from './asterisk.ts'
import type { Account } from './settings.ts'

type Way = Account['t38'] | 'refreshed'

const ways: readonly Way[] = ['redundancy', 'fec', 'none', 'refreshed']
const transports = { redundancy: 'T.38, redundancy', fec: 'T.38, FEC', none: 'G.711', refreshed: 'T.38, session timer' } as const
const numberOf = (way: Way): string => `+1555000100${ways.indexOf(way)}`

/** Most that a call of these documents takes, tries and waits included. */
const patienceMs = 400_000

type Received = InboxItem & { bitRate: number; ecm: boolean; durationSeconds: number; transport?: string }

/** One Asterisk, and a daemon for each way its faxes can go. */
class Stage {
  readonly asterisk: Asterisk
  readonly #boxes: ReadonlyMap<Way, Daemon>

  private constructor(asterisk: Asterisk, boxes: ReadonlyMap<Way, Daemon>) {
    this.asterisk = asterisk
    this.#boxes = boxes
  }

  static async open(): Promise<Stage> {
    const boxes = new Map<Way, Daemon>()
    try {
      const asterisk = await Asterisk.start(async (port) => {
        const accounts: Account[] = []
        for (const way of ways) {
          const box = await Daemon.create({
            app: 'http://127.0.0.1:9',
            trunkPort: port,
            settings: (settings) => boxSettings(settings, way),
          })
          boxes.set(way, box)
          const t38 = way === 'refreshed' ? 'redundancy' : way
          accounts.push({ number: numberOf(way), port: box.sipPort, t38, refresh: way === 'refreshed' ? 90 : 0 })
        }
        return accounts
      })
      const stage = new Stage(asterisk, boxes)
      await Promise.all([...boxes.values()].map(async (box) => (await box.start(false)).ready(60_000)))
      return stage
    } catch (error) {
      for (const box of boxes.values()) await box.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.asterisk.close()
    for (const box of this.#boxes.values()) await box.close()
  }

  /** From the box to Asterisk. The last digit of the number says whether Asterisk may correct errors. */
  async out(way: Way, document: Document, ecm: boolean, call: number): Promise<Outcome> {
    const box = this.#boxes.get(way)!
    const to = `+1555123${String(call).padStart(3, '0')}${ecm ? 1 : 0}`
    const accepted = await box.api('POST', '/api/fax', { to, pdfBase64: document.pdf.toString('base64') })
    if (accepted.status !== 202) throw new Error(`POST /api/fax: ${accepted.status} ${JSON.stringify(accepted.body)}`)
    const look = async (): Promise<FaxView | undefined> => {
      const { body } = await box.api('GET', `/api/fax/${accepted.body.faxId}`)
      return isTerminal(body) || body.attempts > 0 ? (body as FaxView) : undefined
    }
    const fax = await until(look, 'the end of the first call', patienceMs, 1000)
    if (fax.status !== 'sent') throw new Error(`${fax.status}: ${fax.message} ${fax.calls.map((one) => one.text).join('; ')}`)
    const verdict = await this.asterisk.verdict(to, 20_000)
    const got = readTiff(this.asterisk.received(to))
    const same = document.fine.filter((page, i) => holds(got[i], Buffer.from(page.data))).length
    const how = `${fax.bitRate} bit/s, ${fax.ecm ? 'ECM' : 'no ECM'}, ${fax.transport}`
    const asMeant = fax.ecm === ecm && fax.transport === (way === 'none' ? 'sip-audio' : 't38') && verdict.good
    const good = asMeant && same === document.fine.length && got.length === same
    return {
      good,
      pages: `${same} of ${document.fine.length}`,
      how: verdict.good ? how : `${how}; ${verdict.text}`,
      seconds: fax.durationSeconds,
    }
  }

  /** From Asterisk to the inbox of the box. */
  async in(way: Way, pages: readonly Page[], ecm: boolean, call: number): Promise<Outcome> {
    const box = this.#boxes.get(way)!
    const name = `job${call}`
    const to = `+1555124${String(call).padStart(4, '0')}`
    this.asterisk.document(name, (file) => {
      writeTiff(`${file}.plain`, pages)
      execFileSync('tiffcp', ['-c', 'g4', '-r', '100000', `${file}.plain`, file])
      rmSync(`${file}.plain`)
    })
    this.asterisk.send(name, numberOf(way), to, ecm, way === 'none' ? 'F' : 'f')
    const verdict = await this.asterisk.verdict(name, patienceMs)
    const item = await until(
      async () => {
        const { body } = await box.api('GET', '/api/inbox/faxes?since=0')
        return (body.items as Received[]).find((one) => one.to === to)
      },
      `the item of the inbox; Asterisk says ${verdict.text}`,
      15_000,
    )
    const pdf = await fetch(box.http + item.mediaUrl, { headers: { authorization: `Bearer ${box.token}` } })
    const got = pagesOfPdf(Buffer.from(await pdf.arrayBuffer()))
    const same = pages.filter((page, i) => got[i] && holds(Buffer.from(got[i].data), page)).length
    const how = `${item.bitRate} bit/s, ${item.ecm ? 'ECM' : 'no ECM'}`
    const good = verdict.good && item.complete && item.ecm === ecm && same === pages.length && got.length === same
    return { good, pages: `${same} of ${pages.length}`, how: verdict.good ? how : `${how}; ${verdict.text}`, seconds: item.durationSeconds }
  }
}

function boxSettings(settings: Record<string, any>, way: Way): void {
  settings['site'].number = numberOf(way)
  Object.assign(settings['trunks'][0], { t38: way !== 'none', numbers: [numberOf(way)], channels: 100, srtp: 'off' })
  settings['inbound'] = [{ trunk: 'main', to: '*', destination: 'fax' }]
  settings['fax'] = { calls: 100, freeMegabytes: 50, stationId: numberOf(way) }
  settings['limits'] = { requestsPerSecond: 100_000, burst: 100_000, perDay: endlessDay }
}

/** Whether these are the rows of `sent`, with nothing more than a header line around them. */
const holds = (got: Page | undefined, sent: Page): boolean =>
  got !== undefined && got.length <= sent.length + 64 * rowBytes && got.includes(sent)

/** The cells, and what ends the programs that they started and writes down Asterisk's log. */
export async function asteriskCells(logFile?: string): Promise<{ cells: Cell[]; close(): Promise<void> }> {
  let opened: Promise<Stage> | null = null
  const stage = (): Promise<Stage> => (opened ??= Stage.open())
  let calls = 0
  const cell = (way: Way, from: string, to: string, what: string, play: (stage: Stage, call: number) => Promise<Outcome>): Cell => {
    const call = ++calls
    const run = async (): Promise<Outcome> => {
      const reason = whyNot()
      return reason === false ? play(await stage(), call) : { good: true, left: reason, pages: '-', how: '', seconds: 0 }
    }
    return { transport: transports[way], from, to, what, run }
  }
  const documents = [
    { what: '1 slip', document: await drawn(await slips(1, 61)) },
    { what: '5 letters', document: await drawn(await letter(5)) },
    { what: '30 slips', document: await drawn(await slips(30, 62)) },
  ]
  const cells = documents.flatMap(({ what, document }) =>
    ways.flatMap((way) =>
      [true, false]
        // A timer is refreshed half a minute and more after the answer.
        .filter((ecm) => way !== 'refreshed' || (ecm && document.fine.length > 1))
        .flatMap((ecm) => {
          const name = `${what}${ecm ? '' : ', no ECM'}`
          const pages = document.fine.map((page) => Buffer.from(page.data))
          return [
            cell(way, 'box', 'Asterisk', name, (on, call) => on.out(way, document, ecm, call)),
            cell(way, 'Asterisk', 'box', name, (on, call) => on.in(way, pages, ecm, call)),
          ]
        }),
    ),
  )
  const close = async (): Promise<void> => {
    const open = await opened?.catch(() => null)
    if (logFile !== undefined && open) writeFileSync(logFile, open.asterisk.log())
    await open?.close()
  }
  return { cells, close }
}
