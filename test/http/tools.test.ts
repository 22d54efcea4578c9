/** openapi.json with the tools that integrators have: two linters, and a client that is generated, compiled and run against a box. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { Daemon, freePort, root } from '../harness/daemon.ts'
import { installLocked, isInstalled } from '../proofs/bench/peer-packages.ts'
import { fillInbox } from '../proofs/fuzz/messaging.ts'
import { typesOf } from './generated-types.ts'

const run = promisify(execFile)
const source = join(import.meta.dirname, 'tools')
const folder = join(root, '.cache', 'interface-tools')

/** Why the tools cannot be used here; false where they can. They are fetched once, 83 MB. */
function noTools(): string | false {
  try {
    if (!isInstalled(source, folder)) installLocked(source, folder)
    return false
  } catch (error) {
    return `not installed: ${String(error).split('\n')[0]}`
  }
}

const skip = noTools()
const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }

/** A tool of the folder; what it printed, whatever its status. */
async function tool(name: string, ...words: string[]): Promise<string> {
  const program = [join(folder, 'node_modules', '.bin', name), ...words]
  const options = { cwd: folder, env: quiet, maxBuffer: 1 << 26 }
  return run(process.execPath, program, options)
    .catch((error: { stdout: string }) => error)
    .then(({ stdout }) => stdout)
}

t.test('openapi.json has no error and no warning of redocly and of spectral', { skip }, async (t) => {
  const described = join(root, 'openapi.json')
  const [redocly, spectral] = await Promise.all([
    tool('redocly', 'lint', described, '--format=json'),
    tool('spectral', 'lint', described, '--ruleset', join(source, 'spectral.yaml'), '--format', 'json', '--quiet'),
  ])
  const problems = (
    JSON.parse(redocly) as { problems: { severity: string; ruleId: string; message: string; location: { pointer?: string }[] }[] }
  ).problems
  // An id is none of the words that stand in its place: /api/fax/previews/{previewId} and /api/fax/{faxId}/retry are two.
  t.same(
    problems
      .filter(({ ruleId }) => ruleId !== 'no-ambiguous-paths')
      .map(({ severity, ruleId, message, location }) => `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`),
    [],
  )
  const found = JSON.parse(spectral) as { code: string; path: string[]; message: string }[]
  t.same(
    found.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`),
    [],
  )
})

t.test('a client generated for openapi-fetch compiles in strict mode and works', { skip }, async (t) => {
  const dir = mkdtempSync(join(folder, 'client-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const daemon = await Daemon.create({
    app: `http://127.0.0.1:${await freePort()}`,
    trunkPort: await freePort(),
    settings: (settings) => {
      settings['sms'] = { trunks: [{ id: 'gsm1', kind: 'sim', number: '+15550002000' }] }
      settings['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    },
  })
  t.teardown(() => daemon.close())
  await fillInbox(join(daemon.dir, 'var'), 2)
  await daemon.start()
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  writeFileSync(join(dir, 'interface.ts'), await typesOf(await (await fetch(`${daemon.http}/openapi.json`)).text()))
  cpSync(join(source, 'program.txt'), join(dir, 'program.ts'))
  const strict = ['--ignoreConfig', '--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions']
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = await run(process.execPath, [compiler, ...strict, ...types, 'program.ts'], { cwd: dir }).catch(
    (error: { stdout: string }) => error,
  )
  t.equal(compiled.stdout, '', 'nothing to complain of')
  const { stdout } = await run(process.execPath, ['program.ts', daemon.http, daemon.token], { cwd: dir })
  t.same(JSON.parse(stdout), {
    sent: 2,
    texts: ['Echo, please.', 'Echo, please.'],
    pages: 1,
    pdf: 30_000,
    calls: 0,
    dialled: 'user_unknown',
    code: 'number_invalid',
    where: ['/to'],
    warnings: ['/mesage is not used'],
    unknown: [401, 'missing_token'],
  })
})
