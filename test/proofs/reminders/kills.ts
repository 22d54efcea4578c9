/** Runs a box over simulated days, kills it again and again, and judges what the people on the line saw. */
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../../daemon/base/log.ts'
import { openStore } from '../../../daemon/store/store.ts'
import { judge, type Verdict } from './judge.ts'

export interface KillOptions {
  readonly reminders: number
  /** Kills, before the box may live to the end. */
  readonly rounds: number
  readonly lines: number
  readonly seed: number
  /** Longest real time between a start and its kill. */
  readonly mostMs: number
  readonly onRound?: (round: number, simulated: number) => void
}

/** A Monday noon in New York. */
const start = Date.parse('2026-03-02T17:00:00Z')
const mostOutageMs = 20 * 60_000

export async function killRounds({ reminders, rounds, lines, seed, mostMs, onRound }: KillOptions): Promise<Verdict> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-reminder-kills-'))
  const file = join(dir, 'journal')
  closeSync(openSync(file, 'a'))
  const journal = (): string[] => readFileSync(file, 'utf8').split('\n')
  const random = chance(seed)
  let at = start
  try {
    for (let round = 0; round <= rounds; round++) {
      const child = spawn(
        process.execPath,
        [...process.execArgv, join(import.meta.dirname, 'child.ts'), dir, ...[at, reminders, seed, lines].map(String)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
        child.once('exit', (code, signal) => resolve({ code, signal }))
      })
      if (round < rounds) {
        // Some die while they still take up what was left, most in the midst of calls.
        if (random() > 0.15) await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended])
        await Promise.race([new Promise((resolve) => setTimeout(resolve, 5 + random() * mostMs)), ended])
        child.kill('SIGKILL')
      }
      const { code, signal } = await ended
      if (signal === null && code !== 0) throw new Error(`the box ended with ${code}`)
      at = latest(journal(), at)
      onRound?.(round, at)
      if (signal === null) break
      at += Math.round(random() ** 3 * mostOutageMs)
    }
    const store = await openStore(join(dir, 'store'), createLog({ level: 'error' }))
    try {
      return judge(store, journal(), reminders)
    } finally {
      await store.close()
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The latest simulated moment that the journal knows of: no line of it lies in the future of the next run. */
function latest(journal: readonly string[], at: number): number {
  let found = at
  for (const line of journal) {
    const [kind = '', first = '', second = ''] = line.split(' ')
    const moment = Number(kind === 'T' ? first : 'DAKE'.includes(kind) ? second : 0)
    if (moment > found) found = moment
  }
  return found
}

/** Mulberry32: the same numbers for the same seed. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
