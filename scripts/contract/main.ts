/**
 * Compares this checkout with the last released version: scripts/run scripts/contract/main.ts [--write] [--for VERSION]. Prints each break, and exits
 * with 1 when CHANGELOG.md does not announce one or the version may not have it. `--write` keeps the contract of this checkout as the one of VERSION.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../daemon/base/root.ts'
import { breaksBetween, contractNow, packed, released, releasedVersions } from './contract.ts'
import type { Break } from './shapes.ts'

const minorOf = (version: string): string => version.split('.', 2).join('.')

/** The first section of the CHANGELOG: what the next version, or the one that is not yet released, brings. */
const newestSection = (changelog: string): string => /^## [^]*?(?=^## |$(?![^]))/m.exec(changelog)?.[0] ?? ''

/** Breaks that no line `- Break: ... \`where\` ...` of the newest section names. */
export function unannounced(breaks: readonly Break[], changelog: string): Break[] {
  const lines = newestSection(changelog).split(/^(?=- |## )/m)
  const named = new Set(
    lines
      .filter((line) => /^- (\*\*)?Break\b/.test(line))
      .flatMap((line) => Array.from(line.matchAll(/`([^`]+)`/g), ([, where]) => where!.replaceAll(/\s+/g, ' '))),
  )
  return breaks.filter(({ where }) => !named.has(where))
}

/** Why a version may not have these breaks after the last one: semantic versioning, where 0.x breaks with its minor number. */
export function refusal(last: string, version: string, breaks: readonly Break[]): string | undefined {
  const [major, minor] = last.split('.').map(Number) as [number, number]
  const [nextMajor, nextMinor] = version.split('.').map(Number) as [number, number]
  if (breaks.length === 0 || nextMajor > major || (major === 0 && nextMajor === 0 && nextMinor > minor)) return undefined
  return `${version} may not break what ${last} promised: it needs ${major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`}`
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { write: { type: 'boolean' }, for: { type: 'string' } } })
  const own = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version
  const version = values.for ?? own
  const now = contractNow()
  const last = releasedVersions().at(-1)
  const breaks = last === undefined ? [] : breaksBetween(released(last), now)
  for (const { where, what } of breaks) process.stdout.write(`${where}: ${what}\n`)
  process.stdout.write(`${breaks.length} breaks since ${last ?? 'nothing'}\n`)
  const quiet = unannounced(breaks, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  for (const { where } of quiet) process.stderr.write(`CHANGELOG.md does not announce it; write: - **Break**: \`${where}\` ...\n`)
  const refused = last === undefined ? undefined : refusal(last, version, breaks)
  if (refused !== undefined) process.stderr.write(`${refused}\n`)
  if (quiet.length > 0 || refused !== undefined) process.exitCode = 1
  else if (values.write) {
    const folder = join(root, 'test/released', minorOf(version))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'contract.json.gz'), packed(now))
  }
}
