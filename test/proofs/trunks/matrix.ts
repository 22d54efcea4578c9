/** Runs the cells, some at a time, and prints the table feature x peer with what was seen in every call. */
import { writeFileSync } from 'node:fs'
import { features, peers, Skipped, type Cell, type Feature, type Peer } from './cell.ts'
import { asteriskCells } from './peers/asterisk-cells.ts'
import { baresipCells } from './peers/baresip.ts'
import { kamailioCells } from './peers/kamailio-cells.ts'
import { sippCalls } from './peers/sipp-calls.ts'
import { sippSetup } from './peers/sipp-setup.ts'

export interface Chosen {
  /** Feature or peer, or `feature/peer`; several with commas. */
  readonly only?: string | undefined
  readonly 'at-once'?: string | undefined
  readonly json?: boolean | undefined
  readonly out?: string | undefined
  /** Where the log of Asterisk goes. */
  readonly log?: string | undefined
}

interface Outcome {
  readonly verdict: 'good' | 'BAD' | 'left out'
  readonly seen: string
  readonly seconds: number
}

/** A cell that takes longer has lost its way. */
const mostMs = 180_000
/** They wait for a timer of a minute and more: begun first, the others go on meanwhile. */
const slow: readonly Feature[] = ['timer-refreshed', 'timer-out', 'causes']

async function within(cell: Cell): Promise<string> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(new Error(`not over after ${mostMs / 1000} s`)), mostMs)
  try {
    return await Promise.race([cell.run(), timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}

async function outcomeOf(cell: Cell): Promise<Outcome> {
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  try {
    return { verdict: 'good', seen: await within(cell), seconds: seconds() }
  } catch (error) {
    const seen = (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 4).join(' | ').slice(0, 600)
    return { verdict: error instanceof Skipped ? 'left out' : 'BAD', seen, seconds: seconds() }
  }
}

const picked = (only: string | undefined) => (cell: Cell) =>
  only === undefined ||
  only
    .split(',')
    .some((word) => [cell.feature, cell.peer.toLowerCase(), `${cell.feature}/${cell.peer.toLowerCase()}`].includes(word.toLowerCase()))

/** Markdown: the table, and below it a line for each cell. */
export function report(outcomes: ReadonlyMap<Cell, Outcome>): string {
  const find = (feature: Feature, peer: Peer) => [...outcomes].find(([cell]) => cell.feature === feature && cell.peer === peer)
  const known = (Object.keys(features) as Feature[]).filter((feature) => peers.some((peer) => find(feature, peer) !== undefined))
  const rows = known.map((feature) => {
    const marks = peers.map((peer) => find(feature, peer)?.[1].verdict ?? '-')
    return `| ${features[feature]} | ${marks.map((mark) => (mark === 'BAD' ? '**BAD**' : mark)).join(' | ')} |`
  })
  const lines = known.flatMap((feature) =>
    peers.flatMap((peer) => {
      const [, outcome] = find(feature, peer) ?? []
      return outcome === undefined
        ? []
        : [`| ${features[feature]} | ${peer} | ${outcome.verdict} | ${outcome.seconds} s | ${outcome.seen.replaceAll('|', '/')} |`]
    }),
  )
  return [
    `| | ${peers.join(' | ')} |`,
    `|---|${peers.map(() => '---|').join('')}`,
    ...rows,
    '',
    '| feature | peer | | took | seen |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

export async function matrix(values: Chosen): Promise<number> {
  const began = Date.now()
  const asterisk = asteriskCells(values.log)
  const all = [...sippSetup(), ...sippCalls(), ...baresipCells(), ...kamailioCells(), ...asterisk.cells].filter(picked(values.only))
  const waiting = all.toSorted((a, b) => Number(slow.includes(b.feature)) - Number(slow.includes(a.feature)))
  const outcomes = new Map<Cell, Outcome>()
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const outcome = await outcomeOf(cell)
      outcomes.set(cell, outcome)
      process.stderr.write(`${outcome.verdict.padEnd(8)} ${cell.feature}/${cell.peer} (${outcome.seconds} s) ${outcome.seen}\n`)
    }
  }
  try {
    await Promise.all(Array.from({ length: Number(values['at-once'] ?? '4') }, work))
  } finally {
    await asterisk.close()
  }
  const count = (verdict: Outcome['verdict']) => [...outcomes.values()].filter((one) => one.verdict === verdict).length
  const sum = `${count('good')} good, ${count('BAD')} bad, ${count('left out')} left out, ${Math.round((Date.now() - began) / 1000)} s in all`
  const text = `${report(outcomes)}\n\n${sum}\n`
  if (values.out !== undefined) writeFileSync(values.out, text)
  const json = all.map(({ feature, peer }, at) => ({ feature, peer, ...outcomes.get(all[at]!) }))
  console.log(values.json ? JSON.stringify(json, null, 2) : text)
  return count('BAD') === 0 ? 0 : 1
}
