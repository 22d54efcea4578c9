/**
 * Makes one file of each package that most tests load, whose hundreds of modules would take a fifth of a second of each test's start
 * (scripts/test-ahead.mjs has them used).
 *   node scripts/test-modules.mjs
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** What tap takes for a place of its own is left out of the stacks that it shows. */
const folder = join(root, '.cache', 'test-modules', 'node_modules', '@tapjs', 'whole')
export const packages = [
  'tap',
  'fast-check',
  '@sinclair/typebox',
  '@sinclair/typebox/value',
  'ajv',
  'ajv-formats',
  'yaml',
  'pdf-lib',
  'libphonenumber-js/max',
]
export const fileOf = (name) => join(folder, `${name.replaceAll('/', '+')}.mjs`)

/** A package in CommonJS is one value; its members are those that Node finds in it. */
async function entryOf(name) {
  const members = Object.keys(await import(name)).filter((member) => member !== 'default' && member !== 'module.exports')
  return `import * as all from '${name}'
const whole = all.default ?? all
export default whole
${members.map((member) => `export const ${member} = all.${member} ?? whole.${member}`).join('\n')}
`
}

async function make() {
  const { build } = await import('esbuild')
  const entries = join(folder, 'entries')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(entries, { recursive: true })
  for (const name of packages) writeFileSync(join(entries, `${name.replaceAll('/', '+')}.mjs`), await entryOf(name))
  await build({
    entryPoints: packages.map((name) => join(entries, `${name.replaceAll('/', '+')}.mjs`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // It gives each program that a test starts a module from its own folder.
    external: ['@tapjs/processinfo'],
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
    logLevel: 'warning',
  })
}

if (process.argv[1] === import.meta.filename) {
  await make()
  writeFileSync(join(folder, 'done'), '')
}
