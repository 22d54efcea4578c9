/** pbx setup: from a first start to a working house. Nothing is written before the provider has taken the registration. */
import { spawnSync } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { networkInterfaces, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { makeKeys } from '../../../daemon/backup/keys.ts'
import { CommandError, exitCode, installedConfig } from '../client.ts'
import type { NewPhone, PhoneAwaited } from '../../../daemon/schema/phones.ts'
import type { Context } from '../context.ts'
import { bold, dim, green, print, printJson, yellow } from '../output.ts'
import { checkAnswers, type Answers } from '../setup/answers.ts'
import { ask } from '../setup/dialogue.ts'
import { documentOf, type Made, type Present } from '../setup/document.ts'
import { sheetOf } from '../setup/sheet.ts'
import type { SetupStep } from '../setup/step.ts'
import { putToUse } from '../setup/trial.ts'

interface Wanted {
  readonly answers?: string
  readonly sheet?: string
  readonly force?: true
  readonly print?: true
}

/** `steps`: what capabilities bring. */
export async function setup(
  steps: readonly SetupStep[],
  context: Context,
  { answers: file, sheet = 'pbxd-sheet.html', force, print: only }: Wanted,
): Promise<number> {
  const config = context.choice.config ?? installedConfig
  const present = existsSync(config) ? ((parse(readFileSync(config, 'utf8')) ?? {}) as Present & Record<string, unknown>) : {}
  if (only !== true && force !== true) refuseWhereSetUp(config, present)
  const answers = checkAnswers(file === undefined ? await ask(context, steps) : fromFile(file), steps)
  const address = addressOf(answers.network ?? 'lan')
  const folder = dirname(config)
  const wantsCertificate = answers.certificate !== false && address !== null
  const names = { cert: join(folder, 'pbxd.crt'), key: join(folder, 'pbxd.key') }
  const recovery = answers.backup === false ? null : await makeKeys()
  const made: Made = {
    passwords: new Map(answers.extensions.map(({ number }) => [number, randomBytes(12).toString('base64url')])),
    address,
    certificate: wantsCertificate ? names : null,
    recoveryKey: recovery?.recipient ?? null,
  }
  const text = documentOf(answers, made, steps, present)
  if (only === true) {
    process.stdout.write(text)
    return exitCode.done
  }
  const madeNow = existsSync(names.cert) ? [] : [names.cert, names.key]
  const fingerprint = wantsCertificate ? certificate(names, address) : null
  try {
    await putToUse(context, text, answers.provider !== undefined)
  } catch (error) {
    for (const file of madeNow) rmSync(file, { force: true })
    throw error
  }
  const softphones = wantsCertificate ? await awaited(context, answers) : new Map<string, string>()
  writeFileSync(sheet, sheetOf(answers, made, { fingerprint, softphones }), { mode: 0o600 })
  if (context.json) printJson({ config, sheet, address, fingerprint, recoveryKey: recovery?.identity ?? null })
  else tell(answers, steps, { config, sheet, fingerprint, recovery: recovery?.identity ?? null, address })
  return exitCode.done
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

function fromFile(file: string): unknown {
  try {
    return parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    throw new CommandError(`the answers cannot be read: ${(error as Error).message}`, { exit: exitCode.usage })
  }
}

/** What somebody has set up by hand is not thrown away. */
function refuseWhereSetUp(file: string, present: Record<string, unknown>): void {
  const { trunks = [], extensions = [], lines = [] } = present as Record<string, unknown[]>
  if (trunks.length + extensions.length + lines.length === 0) return
  throw new CommandError(`${file} has phones or trunks already`, {
    fix: 'pbx config edit changes it; pbx setup --force begins anew, and pbx config revert goes back',
  })
}

/** Null: nobody but this machine. */
function addressOf(network: string): string | null {
  if (network === 'none') return null
  if (network === 'all') return '0.0.0.0'
  const own = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.filter(({ internal, family }) => !internal && family === 'IPv4'),
  )
  if (network !== 'lan') {
    if (!own.some(({ address }) => address === network))
      throw new CommandError(`this machine has no address ${network}`, {
        fix: `it has ${own.map(({ address }) => address).join(', ') || 'none'}`,
      })
    return network
  }
  const [first] = own
  if (first === undefined) throw new CommandError('this machine is in no network', { fix: 'plug it in, or answer network: none' })
  return first.address
}

/** Signed by itself, for ten years; the fingerprint is for the sheet. One that is there stays. */
function certificate({ cert, key }: { cert: string; key: string }, address: string): string {
  if (!existsSync(cert)) {
    const subject = ['-subj', `/CN=${hostname()}`, '-addext', `subjectAltName=DNS:${hostname()},IP:${address}`]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650']
    const run = spawnSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], { encoding: 'utf8' })
    if (run.status !== 0)
      throw new CommandError(`no certificate could be made: ${run.error?.message ?? run.stderr.trim().split('\n').at(-1)}`)
    chmodSync(key, 0o640)
    chmodSync(cert, 0o644)
    if (process.getuid?.() === 0) chownSync(key, 0, statSync(dirname(cert)).gid)
  }
  return new X509Certificate(readFileSync(cert)).fingerprint256
}

interface Outcome {
  readonly config: string
  readonly sheet: string
  readonly fingerprint: string | null
  readonly recovery: string | null
  readonly address: string | null
}

function tell(answers: Answers, steps: readonly SetupStep[], { config, sheet, fingerprint, recovery, address }: Outcome): void {
  const { provider, lines = [], extensions } = answers
  print(`${green('✓')} ${config} is written and in use`)
  if (provider !== undefined) print(`${green('✓')} the provider is up: ${provider.numbers.join(' ')}`)
  print(`${green('✓')} ${sheet}: what is entered into each phone. ${yellow('It has passwords: print it, then delete it')}`)
  if (fingerprint !== null) print(`${green('✓')} certificate, SHA-256\n  ${fingerprint}`)
  if (recovery !== null) {
    print(
      `\n${bold('The recovery key of the backups. It is shown this once: keep it with the papers')}\n${bold('of the clinic.')}\n  ${recovery}`,
    )
  }
  print(`\n${bold('Now try everything:')}`)
  const [first] = extensions
  const tests = [
    `pbx phones add ${first!.number}, or by hand: server ${address ?? '127.0.0.1'}, user ${first!.number}; then pbx lines`,
    ...(provider === undefined ? [] : [`call ${provider.numbers[0]} from a mobile phone; then pbx trace last`, 'pbx emergency test']),
    ...lines.map((_, at) => `pbx modem test line${at + 1}`),
    ...(lines.some(({ roles }) => roles.includes('fax')) ? ['pbx fax send page.pdf --to NUMBER, and one back'] : []),
    ...steps.flatMap((step) => step.tests(answers)),
    ...(recovery === null ? [] : ['pbx backup']),
    'pbx status --check',
  ]
  for (const test of tests) print(dim(`  ${test}`))
}
