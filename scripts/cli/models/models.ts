/** pbx models: list, install, verify, import, remove. Works on the models' folder itself, whether the daemon runs or not. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import type { SpeechView } from '../../../daemon/schema/speech.ts'
import { downloadBytes, pinned, sourcesOf } from '../../../daemon/speech/models/catalogue.ts'
import {
  catalogue,
  importModels,
  installModel,
  modelPlaces,
  readCatalogue,
  readModel,
  readModels,
  recommended,
  removeModel,
  verifyModel,
  ModelError,
  type Catalogue,
  type InstalledModel,
  type InstallOptions,
  type ModelEntry,
  type ModelPlaces,
  type InstallHooks,
} from '../../../daemon/speech/models/models.ts'
import { becomeOwner } from '../../../daemon/base/owner.ts'
import { CommandError, exitCode, installedConfig, root } from '../client.ts'
import type { Context } from '../command.ts'
import { recommendedWord } from '../commands/speech.ts'
import { ProgressDisplay } from './progress.ts'
import { bold, bytes, dim, green, print, printJson, red, table, yellow } from '../output.ts'
import { runningConfig } from '../running.ts'
import { systemWords } from '../../../daemon/base/errors.ts'
import { readFile } from 'node:fs/promises'
import { writeDurably } from '../../../daemon/speech/models/record.ts'
import type { ProcessPlan } from '../../../daemon/speech/process/protocol.ts'
import { tryModels } from '../../../daemon/speech/process/trial.ts'
import { patchPiperMetadata, piperTokens } from '../../../drivers/speech-sherpa/piper-format.ts'
import type { ModelFiles } from '../../../drivers/speech.ts'

/** What the installation of speech models asks of the engines: a Piper voice made fit for sherpa-onnx, a trial in a process of its own. */
const longestTrialMs = 180_000

export const finish: NonNullable<InstallHooks['finish']> = {
  async piper(folder, { model, config }) {
    if (model === undefined || config === undefined) throw new Error('a Piper voice needs a model and a config')
    const voice = JSON.parse(await readFile(join(folder, config), 'utf8')) as unknown
    const onnx = await readFile(join(folder, model))
    await writeDurably(join(folder, model), patchPiperMetadata(onnx, voice))
    await writeDurably(join(folder, 'tokens.txt'), piperTokens(voice))
    return { tokens: 'tokens.txt' }
  },
}

/** Loads the model in a process that may die of it. */
export function trial(model: ModelFiles): Promise<{ ok: boolean; reason: string }> {
  const file = model.files['model']
  const plan: ProcessPlan = {
    role: 'call',
    detector: model.kind === 'silero' && file !== undefined ? { kind: 'silero', file: join(model.directory, file) } : null,
    recognisers: ['piper', 'silero'].includes(model.kind) ? [] : [model],
    voices: model.kind === 'piper' ? [model] : [],
  }
  return tryModels(plan, { limitMs: longestTrialMs })
}

export interface ModelsOptions {
  readonly dir?: string
  readonly manifest?: string
  readonly urls?: true
  readonly trustFirstDownload?: true
  readonly trial?: boolean
  readonly model?: string
}

export async function list(context: Context, options: ModelsOptions): Promise<void> {
  const { places, from } = open(context, options)
  becomeOwner(places.directory, { make: false })
  const models = asCommand(() => readModels(places, from))
  const used = await inUse(context)
  if (context.json) return printJson(models.map((model) => view(model, used)))
  if (options.urls) return printAddresses(from)
  print(
    table(
      ['MODEL', 'FOR', 'STATE', 'DOWNLOAD', 'MEMORY', 'LICENCE', 'WHAT IT IS'],
      models.map((model) => [
        model.entry.id,
        model.entry.roles.join(' '),
        stateWord(model, used),
        bytes(downloadBytes(model.entry)),
        `${model.entry.ramMB} MB`,
        model.entry.licence.length > 20 ? 'its own, see --json' : model.entry.licence,
        model.entry.title,
      ]),
    ),
  )
  for (const { entry, state, reason } of models)
    if (state === 'damaged') print(`${yellow('!')} ${entry.id}: ${reason}\n  ${dim('fix:')} ${bold(`pbx models verify ${entry.id}`)}`)
  print(dim(`in ${places.directory}${used === null ? '; the daemon does not report which models it uses' : ''}`))
}

export async function install(context: Context, ids: string[], options: ModelsOptions): Promise<void> {
  const { places, from } = openToWrite(context, options)
  const entries = asCommand(() => withRecommended(ids, context.choice.config, from).map((id) => from.find(id)))
  const done: object[] = []
  let changed = false
  for (const entry of entries) {
    const already = readModel(entry, places).state === 'installed'
    if (!already && !context.json) introduce(entry)
    const model = await working(context, entry.id, options, places, (how) => installModel(entry, how), entry)
    changed ||= !already
    done.push({ ...view(model, null), already })
    if (!context.json) print(already ? `${entry.id} is already installed in ${model.directory}` : installedLine(model))
  }
  await tell(context, options, changed, { installed: done })
}

export async function importFrom(context: Context, path: string, options: ModelsOptions): Promise<void> {
  const { places, from } = openToWrite(context, options)
  const entry = options.model === undefined ? undefined : asCommand(() => from.find(options.model ?? ''))
  mustRead(resolve(path))
  const models = await working(context, 'import', options, places, (how) => importModels(resolve(path), from, how, entry))
  if (!context.json)
    for (const model of models) {
      print(installedLine(model))
      print(dim(`  ${model.entry.licence}: ${model.entry.attribution} ${model.entry.licenceUrl}`))
    }
  await tell(context, options, true, { installed: models.map((model) => view(model, null)) })
}

export async function verify(context: Context, id: string | undefined, options: ModelsOptions): Promise<number> {
  const { places, from } = openToWrite(context, options)
  const entries = asCommand(() => (id === undefined ? from.models : [from.find(id)]))
  const results: InstalledModel[] = []
  for (const entry of entries) {
    const before = readModel(entry, places)
    if (before.state === 'not-installed' && id === undefined) continue
    const display = context.json ? undefined : new ProgressDisplay(entry.id)
    const total = before.record?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0
    let read = 0
    const model = await verifyModel(entry, places, (piece) => display?.show({ step: 'check', bytes: (read += piece), total }))
    display?.end()
    results.push(model)
    if (context.json) continue
    if (model.state === 'installed') print(`${green('ok')}       ${entry.id}`)
    else
      print(
        `${red(model.state === 'damaged' ? 'damaged' : 'missing')}  ${entry.id}${model.reason === '' ? '' : `: ${model.reason}`}\n  ${dim('fix:')} ${bold(`pbx models install ${entry.id}`)}`,
      )
  }
  if (context.json) printJson(results.map((model) => view(model, null)))
  else if (results.length === 0) print(dim(`no model is installed in ${places.directory}`))
  return results.every(({ state }) => state === 'installed') ? exitCode.done : exitCode.failed
}

export async function remove(context: Context, id: string, options: ModelsOptions): Promise<void> {
  const { places, from } = openToWrite(context, options)
  const entry = asCommand(() => from.find(id))
  const was = await removeModel(entry, places).catch(fail)
  if (!was) throw new CommandError(`${id} is not installed in ${places.directory}`, { code: 'missing', fix: 'pbx models list' })
  if (!context.json) print(`${id} is removed`)
  await tell(context, options, true, { removed: id })
}

function open(context: Context, options: ModelsOptions): { places: ModelPlaces; from: Catalogue } {
  const places = modelPlaces(options.dir === undefined ? modelsFolder(context.choice.config) : resolve(options.dir))
  return { places, from: asCommand(() => (options.manifest === undefined ? catalogue() : readCatalogue(resolve(options.manifest)))) }
}

/** Root goes on as the owner of the folder, which is the daemon's user on an installed box. */
function openToWrite(context: Context, options: ModelsOptions): { places: ModelPlaces; from: Catalogue } {
  const opened = open(context, options)
  becomeOwner(opened.places.directory)
  return opened
}

/** What is read of a configuration: a fault elsewhere in the file must not keep anybody from the models. */
interface Read {
  readonly base: string
  readonly config: { speech?: { models?: { dir?: unknown } }; storage?: { dir?: unknown }; site?: { language?: unknown } } | null
}

/** Null where there is no configuration yet. */
function readConfig(given: string | undefined): Read | null {
  const other = existsSync(join(root, 'var/run/pbxd.sock')) || !existsSync(installedConfig) ? null : installedConfig
  const file = given ?? runningConfig(root) ?? other
  if (file === null) return null
  try {
    return { base: dirname(resolve(file)), config: parse(readFileSync(file, 'utf8')) as Read['config'] }
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${systemWords(error)}`, {
      exit: exitCode.usage,
      code: 'usage',
      fix: `pbx config check ${file}`,
    })
  }
}

/** As the daemon would find it. */
export function modelsFolder(given: string | undefined): string {
  const beside = join(root, 'var/models')
  const read = readConfig(given)
  if (read === null) return beside
  const { base, config } = read
  const dir = config?.speech?.models?.dir
  if (typeof dir === 'string') return resolve(base, dir)
  const storage = config?.storage?.dir
  if (typeof storage === 'string') return resolve(base, storage, 'models')
  return base === '/etc' || base.startsWith('/etc/') ? '/var/lib/pbxd/models' : beside
}

/** `ids` with the recommended ones in the place of that word. */
function withRecommended(ids: readonly string[], config: string | undefined, from: Catalogue): string[] {
  if (!ids.includes(recommendedWord)) return [...new Set(ids)]
  const given = readConfig(config)?.config?.site?.language
  const language = typeof given === 'string' ? given : 'en-US'
  const suiting = recommended({ memoryBytes: totalmem(), cores: availableParallelism(), language }, from)
  return [...new Set(ids.flatMap((id) => (id === recommendedWord ? suiting.map((entry) => entry.id) : [id])))]
}

/** What root can read, the owner of the models' folder perhaps cannot. */
function mustRead(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return
    const fix = `copy it to a place that all users can read, such as /tmp, or let them read it: chmod -R a+rX ${path}`
    throw new CommandError(`${path} cannot be read by the owner of the folder of the models (user ${process.getuid?.()})`, {
      code: 'unreadable',
      fix,
    })
  }
}

/** Runs the work with a display, and stops it at ^C. */
async function working<T>(
  context: Context,
  name: string,
  options: ModelsOptions,
  places: ModelPlaces,
  work: (how: InstallOptions) => Promise<T>,
  entry?: ModelEntry,
): Promise<T> {
  const display = context.json ? undefined : new ProgressDisplay(name)
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    return await work({
      places,
      finish,
      signal: stop.signal,
      ...(options.trial === false ? {} : { trial }),
      ...(options.trustFirstDownload ? { trustFirst: true } : {}),
      ...(display === undefined ? {} : { onProgress: (progress) => display.show(progress) }),
    })
  } catch (error) {
    display?.end()
    return fail(error, entry)
  } finally {
    display?.end()
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

function fail(error: unknown, entry?: ModelEntry): never {
  if (!(error instanceof ModelError)) throw error
  const usage = ['unknown-model', 'not-pinned', 'bad-catalogue'].includes(error.code)
  const elsewhere =
    error.code === 'network' && entry !== undefined
      ? `${error.fix}\n  Without a connection: download these on another computer, copy them here, then run pbx models import FOLDER\n${sourcesOf(
          entry,
        )
          .map(({ url }) => `    ${url}`)
          .join('\n')}`
      : error.fix
  throw new CommandError(error.message, { exit: usage ? exitCode.usage : exitCode.failed, code: error.code, fix: elsewhere })
}

function asCommand<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    return fail(error)
  }
}

/** Ids the daemon works with; null when it does not run or does not say. */
async function inUse(context: Context): Promise<Set<string> | null> {
  try {
    const { roles, voices } = await (await context.client()).get<SpeechView>('/api/speech')
    // The engine of a detector is the beginning of the name of its model.
    return new Set([...roles.flatMap(({ engine }) => [engine, `${engine}-vad`]), ...voices.flatMap(({ engines }) => engines.slice(0, 1))])
  } catch (error) {
    if (error instanceof CommandError) return null
    throw error
  }
}

/** Tells a running daemon, and the asker what came of it. An older daemon does not know of models: no fault. */
async function tell(context: Context, options: ModelsOptions, changed: boolean, result: object): Promise<void> {
  let daemon: 'reloaded' | 'not-running' | 'unknown' = 'unknown'
  if (changed && options.dir === undefined)
    try {
      await (await context.client()).post<unknown>('/api/speech/reload')
      daemon = 'reloaded'
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      if (error.exit === exitCode.unreachable) daemon = 'not-running'
    }
  if (context.json) printJson({ ...result, daemon })
  else if (changed && daemon === 'reloaded') print(dim('the daemon has loaded the change: pbx speech'))
  else if (changed && daemon === 'not-running') print(dim('the daemon is not running; it will see the change at its next start'))
}

function view(model: InstalledModel, used: Set<string> | null): object {
  const { entry, state, reason, directory, own, record } = model
  const { id, title, kind, roles, languages, licence, licenceUrl, attribution, ramMB, diskMB, note } = entry
  return {
    id,
    title,
    kind,
    roles,
    languages,
    state,
    reason,
    directory,
    own,
    inUse: used === null ? null : used.has(id) && state === 'installed',
    licence,
    licenceUrl,
    attribution,
    ramMB,
    diskMB,
    note,
    downloadBytes: downloadBytes(entry),
    pinned: pinned(entry),
    sources: sourcesOf(entry).map(({ url, bytes: size, sha256 }) => ({ url, bytes: size, sha256 })),
    installedAt: record?.installedAt ?? null,
    files: record?.files.map(({ role, name, bytes: size, sha256 }) => ({ role, name, bytes: size, sha256 })) ?? [],
  }
}

function stateWord({ entry, state, own }: InstalledModel, used: Set<string> | null): string {
  if (state !== 'installed') return state === 'damaged' ? 'damaged' : '-'
  return used?.has(entry.id) ? 'in use' : own ? 'built in' : 'installed'
}

function introduce(entry: ModelEntry): void {
  print(`${bold(entry.id)}: ${entry.title}`)
  print(`  licence: ${entry.licence} ${dim(entry.licenceUrl)}\n  ${entry.attribution}`)
  if (entry.note !== '') print(`  ${entry.note}`)
  if (!pinned(entry)) print(yellow('  Its sha256 is not known in advance: this first download is trusted, and its sha256 is recorded.'))
}

function installedLine({ entry, directory, record }: InstalledModel): string {
  const first =
    record?.pinned === false ? `\n  ${yellow('trusted without a known sha256:')} ${Object.values(record.fetched).join(' ')}` : ''
  return `${green('installed')}: ${entry.id} in ${directory}${first}`
}

function printAddresses(from: Catalogue): void {
  for (const entry of from.models) {
    print(bold(entry.id))
    for (const { url, bytes: size, sha256 } of sourcesOf(entry))
      print(`  ${url}\n    ${size === null ? 'size unknown' : `${size} bytes`}, sha256 ${sha256 ?? 'unknown'}`)
  }
  print(dim('download the files into one folder, then run: pbx models import FOLDER'))
}
