/**
 * Builds the fax half of pbx-engine and spandsp under address and undefined-behaviour sanitizers, and the far ends that lie
 * to them (drivers/sip/engine/fuzz/fax_*), and runs them. The first build fetches spandsp's source and takes some minutes.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface FaxFuzzOptions {
  seconds: number
  seed: number
  /** What carries the calls: SIP, or a serial modem. */
  line?: 'sip' | 'modem'
}

const root = join(import.meta.dirname, '../../..')

/** Resolves with the fuzzer's exit status: 0 when nothing was found. */
export async function fuzzFax({ seconds, seed, line = 'sip' }: FaxFuzzOptions): Promise<number> {
  process.stdout.write('building the fax half under sanitizers\n')
  const made = await run('make', ['-s', '-C', join(root, 'drivers/sip/engine'), 'SANITIZE=1', '-j2', 'fax-fuzz'])
  if (made !== 0) return made
  return run(join(root, '.cache/engine-asan/fax-fuzz'), ['--line', line, '--seconds', String(seconds), '--seed', String(seed)])
}

export function run(command: string, words: readonly string[]): Promise<number> {
  const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)))
  })
}
