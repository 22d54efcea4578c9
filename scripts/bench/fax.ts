/**
 * Faxes: how long the four kinds of page are on the wire, beside the rasters of Ghostscript and poppler in the same run; what a fax
 * call takes of processor and memory; and how many go at once between two daemons on this machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderJob, wireSeconds } from '../../daemon/fax/pages/pages.ts'
import { form, letter, photo, scan } from '../../test/fax-pages/documents.ts'
import { cpuMs, residentKb } from '../../test/harness/processes.ts'
import { isOver, Pair, pause, slips, until } from '../fax/boxes.ts'
import { atLeast, atMost, fact, spread, type Measurement, type Row } from './measure.ts'
import { bytesBy, others } from './pages.ts'

const rate = 14_400
const documents = { letter, scan, form, photo }
/** Seconds that a page of its kind may take at 14,400 bit/s, without the call around it. */
const mostSeconds: Readonly<Record<keyof typeof documents, number>> = { letter: 45, scan: 45, form: 45, photo: 90 }

const onWire = (bytes: number): number => wireSeconds([bytes], rate) - wireSeconds([], rate)

async function wire(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-wire-'))
  try {
    const rows: Row[] = []
    for (const [name, make] of Object.entries(documents) as [keyof typeof documents, () => Promise<Uint8Array>][]) {
      const pdf = join(folder, `${name}.pdf`)
      writeFileSync(pdf, await make())
      const job = await renderJob({ pdf, directory: join(folder, name) })
      const seconds = onWire(job.bytesPerPage[0] ?? NaN)
      const theirs = others.map((other) => {
        const made = bytesBy(other, pdf, join(folder, `${name}-${other.name}`))
        if (made === undefined) return `${other.name} not installed`
        return `${other.name} ${onWire(made.bytes).toFixed(0)} s (${(onWire(made.bytes) / seconds).toFixed(1)} x)`
      })
      const drawing = `drawn in ${(job.millisecondsPerPage[0] ?? NaN).toFixed(0)} ms`
      const standard = `standard ${onWire(job.standardBytesPerPage[0] ?? NaN).toFixed(0)} s`
      rows.push(atMost(`a page on the wire: ${name}`, mostSeconds[name], 's', seconds, `${standard}; ${theirs.join(', ')}; ${drawing}`))
    }
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Load {
  readonly sent: number
  readonly once: number
  readonly seconds: readonly number[]
  /** Of one core, percent, by call and end, while all calls are on their pages. */
  readonly engine: number
  readonly daemon: number
  /** Growth in kB by call and end. */
  readonly engineKb: number
}

/** `calls` faxes at once, each of three slips to a number of its own. */
async function load(calls: number, t38: boolean): Promise<Load> {
  const pair = await Pair.open({ t38, compiled: false, channels: 200, calls: 100 })
  try {
    const pdfBase64 = (await slips(3, 9)).toString('base64')
    const engines = [...pair.sender.enginePids(), ...pair.receiver.enginePids()]
    const daemons = [pair.sender.pid, pair.receiver.pid]
    const resident = (): number => engines.reduce((sum, pid) => sum + residentKb(pid), 0)
    const cpu = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
    const before = resident()
    // The calls come apart while pages are drawn one after the other: the first takes longer than the last waits.
    const ids = await Promise.all(
      Array.from({ length: calls }, async (_, i) => {
        const { status, body } = await pair.sender.api('POST', '/api/fax', { to: `+1555123${String(i + 1).padStart(4, '0')}`, pdfBase64 })
        if (status !== 202) throw new Error(`POST /api/fax: ${status} ${JSON.stringify(body)}`)
        return body.faxId as string
      }),
    )
    const all = () => Promise.all(ids.map((id) => pair.show(id)))
    const some = await until(async () => {
      const faxes = await all()
      return faxes.filter((fax) => fax.status === 'sending').length >= Math.min(calls, Math.ceil(calls * 0.75)) ? faxes : undefined
    }, 'most calls at once')
    const began = { at: performance.now(), engines: cpu(engines), daemons: cpu(daemons) }
    await pause(6000)
    const busy = (await all()).filter((fax) => fax.status === 'sending').length
    const ms = performance.now() - began.at
    const share = (used: number): number =>
      (used / ms / Math.max(1, (busy + some.filter((fax) => fax.status === 'sending').length) / 2) / 2) * 100
    const [engine, daemon] = [share(cpu(engines) - began.engines), share(cpu(daemons) - began.daemons)]
    const engineKb = (resident() - before) / calls / 2
    const ended = await until(
      async () => {
        const faxes = await all()
        return faxes.every((fax) => isOver(fax) || fax.attempts > 1) ? faxes : undefined
      },
      'the end of all',
      240_000,
      1000,
    )
    return {
      sent: ended.filter((fax) => fax.status === 'sent').length,
      once: ended.filter((fax) => fax.status === 'sent' && fax.attempts === 1).length,
      seconds: ended.map((fax) => fax.durationSeconds),
      engine,
      daemon,
      engineKb,
    }
  } finally {
    await pair.close()
  }
}

export const fax: Measurement = {
  name: 'fax',
  title: 'Faxes: seconds on the wire, what a call costs, calls at once',
  async run() {
    const rows = await wire()
    for (const t38 of [false, true]) {
      for (const calls of t38 ? [16] : [4, 8, 16]) {
        const seen = await load(calls, t38)
        const way = t38 ? 'T.38' : 'G.711'
        const times = spread(seen.seconds)
        const each = `an end: engine ${seen.engine.toFixed(2)} % of a core and ${seen.engineKb.toFixed(0)} kB, daemon ${seen.daemon.toFixed(2)} %`
        rows.push(
          atLeast(
            `${calls} calls at once, ${way}: sent by the first call`,
            calls,
            '',
            seen.once,
            `calls p50 ${times.p50} max ${times.max} s; ${each}`,
          ),
        )
        if (seen.sent !== seen.once) rows.push(fact(`${calls} calls at once, ${way}: sent in the end`, String(seen.sent)))
      }
    }
    return rows
  },
}
