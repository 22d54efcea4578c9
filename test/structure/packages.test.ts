/**
 * The packages of npm: exact versions, checked against their hashes; each one that a file imports is declared, each one that is declared is used,
 * and each one that is passed on is so with its licence.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { licences } from '../../scripts/deb/licences.ts'

const text = (file: string): string => readFileSync(file, 'utf8')
const { dependencies, optionalDependencies, devDependencies } = JSON.parse(text('package.json')) as Record<
  'dependencies' | 'optionalDependencies' | 'devDependencies',
  Record<string, string>
>
const installed = { ...dependencies, ...optionalDependencies }
const declared = { ...installed, ...devDependencies }

/** The peer of the benchmark has a package.json of its own, and an application on the packed helpers is installed with what it names. */
const programs = ['daemon', 'drivers', 'scripts', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((name) => /\.m?tsx?$|\.mjs$/.test(name) && !/^test\/proofs\/(bench\/|sdk\/application)/.test(name))
  .map((name) => ({ name, text: text(name) }))

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

function packagesOf(source: string): string[] {
  return [
    ...source.matchAll(
      /^(?:import|export) (?:[^'"`\n]*? from )?'([a-z@][^'\n]*)'|^\} from '([a-z@][^'\n]*)'|\b(?:import|require)\('([a-z@][^'\n]*)'\)/gm,
    ),
  ]
    .map(([, whole, several, late]) => (whole ?? several ?? late) as string)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map(packageOf)
}

t.test('a package that a file imports is declared, and what runs in a house is no package of development', async (t) => {
  const found = programs.flatMap(({ name, text }) => packagesOf(text).map((one) => ({ name, one })))
  t.ok(found.length > 150, `${found.length} imports`)
  t.same(
    // An application imports this package itself by its name: its helpers for developers are what it exports.
    found.filter(({ one }) => one !== 'pbxd' && !(one in declared)),
    [],
  )
  t.same(
    found.filter(({ name, one }) => /^(daemon|drivers|scripts\/cli)\//.test(name) && !(one in installed)),
    [],
  )
})

t.test('a package that is declared is used: a file names it, or a script runs it', async (t) => {
  const scripts = ['scripts/run', 'scripts/setup', 'scripts/test.mjs'].map(text).join('\n')
  const others = programs.filter(({ name }) => !name.startsWith('test/structure/'))
  const imported = (name: string): boolean => others.some(({ text }) => text.includes(`'${name}'`) || text.includes(`'${name}/`))
  const used = (name: string): boolean => scripts.includes(`/${name}`) || imported(name)
  // oxlint finds it by itself, for --type-aware.
  t.same(
    Object.keys(declared).filter((name) => !used(name.replace('@types/', ''))),
    ['oxlint-tsgolint'],
  )
})

t.test('every package that npm fetches is held against its hash, and every version is exact', async (t) => {
  const { packages } = JSON.parse(text('package-lock.json')) as {
    packages: Record<string, { version?: string; integrity?: string; os?: string[]; link?: boolean }>
  }
  const fetched = Object.entries(packages).filter(([folder, { os }]) => folder !== '' && !os?.includes('none'))
  t.same(
    fetched.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? '')).map(([folder]) => folder),
    [],
  )
  t.ok(fetched.length > 300, `${fetched.length} packages`)
  t.same(
    Object.entries(declared).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
    [],
  )
})

t.test('each package of a house has a licence whose words the Debian package brings', async (t) => {
  const folders = execFileSync(process.execPath, ['scripts/production-packages.mjs'], { encoding: 'utf8' }).trim().split('\n')
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  const texts = licences('.', files)
  const names = new Set(texts.map((one) => /^== (\S+)/.exec(one)?.[1]))
  t.same(
    folders.map((folder) => folder.split('node_modules/').at(-1)).filter((name) => !names.has(name)),
    [],
  )
  t.match(texts.at(-1), /^== Silero VAD\n\nCopyright [^]+Permission is hereby granted/)
})

t.test('a CommonJS package that is loaded at its first use is taken by its default: in the bundle it has no names', (t) => {
  const found = programs
    .filter(({ name }) => name.endsWith('.ts') && !name.startsWith('test/'))
    .flatMap(({ name: file, text }) =>
      [...text.matchAll(/\{([^{}]*)\} = await import\('([^.'][^']*)'\)(?!\))/g)].map(([, names, name]) => ({ file, names, name })),
    )
    .filter(({ name }) => !name!.startsWith('node:'))
    .filter(({ name, names }) => !(names as string).includes('default:') && !isModule(name as string))
  t.same(found, [])
  t.end()
})

function isModule(name: string): boolean {
  const [scope, part] = name.split('/')
  const folder = name.startsWith('@') ? `${scope}/${part}` : scope
  return JSON.parse(text(`node_modules/${folder}/package.json`)).type === 'module'
}
