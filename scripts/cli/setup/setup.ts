/** pbx setup: from a first start to a working house. Nothing is written before the provider has taken the registration. */
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, accessSync, constants } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import { makeKeys } from '../../../daemon/backup/keys.ts'
import { filesBeside } from '../../../daemon/certificate/issue.ts'
import { certificateState } from '../../../daemon/certificate/state.ts'
import { ConfigError, loadConfig } from '../../../daemon/config/load.ts'
import { CommandError, exitCode, installedConfig } from '../client.ts'
import type { Config } from '../../../daemon/schema/config.ts'
import type { ConfigStateView } from '../../../daemon/schema/config/change.ts'
import type { NewPhone, PhoneAwaited } from '../../../daemon/schema/phones.ts'
import type { SpeechView } from '../../../daemon/schema/speech.ts'
import type { Context } from '../command.ts'
import { keepSeal } from '../backup/backup.ts'
import { makeAll } from '../certificate.ts'
import { invited, type Invited } from '../commands/console.ts'
import { installThem, recommendedTable, recommendedWord } from '../commands/speech.ts'
import { bold, bytes, dim, green, print, printJson, red, yellow } from '../output.ts'
import { providers, type Answers, type Provider } from '../../../daemon/setup/answers.ts'
import { addressOf, NoAddress, unknownName } from '../../../daemon/setup/address.ts'
import { ask, askProviderAgain, refuseWithoutPerson } from './dialogue.ts'
import { documentOf, type Made, type Present } from '../../../daemon/setup/document.ts'
import { configNamed, readGiven } from '../owner.ts'
import { asked, GivenUp } from './questions.ts'
import { readPresent } from './present.ts'
import { webAddress, type WebPort } from '../../../daemon/http/redirect.ts'
import { sheetOf, type Trust } from './sheet.ts'
import { checkAnswers, tried, type SetupStep, type Trial } from './step.ts'
import { ProviderRefuses, putToUse } from './trial.ts'
import { trialsOf, tryAll } from './trials.ts'
import { writeFresh } from '../../../daemon/base/owner.ts'

// What setup leaves on the disk: files with passwords, which only their owner may read, the certificate of the box, and its authority.

/** Takes the place of what was there, a link too, whole or not at all. */
function writePrivate(file: string, text: string): void {
  writeFresh(file, text, 0o600)
}

/** @throws CommandError that says so before anybody has answered a question. */
function refuseUnwritable(file: string, fix: string): void {
  const folder = dirname(resolve(file))
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'does not exist' : code === 'EROFS' ? 'is read-only' : 'is not writable for this user'
    throw new CommandError(`${folder} ${why}`, { fix })
  }
}

/** One that is there stays. `text`: the configuration that it is for. */
async function certificate(config: string, text: string): Promise<Trust> {
  const { cert } = filesBeside(config)
  if (!existsSync(cert))
    await makeAll(config, parse(text)).catch((error: unknown) => {
      throw new CommandError(`the certificate could not be made: ${(error as Error).message}`)
    })
  const state = certificateState(config, { cert })
  if (state === null) throw new CommandError(`${cert} is no certificate`, { fix: `move ${cert} away, and run pbx setup again` })
  return { fingerprint: (state.authority ?? state.leaf).fingerprint256, isAuthority: state.authority !== null }
}

interface Wanted {
  readonly answers?: string
  readonly sheet?: string
  readonly force?: true
  readonly print?: true
  readonly test?: true
}

/** What a dialogue that came to nothing leaves, so that nobody answers twice. */
const keptAnswers = 'pbxd-answers.yaml'

/** Where it goes. */
interface Box {
  readonly steps: readonly SetupStep[]
  readonly context: Context
  readonly config: string
  readonly sheet: string
  readonly present: Present
}

/** `steps`: what capabilities bring. */
export async function setup(
  steps: readonly SetupStep[],
  context: Context,
  { answers: file, sheet = 'pbxd-sheet.html', force, print: only, test }: Wanted,
): Promise<number> {
  if (test === true) return tryHouse(steps, context)
  const config = context.choice.config ?? installedConfig
  if (file === undefined) refuseWithoutPerson(context)
  const present = readPresent(config, only === true || force === true)
  if (only !== true) await refuseBeforehand(context, config, sheet)
  const answers = checkAnswers(file === undefined ? await ask(steps) : fromFile(file), steps)
  const box: Box = { steps, context, config, sheet, present }
  if (only === true) process.stdout.write(documentOf(answers, (await make(box, answers)).made, steps, present))
  else if (file === undefined) {
    await untilTaken(box, answers)
    await offerModels(context)
    await offerTrials(box)
  } else {
    await putInPlace(box, answers)
    if (!context.json) listTrials(trialsOf(inUse(config), steps))
  }
  if (only !== true && !context.json && existsSync(keptAnswers)) print(yellow(`\n${keptAnswers} contains passwords: delete it`))
  return exitCode.done
}

/** The tests alone, of what is in use. */
async function tryHouse(steps: readonly SetupStep[], context: Context): Promise<number> {
  refuseWithoutPerson(context, 'pbx setup --test at a terminal; for scripts: pbx status --check')
  const file = configNamed(context.choice, await fileInUse(context))
  const tried = { ...context, choice: { ...context.choice, config: file } }
  return (await tryAll(tried, trialsOf(inUse(file), steps))) ? exitCode.done : exitCode.failed
}

function inUse(file: string): Config {
  try {
    return loadConfig(file).config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new CommandError(error.message, { fix: `pbx config edit; run it as root if only root can read ${file} or its secrets` })
  }
}

/** Asks once whether to install the speech models that suit the machine and are not there; Ctrl-C means no. The house works without. */
async function offerModels(context: Context): Promise<void> {
  const { recommended } = await (await context.client()).get<SpeechView>('/api/speech')
  const missing = recommended.filter(({ installed }) => !installed)
  if (missing.length === 0) return
  const total = bytes(missing.reduce((sum, { downloadBytes }) => sum + downloadBytes, 0))
  print(`\n${bold('Speech')}\n${recommendedTable(recommended)}`)
  const wanted = await asked((questions) => questions.yes(`Download ${total} and install them now?`, false)).catch((error: unknown) => {
    if (error instanceof GivenUp) return false
    throw error
  })
  if (!wanted) return print(dim(`later: ${installThem}\nwithout a network: pbx models list --urls, then pbx models import FOLDER`))
  const { ok } = await tried(context, ['models', 'install', recommendedWord], installThem)
  if (!ok) print(yellow(`The models were not installed; the box works without. Later: ${installThem}`))
}

/** The house is in place whatever comes of its tests, and whether there are any. */
async function offerTrials({ steps, context, config }: Box): Promise<void> {
  const trials = trialsOf(inUse(config), steps)
  const wanted = await asked((questions) => questions.yes('\nTest everything now?', true)).catch((error: unknown) => {
    if (error instanceof GivenUp) return false
    throw error
  })
  if (wanted) await tryAll(context, trials)
  else listTrials(trials)
}

function listTrials(trials: readonly Trial[]): void {
  print(`\n${bold('Next, test everything:')} pbx setup --test, or by hand`)
  for (const { byHand } of trials) print(dim(`  ${byHand}`))
}

/** What would make all answers useless is reported before the first question. */
async function refuseBeforehand(context: Context, config: string, sheet: string): Promise<void> {
  const configFile = await fileInUse(context)
  if (resolve(config) !== configFile)
    throw new CommandError(`the daemon runs on ${configFile}`, { fix: `pbx setup --config ${configFile}` })
  refuseUnwritable(config, 'sudo pbx setup')
  refuseUnwritable(sheet, 'change to a folder that you can write, or give a file: pbx setup --sheet FILE')
}

/** The daemon's. */
async function fileInUse(context: Context): Promise<string> {
  const { configFile } = await (await context.client()).get<ConfigStateView>('/api/config')
  if (configFile !== null) return configFile
  throw new CommandError('the daemon runs on its built-in configuration, not on a file that setup can write', {
    fix: 'npm start -- --config FILE',
  })
}

/** Whose provider refuses is asked about the provider again. */
async function untilTaken(box: Box, answers: Answers): Promise<void> {
  try {
    for (;;) {
      try {
        return await putInPlace(box, answers)
      } catch (error) {
        if (!(error instanceof ProviderRefuses) || answers.provider === undefined) throw error
        print(red(error.message))
        const provider = await askProviderAgain(answers.provider)
        if (provider === null) throw error
        answers.provider = provider
      }
    }
  } catch (error) {
    throw error instanceof CommandError ? kept(error, answers) : error
  }
}

/** The answers stay, so that nobody answers twice. */
function kept(error: CommandError, answers: Answers): CommandError {
  const { exit, code } = error
  try {
    writePrivate(keptAnswers, stringify(answers))
    const fix = `pbx setup --answers ${keptAnswers}; it holds your answers, including passwords`
    return new CommandError(error.message, { exit, code, fix })
  } catch {
    return error
  }
}

/** @throws CommandError */
function reached(network: string): string | null {
  try {
    return addressOf(network)
  } catch (error) {
    throw error instanceof NoAddress ? new CommandError(error.message, { fix: error.fix }) : error
  }
}

async function make({ config }: Box, answers: Answers) {
  const address = reached(answers.network ?? 'lan')
  const folder = dirname(config)
  const wantsCertificate = answers.certificate !== false && address !== null
  const recovery = answers.backup === false ? null : await makeKeys()
  const made: Made = {
    passwords: new Map(answers.extensions.map(({ number }) => [number, randomBytes(12).toString('base64url')])),
    address,
    certificate: wantsCertificate ? { cert: join(folder, 'pbxd.crt'), key: join(folder, 'pbxd.key') } : null,
    recoveryKey: recovery?.recipient ?? null,
  }
  return { made, recovery }
}

/** @throws CommandError with the reason; then the box is as it was. */
async function putInPlace(box: Box, answers: Answers): Promise<void> {
  const { steps, context, config, present } = box
  await refuseUnknownName(answers)
  const { made, recovery } = await make(box, answers)
  const { certificate: names, address } = made
  const text = documentOf(answers, made, steps, present)
  const madeNow = names === null ? [] : Object.values(filesBeside(config)).filter((file) => !existsSync(file))
  const trust = names === null ? null : await certificate(config, text)
  try {
    await putToUse(context, text, answers.provider !== undefined)
  } catch (error) {
    for (const file of madeNow) rmSync(file, { force: true })
    throw error
  }
  if (recovery !== null) keepSeal(config, recovery)
  const softphones = names === null ? new Map<string, string>() : await awaited(context, answers)
  const invitation = await firstInvitation(context)
  const web = webAddress((parse(text) as { http: WebPort }).http)
  const sheet = written(box, sheetOf(answers, made, { web, trust, softphones, invitation }))
  const shown = { config, sheet, fingerprint: trust?.fingerprint ?? null, invitation: invitation?.url ?? null }
  if (context.json) printJson({ ...shown, address, recoveryKey: recovery?.identity ?? null })
  else tell(answers, { ...shown, recovery: recovery?.identity ?? null })
}

/** The name of the provider's server is looked up before anything is put to use. */
async function refuseUnknownName({ provider }: Answers): Promise<void> {
  if (provider === undefined) return
  const { server }: Provider = providers[provider.kind]
  const unknown = await unknownName(provider.server ?? server ?? '')
  if (unknown !== null) throw new ProviderRefuses(`${unknown}. Nothing was written.`)
}

/** Null: it could not be, which must not keep the recovery key from being shown. */
function written({ sheet, context, config }: Box, page: string): string | null {
  try {
    writePrivate(sheet, page)
    return sheet
  } catch (error) {
    if (!context.json) print(yellow(`The sheet was not written: ${(error as Error).message}. The passwords of the phones are in ${config}`))
    return null
  }
}

/** The address by which a softphone of each extension fetches its settings within a day. Without them the sheet has what is entered by hand. */
async function awaited(context: Context, { extensions }: Answers): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>()
  try {
    const box = await context.client()
    for (const { number } of extensions) {
      const wanted: NewPhone = { extension: number, kind: 'linphone', minutes: 1440 }
      urls.set(number, (await box.post<PhoneAwaited>('/api/phones', wanted)).url)
    }
  } catch (error) {
    if (!context.json) print(yellow(`The sheet has no QR codes: ${(error as Error).message}. Later: pbx phones add NUMBER --qr`))
  }
  return urls
}

/** For the first technician; null where there is one already, or where it cannot be made. */
async function firstInvitation(context: Context): Promise<Invited['invitation'] | null> {
  try {
    const box = await context.client()
    const { person, invitation } = await invited(box, { login: 'technician', name: 'Technician' })
    return person.state === 'active' ? null : invitation
  } catch (error) {
    if (!context.json) print(yellow(`Nobody is invited to the pages of the box: ${(error as Error).message}. Later: pbx console invite`))
    return null
  }
}

function fromFile(file: string): unknown {
  try {
    return parse(readGiven(file).toString('utf8'))
  } catch (error) {
    throw new CommandError(`the answers cannot be read: ${(error as Error).message}`, { exit: exitCode.usage })
  }
}

interface Outcome {
  readonly config: string
  readonly sheet: string | null
  /** Of the authority, where the certificate is the box's own. */
  readonly fingerprint: string | null
  /** The address at which the first technician sets a password. */
  readonly invitation: string | null
  readonly recovery: string | null
}

function tell({ provider }: Answers, { config, sheet, fingerprint, invitation, recovery }: Outcome): void {
  print(`${green('✓')} ${config} is written and in use`)
  if (provider !== undefined) print(`${green('✓')} the provider is up: ${provider.numbers.join(' ')}`)
  if (sheet !== null)
    print(`${green('✓')} ${sheet}: the settings to enter into each phone. ${yellow('It contains passwords: print it, then delete it')}`)
  if (fingerprint !== null) print(`${green('✓')} fingerprint (SHA-256), to compare before a device trusts the box\n  ${fingerprint}`)
  if (invitation !== null) print(`\n${bold('The pages of the box: set a password within 30 minutes at')}\n  ${invitation}`)
  if (recovery !== null) {
    print(
      `\n${bold('The recovery key of the backups. It is shown only once: keep it with the papers')}\n${bold('of the clinic.')}\n  ${recovery}`,
    )
  }
}
