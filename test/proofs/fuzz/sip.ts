/**
 * Builds pbx-engine under address and undefined-behaviour sanitizers and the fuzzer that feeds it (drivers/sip/engine/fuzz),
 * and runs them. The first build takes some minutes, since PJSIP is built under the sanitizers as well.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface SipFuzzOptions {
  seconds: number
  seed: number
}

const root = join(import.meta.dirname, '../../..')
const engine = join(root, 'drivers/sip/engine')
const built = join(root, '.cache/engine-asan')

/** Resolves with the fuzzer's exit status: 0 when the engine lived and no sanitizer spoke. */
export async function fuzzSip({ seconds, seed }: SipFuzzOptions): Promise<number> {
  process.stdout.write('building pbx-engine under sanitizers\n')
  const made = await run('make', ['-s', '-C', engine, 'SANITIZE=1', '-j2', join(built, 'pbx-engine'), 'fuzz'])
  if (made !== 0) return made
  return run(join(built, 'sip-fuzz'), [join(built, 'pbx-engine'), '--seconds', String(seconds), '--seed', String(seed)])
}

function run(command: string, words: readonly string[]): Promise<number> {
  const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)))
  })
}
