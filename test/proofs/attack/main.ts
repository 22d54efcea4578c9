/**
 * Plays attacks against fresh boxes on this machine and prints what was tried, what was seen and the verdict.
 *
 *   npm run attack [-- AREA...] [--jobs N]
 *
 * Without a name all areas are played, `--jobs` of them at a time (2). Ends with "N passed, N failed"; status 0 when every attack failed
 * to get anything. What cannot be played here is shown with the reason and counts as neither.
 */
import { parseArgs } from 'node:util'
import { Scene } from '../../harness/scene.ts'
import { patience } from '../../harness/waiting.ts'
import { areas } from './areas.ts'
import type { Area, Attack, Skipped, Verdict } from './attack.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { jobs: { type: 'string', default: '2' } } })
const unknown = positionals.filter((name) => !areas.some((area) => area.name === name))
const jobs = Number(values.jobs)
if (unknown.length > 0 || !(jobs >= 1)) {
  process.stderr.write(`usage: npm run attack [-- ${areas.map((area) => area.name).join('|')} ...] [--jobs N]\n`)
  process.exit(2)
}

interface Row {
  readonly area: string
  readonly attack: string
  readonly verdict: 'stood' | 'FELL' | 'skipped'
  readonly seen: string
  readonly seconds: number
}

const mostSeconds = 120 * patience

/** An attack that never ends has found something, too. */
async function limited(attack: Attack, box: Scene): Promise<Verdict | Skipped> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(() => resolve({ seen: `no end after ${mostSeconds} s`, stood: false }), mostSeconds * 1000)
  })
  try {
    return await Promise.race([attack.play(box), late])
  } catch (e) {
    const seen = e instanceof Error ? e.message.replaceAll(/\s+/g, ' ') : String(e)
    const { exit } = box.daemon
    return { seen: exit === undefined ? seen : `${seen}; the daemon ended (${JSON.stringify(exit)}): ${box.daemon.tail(5)}`, stood: false }
  } finally {
    clearTimeout(timer)
  }
}

async function play(area: Area): Promise<Row[]> {
  const rows: Row[] = []
  const box = await Scene.open({ ...area.start, settings: (settings) => area.settings?.(settings) })
  try {
    for (const attack of area.attacks) {
      const began = performance.now()
      const came = await limited(attack, box)
      const row = { area: area.name, attack: attack.name, seconds: (performance.now() - began) / 1000 }
      rows.push(
        'skipped' in came
          ? { ...row, verdict: 'skipped', seen: came.skipped }
          : { ...row, verdict: came.stood ? 'stood' : 'FELL', seen: came.seen },
      )
      show(rows.at(-1) as Row)
      await box.sweep()
      box.app.reset()
    }
  } finally {
    await box.close()
  }
  return rows
}

function show(row: Row): void {
  process.stdout.write(
    `${row.verdict.padEnd(8)} ${row.area.padEnd(11)} ${row.attack.padEnd(62)} ${row.seen}  (${row.seconds.toFixed(1)} s)\n`,
  )
}

const waiting = areas.filter((area) => positionals.length === 0 || positionals.includes(area.name))
const rows: Row[] = []
process.stdout.write(`${'verdict'.padEnd(8)} ${'area'.padEnd(11)} ${'attack'.padEnd(62)} seen\n`)
async function next(): Promise<void> {
  for (let area = waiting.shift(); area; area = waiting.shift()) {
    try {
      rows.push(...(await play(area)))
    } catch (e) {
      const row: Row = { area: area.name, attack: 'a fresh box starts', verdict: 'FELL', seen: String(e).slice(0, 300), seconds: 0 }
      rows.push(row)
      show(row)
    }
  }
}
await Promise.all(Array.from({ length: jobs }, next))
const failed = rows.filter((row) => row.verdict === 'FELL').length
process.stdout.write(`${rows.filter((row) => row.verdict === 'stood').length} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
