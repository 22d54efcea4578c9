/** What scripts/upgrade writes of an upgrade: lines NAME=VALUE in a folder of root's, that the daemon and the technician's program read. */
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** In this order; the last four are ends. */
export const upgradePhases = ['laying', 'checking', 'starting', 'watching', 'returning', 'done', 'refused', 'returned'] as const

export interface UpgradeNotes {
  readonly phase: (typeof upgradePhases)[number]
  /** The version that ran, and the one that was to take its place: names of folders below versions/. */
  readonly from: string
  readonly to: string
  /** ISO 8601 UTC; '' while it has not ended. */
  readonly began: string
  readonly ended: string
  /** Why it did not come to what was wanted; '' otherwise. */
  readonly reason: string
}

export const upgradeFolder = process.env['PBXD_UPGRADE_NOTES'] ?? '/var/lib/pbxd-upgrade'

/** Null where there was no upgrade yet. */
export function readUpgrade(folder = upgradeFolder): UpgradeNotes | null {
  const text = read(join(folder, 'state'))
  if (text === null) return null
  const values = new Map(text.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
  const phase = upgradePhases.find((name) => name === values.get('phase'))
  if (phase === undefined) return null
  const value = (name: string): string => values.get(name) ?? ''
  return { phase, from: value('from'), to: value('to'), began: value('began'), ended: value('ended'), reason: value('reason') }
}

export interface FailedVersion {
  /** The name of its folder below versions/. */
  readonly version: string
  /** ISO 8601 UTC. */
  readonly at: string
  readonly reason: string
}

/** The versions that did not come up: `pbx rollback` leads to none of them. */
export function readFailed(folder = upgradeFolder): FailedVersion[] {
  return (read(join(folder, 'failed')) ?? '').split('\n').flatMap((line) => {
    const [version = '', , at, reason] = line.split('\t')
    return at === undefined || reason === undefined ? [] : [{ version, at, reason }]
  })
}

/** Since when (ms since the epoch) a version ran that was taken back, whose migrations are to be undone; null where none was. */
export function storeBackSince(folder = upgradeFolder): number | null {
  const since = Date.parse(read(join(folder, 'store-back'))?.trim() ?? '')
  return Number.isNaN(since) ? null : since
}

/** A file that only root, or the user this process runs as, could have written. */
function read(file: string): string | null {
  try {
    const { uid } = lstatSync(file)
    return uid === 0 || uid === process.getuid?.() ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}
