/**
 * Faxes: how long the four kinds of page are on the wire, compared with the rasters of Ghostscript and poppler in the same run; what a fax
 * call takes of processor and memory, by transport, compared with the same T.30 session in virtual time with nothing around it; and how
 * many go at once between two daemons on this machine. Takes three minutes.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderJob, wireSeconds } from '../../../daemon/fax/pages/pages.ts'
import { form, letter, photo, scan } from '../../fax-pages/documents.ts'
import { cpuMs, residentKb } from '../../harness/processes.ts'
import { build as buildModems } from '../../modem/rig.ts'
import { isTerminal, lineNumber, Pair, slips, until, type FaxView } from '../fax/boxes.ts'
import { build as buildStudy, studyProgram } from '../fax/study.ts'
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

type Transport = 'G.711' | 'T.38' | 'serial'

interface Load {
  readonly once: number
  readonly seconds: readonly number[]
  /** Most calls that were on a line at the same moment. */
  readonly atOnce: number
  /** Of one core, percent, by second and end of a call: what carries the fax, and the daemon. */
  readonly carrier: number
  readonly daemon: number
  /** Resident kB by end: the engine's growth at its most over the calls then, or pbx-fax itself. */
  readonly kb: number
}

/** A call of three slips takes half a minute; a machine that is too small for so many is reported after this. */
const mostCallsMs = 75_000

/** Processor time and memory of processes that come and go, as they were last seen. */
class Usage {
  readonly #ms = new Map<number, number>()
  mostKb = 0

  look(pids: readonly number[]): void {
    for (const pid of pids) {
      const ms = cpuMs(pid)
      if (ms > 0) this.#ms.set(pid, ms)
    }
    this.mostKb = Math.max(this.mostKb, ...pids.map(residentKb))
  }

  get ms(): number {
    return [...this.#ms.values()].reduce((sum, ms) => sum + ms, 0)
  }
}

/** `calls` faxes at once, each of three slips, to a number of its own where the transport has more than one. */
async function load(calls: number, transport: Transport): Promise<Load> {
  const serial = transport === 'serial'
  const pair = await (serial ? Pair.overModems(1) : Pair.open({ t38: transport === 'T.38', channels: 200, calls: 100 }))
  try {
    const pdfBase64 = (await slips(3, 9)).toString('base64')
    const boxes = [pair.sender, pair.receiver]
    const engines = boxes.flatMap((box) => box.enginePids())
    const daemons = boxes.map((box) => box.pid)
    const sum = (pids: readonly number[], of: (pid: number) => number): number => pids.reduce((total, pid) => total + of(pid), 0)
    const before = { daemons: sum(daemons, cpuMs), engines: sum(engines, cpuMs), kb: sum(engines, residentKb) }
    const ids = await Promise.all(
      Array.from({ length: calls }, async (_, i) => {
        const to = serial ? lineNumber : `+1555123${String(i + 1).padStart(4, '0')}`
        const { status, body } = await pair.sender.api('POST', '/api/fax', { to, pdfBase64 })
        if (status !== 202) throw new Error(`POST /api/fax: ${status} ${JSON.stringify(body)}`)
        return body.faxId as string
      }),
    )
    const programs = new Usage()
    let atOnce = 0
    let kb = 0
    const over = (fax: FaxView): boolean => isTerminal(fax) || fax.attempts > 1 || fax.status === 'retrying'
    let last: FaxView[] = []
    await until(
      async () => {
        programs.look(boxes.flatMap((box) => Pair.faxProgramsOf(box)))
        last = await Promise.all(ids.map((id) => pair.show(id)))
        const busy = last.filter((fax) => fax.status === 'sending').length
        if (busy > 0 && busy >= atOnce) kb = Math.max(busy > atOnce ? 0 : kb, (sum(engines, residentKb) - before.kb) / busy / 2)
        atOnce = Math.max(atOnce, busy)
        return last.every(over) ? last : undefined
      },
      `the end of ${calls} faxes`,
      mostCallsMs,
    ).catch(() => undefined) // those that are not through by now are not counted as sent
    const seconds = last.map((fax) => fax.durationSeconds)
    const lineMs = seconds.reduce((total, one) => total + one, 0) * 1000 * 2
    const carrierMs = serial ? programs.ms : sum(engines, cpuMs) - before.engines
    return {
      once: last.filter((fax) => fax.status === 'sent' && fax.attempts === 1).length,
      seconds,
      atOnce,
      carrier: (carrierMs / lineMs) * 100,
      daemon: ((sum(daemons, cpuMs) - before.daemons) / lineMs) * 100,
      kb: serial ? programs.mostKb : kb,
    }
  } finally {
    await pair.close()
  }
}

/** Percent of a core by second and end of a call: two sessions and the line between them, in virtual time. */
function bare(t38: boolean): number {
  const words = ['--pages', 'blank,blank,blank', '--calls', '10', ...(t38 ? ['--t38'] : [])]
  const lines = execFileSync('sh', ['-c', '"$0" "$@"; times', studyProgram, ...words], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const seconds = lines
    .filter((line) => line.startsWith('{'))
    .reduce((sum, line) => sum + (JSON.parse(line) as { seconds: number }).seconds, 0)
  // The last line: user and system time of the children, such as 0m1.230s 0m0.020s.
  const used = [...(lines.at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
  return (used / seconds / 2) * 100
}

/** Percent of a core that an end of a call may take. */
const mostCarrier: Readonly<Record<Transport, number>> = { 'G.711': 0.8, 'T.38': 0.5, serial: 2 }
/** So many go at once on two cores, and each is sent by its first call. */
const together: Readonly<Record<Transport, number>> = { 'G.711': 16, 'T.38': 16, serial: 1 }

async function transportRows(transport: Transport): Promise<Row[]> {
  const calls = together[transport]
  const seen = await load(calls, transport)
  const times = spread(seen.seconds)
  const carrier = transport === 'serial' ? 'pbx-fax' : 'engine'
  const alone = transport === 'serial' ? null : bare(transport === 'T.38')
  const beside = alone === null ? '' : `${(seen.carrier / alone).toFixed(1)} x the bare session (${alone.toFixed(3)} %); `
  return [
    atLeast(
      `${transport}, ${calls} at once: sent by the first call`,
      calls,
      '',
      seen.once,
      `${seen.atOnce} on a line at the same moment, calls p50 ${times.p50} max ${times.max} s`,
    ),
    atMost(
      `${transport}: processor of an end, ${carrier}`,
      mostCarrier[transport],
      '% of a core',
      seen.carrier,
      `${beside}the daemon takes ${seen.daemon.toFixed(2)} %, with the drawing of the pages`,
    ),
    fact(`${transport}: memory of an end, ${carrier}`, `${seen.kb.toFixed(0)} kB`),
  ]
}

export const fax: Measurement = {
  name: 'fax',
  title: 'Faxes: seconds on the wire, what a call costs, calls at once',
  async run() {
    await buildStudy()
    await buildModems()
    const rows = await wire()
    for (const transport of ['G.711', 'T.38', 'serial'] as const) rows.push(...(await transportRows(transport)))
    return rows
  },
}
