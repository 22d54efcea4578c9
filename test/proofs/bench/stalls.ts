/** How long the daemon's event loop stands still while faxes of 20 MiB come in and 30 callers press keys. */
import { rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { PDFDocument } from 'pdf-lib'
import { Scene, pause } from '../../harness/scene.ts'
import type { Phone } from '../../harness/sipp.ts'
import { atMost, describe, fact, spread, type Measurement, type Row } from './measure.ts'
import { generous } from './stage.ts'
import { measured, probed, type Stalls } from './stall-measure.ts'
import type { LongStall } from './stall-probe.ts'

const callers = 30
const seconds = 20
/** Short of 20 MiB, so that it is taken. */
const pdfBytes = 20 * 1024 * 1024 - 4096
const uploadsAtOnce = 2

/** What the thread did in its longest stalls, the longest thousandth of all samples. */
function within({ longest, samples }: Stalls): string {
  const worst = longest.slice(0, Math.max(1, Math.round(samples / 1000)))
  const sum = (of: (stall: LongStall) => number): string =>
    (worst.reduce((all, stall) => all + of(stall), 0) / Math.max(1, worst.length)).toFixed(1)
  const whole = `${sum(({ ms }) => ms)} ms each, of which the thread`
  return `${whole} ran ${sum(({ ranMs }) => ranMs)} (collecting garbage ${sum(({ collectedMs }) => collectedMs)}), waited for a processor ${sum(({ waitedMs }) => waitedMs)}`
}

/** One page, and a stream that nobody draws: what a scan weighs, without what drawing it would cost. */
async function heavyPdf(): Promise<string> {
  const document = await PDFDocument.create()
  document.addPage([595, 842])
  document.context.register(document.context.stream(new Uint8Array(pdfBytes)))
  return Buffer.from(await document.save()).toString('base64')
}

/** Presses a key, waits for the event, and again; collects how long each took. */
async function pressing(scene: Scene, phones: readonly Phone[], until: () => boolean): Promise<number[]> {
  const delays: number[] = []
  const { app } = scene
  await Promise.all(
    phones.map(async (phone, at) => {
      await pause(at * 37)
      while (!until()) {
        const from = `+1555200${String(1000 + at)}`
        const before = app.received.filter(({ event }) => event.event === 'gather.completed' && event.from === from).length
        const { began } = await phone.rtp.pressTimed('1', 80)
        const { at: told } = await app.until('gather.completed', (event) => event.from === from, 5000, before + 1)
        delays.push(told - began)
        await pause(400)
      }
    }),
  )
  return delays
}

export const stalls: Measurement = {
  name: 'stalls',
  title: `Stalls of the event loop, ${callers} callers press keys, ${uploadsAtOnce} faxes of 20 MiB at once are uploaded all the time (${seconds} s)`,
  async run() {
    const { file, start } = probed()
    const scene = await Scene.open({
      ...start,
      settings: (base) => {
        base['limits'] = generous
        base['fax'] = { line: 'main', queue: 10_000 }
        base['log'] = { level: 'warn' }
      },
    })
    try {
      return await rows(scene, file)
    } finally {
      await scene.close()
      rmSync(file, { force: true })
    }
  },
}

async function rows(scene: Scene, file: string): Promise<Row[]> {
  const { app, daemon } = scene
  app.script = () => [{ gather: { numDigits: 1, timeout: 60 } }]
  const phones: Phone[] = []
  for (let at = 0; at < callers; at++) phones.push(await scene.call({ from: `+1555200${String(1000 + at)}` }))
  for (const phone of phones) await phone.rtp.until('audio', () => phone.rtp.packets.length > 5)
  const body = JSON.stringify({ to: '+15559870000', pdfBase64: await heavyPdf() })
  let over = false
  const keys = async (): Promise<number[]> => {
    over = false
    setTimeout(() => (over = true), seconds * 1000)
    return pressing(scene, phones, () => over)
  }
  let quiet: number[] = []
  const before = await measured(scene, file, async () => void (quiet = await keys()))
  const answers = new Map<number, number>()
  const upload = async (): Promise<void> => {
    while (!over) {
      const { status } = await daemon.api('POST', '/api/fax', body)
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  }
  let busy: number[] = []
  const during = await measured(scene, file, async () => {
    const pressed = keys()
    await Promise.all(Array.from({ length: uploadsAtOnce }, upload))
    busy = await pressed
  })
  const said = (stall: Stalls): string =>
    `p50 ${stall.p50.toFixed(2)}, p99 ${stall.p99.toFixed(1)}, p99.9 ${stall.p999.toFixed(1)}, max ${stall.max.toFixed(1)} ms`
  return [
    fact('stalls without uploads', said(before), `${before.samples} samples`),
    fact('stalls under uploads', said(during), `${during.samples} samples; answers ${JSON.stringify(Object.fromEntries(answers))}`),
    fact('the longest thousandth, without', within(before), 'on average'),
    fact(
      'the longest thousandth, under uploads',
      within(during),
      `${during.longest
        .slice(0, 4)
        .map(({ ms, ranMs, waitedMs }) => `${ms.toFixed(0)} (${ranMs.toFixed(0)} run, ${waitedMs.toFixed(0)} waited)`)
        .join(', ')}`,
    ),
    atMost('stall under uploads, p99.9', 20, 'ms', during.p999),
    fact('key (first packet) -> gather.completed, without', describe(spread(quiet)), 'ms; 80 ms of it is the key'),
    fact('key (first packet) -> gather.completed, under uploads', describe(spread(busy)), `load ${loadavg()[0]!.toFixed(1)}`),
  ]
}
