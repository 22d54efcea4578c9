/**
 * The configuration that the daemon last ran on, secrets included, kept next to its data: when the file is refused at a later start, such
 * as after a slip of the hand or for a secret that cannot be read any more, the telephones go on with it.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../schema/config.ts'

export interface LastGood {
  /** Milliseconds since the epoch. */
  readonly keptAt: number
  readonly config: Config
}

interface Kept extends LastGood {
  readonly configFile: string
  readonly version: string
}

/** Of the service: what it reads has no other place that is known before the configuration is. Undefined where no service manager gave one. */
export function lastGoodPlace(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folder = env['STATE_DIRECTORY']?.split(':')[0]
  return folder === undefined || folder === '' ? undefined : join(folder, 'last-good.json')
}

/** Where the revisions of the configuration are kept: with what else the service keeps, else with the data. */
export function revisionsPlace(storageDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const place = lastGoodPlace(env)
  return join(place === undefined ? storageDir : dirname(place), 'config')
}

/** Never throws: a daemon that cannot keep it runs all the same. Returns why it was not kept; '' when it was. */
export function keepLastGood(place: string, kept: Kept): string {
  try {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(`${place}.part`, JSON.stringify(kept), { mode: 0o600, flush: true })
    chmodSync(`${place}.part`, 0o600)
    renameSync(`${place}.part`, place)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** null: there is none, or it is of another file or of another version of the program, which may read it otherwise. */
export function lastGood(place: string, configFile: string, version: string): LastGood | null {
  try {
    const kept = JSON.parse(readFileSync(place, 'utf8')) as Kept
    return kept.configFile === configFile && kept.version === version ? kept : null
  } catch {
    return null
  }
}
