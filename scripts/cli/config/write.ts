/**
 * pbx config write: what was applied last goes into the configuration file, where the daemon itself may not write it. Root reads the revision
 * with the rights of the service. pbxd-config.service does it whenever the daemon asks (`--unattended`); then a change of what root itself acts
 * upon is left to a person: an attacker who has the service must not lead root to files or programs.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { asOwner, ownerOf, type Owner } from '../../../daemon/base/owner.ts'
import { systemWords } from '../../../daemon/base/errors.ts'
import { compareConfigs, inWords } from '../../../daemon/config/compare.ts'
import { revisionsPlace } from '../../../daemon/config/last-good.ts'
import { ConfigError, parseConfig, storagePlace } from '../../../daemon/config/load.ts'
import { Revisions, stampOf, type Revision } from '../../../daemon/config/revisions.ts'
import { isDeep, writeConfigFile } from '../../../daemon/config/source.ts'
import { CommandError, exitCode, installedConfig, root } from '../client.ts'
import type { Context } from '../command.ts'
import { green, print, printJson } from '../output.ts'
import { runningConfig } from '../running.ts'

export async function write({ choice, json }: Context, { unattended }: { unattended?: true }): Promise<number> {
  const file = resolve(choice.config ?? runningConfig(root) ?? installedConfig)
  const before = readFile(file)
  const { revision, owner } = lastApplied(file, before)
  const { text, over, revision: number } = revision
  const leftFacts = { file, revision: number, written: false }
  if (text === before) return said(json, `${file} has revision ${number} already`, { file, revision: number, written: false })
  if (over !== stampOf(before) && unattended === true) return said(json, left(number, `${file} was changed by hand since`), leftFacts)
  if (over !== stampOf(before))
    throw new CommandError(`${file} was changed by hand since revision ${number} was applied; nothing was written`, {
      fix: 'pbx config diff, then pbx config apply (the file counts) or pbx config revert (what was in use counts)',
    })
  const changes = changesOf(file, before, text, owner)
  const own = unattended === true ? ofRoot(before, text) : []
  if (own.length > 0) return said(json, left(number, `it changes what root acts upon (${own.join(', ')})`), leftFacts)
  if (!json) for (const line of changes) print(line)
  const fault = writeConfigFile(file, text)
  if (fault !== '') throw new CommandError(`${file} cannot be written: ${fault}`, { fix: 'sudo pbx config write' })
  return said(json, green(`${file} is written: revision ${number}`), { file, revision: number, written: true })
}

/** No failure of the unit: `pbx status` says it until a person has decided. */
const left = (revision: number, why: string): string =>
  `revision ${revision} is left to a person: ${why}. If it is right: sudo pbx config write`

function said(json: boolean, line: string, facts: object): number {
  if (json) printJson(facts)
  else print(line)
  return exitCode.done
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${systemWords(error)}`, { fix: 'give it: --config FILE' })
  }
}

/** An installed service keeps revisions in its state directory, another one with its data. */
function lastApplied(file: string, text: string): { readonly revision: Revision; readonly owner: Owner } {
  const storage = isDeep(text) ? undefined : (sectionOf(text, 'storage') as { dir?: unknown } | undefined)?.dir
  const state = dirname(file) === dirname(installedConfig) ? storagePlace(undefined, dirname(file)) : undefined
  const dir = storagePlace(typeof storage === 'string' ? resolve(dirname(file), storage) : undefined, dirname(file))
  const place = revisionsPlace(dir, { ...process.env, ...(state === undefined ? {} : { STATE_DIRECTORY: state }) })
  const owner = ownerOf(place)
  const revision = asOwner(owner, () => new Revisions(place).list().find(({ outcome }) => outcome === 'applied'))
  if (revision === undefined) throw new CommandError(`no revision was applied: there is none in ${place}`, { fix: 'pbx config history' })
  return { revision, owner }
}

/** In words; files of secrets are read with the rights of the service. @throws CommandError where the text has faults */
function changesOf(file: string, before: string, text: string, owner: Owner): string[] {
  return asOwner(owner, () => {
    try {
      const next = parseConfig(text, file).config
      try {
        return compareConfigs(parseConfig(before, file).config, next).map(inWords)
      } catch {
        // The file has faults: there is nothing to compare with.
        return []
      }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      throw new CommandError(`what was applied has faults now; nothing was written\n${error.message}`, { fix: 'pbx config check' })
    }
  })
}

/** Sections by which root's own programs go, and names of keys under which files stand that they read. */
const rootSections = ['backup', 'storage', 'control'] as const
const fileKeys = /^(file|cert|key|caFile|streamCaFile|sshConfig|dir|socket|music)$/

/** What the texts have otherwise of that; as paths. */
export function ofRoot(before: string, after: string): string[] {
  const sections = rootSections.filter((name) => !isDeepStrictEqual(sectionOf(before, name), sectionOf(after, name)))
  const known = new Set(filesIn(tree(before)).map(({ named }) => named))
  return [...sections, ...filesIn(tree(after)).flatMap(({ path, named }) => (known.has(named) ? [] : [path]))]
}

/** `named`: the key with its value. */
function filesIn(value: unknown, path = ''): { readonly path: string; readonly named: string }[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`
    return fileKeys.test(key) ? [{ path: at, named: `${key}: ${JSON.stringify(inner)}` }] : filesIn(inner, at)
  })
}

const tree = (text: string): unknown => (isDeep(text) ? {} : parse(text, { maxAliasCount: 100 }))
const sectionOf = (text: string, name: string): unknown => (tree(text) as Record<string, unknown> | null)?.[name]
