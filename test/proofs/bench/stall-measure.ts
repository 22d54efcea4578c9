/** How late the event loop of a daemon is that was started with the probe in it. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, type DaemonOptions } from '../../harness/daemon.ts'
import { eventually, type Scene } from '../../harness/scene.ts'
import type { LongStall } from './stall-probe.ts'

export interface Stalls {
  readonly samples: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  readonly longest: readonly LongStall[]
}

/** How such a daemon is started, and the file into which its probe writes. */
export function probed(): { readonly file: string; readonly start: Pick<DaemonOptions, 'compiled' | 'env' | 'nodeArguments'> } {
  const file = join(tmpdir(), `pbxd-stalls-${process.pid}-${Math.random().toString(36).slice(2)}.json`)
  const nodeArguments = ['--import', join(root, 'test', 'proofs', 'bench', 'stall-probe.ts')]
  return { file, start: { compiled: true, nodeArguments, env: { PBXD_STALLS: file } } }
}

/** While `load` goes on. */
export async function measured(scene: Scene, file: string, load: () => Promise<void>): Promise<Stalls> {
  rmSync(file, { force: true })
  scene.daemon.signal('SIGUSR2')
  await load()
  scene.daemon.signal('SIGUSR2')
  await eventually('the probe has written', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('}'))
  return JSON.parse(readFileSync(file, 'utf8')) as Stalls
}

/** Milliseconds that the thread itself ran in one go, at the most and in all looks but one of a thousand: to wait for a processor is not its doing. */
export function ownStall({ longest, samples }: Stalls): { readonly p999: number; readonly max: number } {
  const ran = longest.map(({ ranMs }) => ranMs).toSorted((a, b) => b - a)
  return { p999: ran[Math.floor(samples / 1000)] ?? 0, max: ran[0] ?? 0 }
}
