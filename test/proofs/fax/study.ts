/** Builds and runs fax-study (drivers/sip/engine/study), which prints one JSON line for each call. */
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What one call became. */
export interface Call {
  seed: number
  /** The sender's T.30 code; 0 is sent. */
  code: number
  /** The sender's end was reported. */
  told: boolean
  /** Not sent, but the sender says that the last page may have arrived. */
  maybe: boolean
  complete: boolean
  pagesArrived: number
  seconds: number
  bitRate: number
  /** Of the received pages as coded on the line (T.6), with their header lines. */
  bytes: number
}

export interface Line {
  t38: boolean
  ecm?: boolean
  loss?: number
  delayMs?: number
  jitterMs?: number
}

export interface Options {
  calls: number
  pages: string
  json: boolean
}

export interface Result {
  text: string
  faults: string[]
}

const root = join(import.meta.dirname, '../../..')
export const studyProgram = join(root, '.cache/engine/fax-study')

export async function build(): Promise<void> {
  const made = spawn('make', ['-s', '-C', join(root, 'drivers/sip/engine'), 'fax-study'], { stdio: ['ignore', 2, 2] })
  const code = await new Promise<number | null>((resolve, reject) => {
    made.once('error', reject)
    made.once('exit', resolve)
  })
  if (code !== 0) throw new Error('fax-study could not be built')
}

/** `count` calls with the seeds 1 and up, one after the other. */
export async function run(pages: string, line: Line, count: number): Promise<Call[]> {
  const words = ['--pages', pages, '--calls', String(count), '--loss', String(line.loss ?? 0)]
  if (line.delayMs !== undefined) words.push('--delay', String(line.delayMs))
  if (line.jitterMs !== undefined) words.push('--jitter', String(line.jitterMs))
  if (line.t38) words.push('--t38')
  if (line.ecm === false) words.push('--no-ecm')
  const { stdout } = await promisify(execFile)(studyProgram, words, { maxBuffer: 64 << 20 })
  return stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Call)
}

export function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)))
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '))
    .join('\n')
}
