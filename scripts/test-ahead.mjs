/**
 * Loaded ahead of each file of tests (node --import), whose start is a third of what they cost: the packages that most of them load come from one
 * file each (scripts/test-modules.mjs), for the tests and what they test, while packages load each other as they are; and the sources without
 * their types come from where they are kept (scripts/test-stripped.mjs). Processes and threads that the tested sources start, and the check of the
 * configuration, are those that scripts/setup compiled just before: from sources each would take out types, and compile, what it loads by itself.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fileOf, packages } from './test-modules.mjs'
import { stripped } from './test-stripped.mjs'

const urls = new Map(packages.map((name) => [name, pathToFileURL(fileOf(name)).href]))

const root = resolve(import.meta.dirname, '..')
const program = join(root, '.cache', 'program')
const code = existsSync(join(program, 'daemon', 'main.js')) ? join(root, 'drivers', 'code.ts') : ''
const compiledCode = `export const code = ${JSON.stringify(program)}
export const codeFile = (name) => code + '/' + name + '.js'`
// As scripts/start says it to what is compiled.
process.env['PBXD_ROOT'] ??= root

registerHooks({
  resolve(specifier, context, next) {
    const url = urls.get(specifier)
    if (url === undefined || context.parentURL?.includes('/node_modules/') || !context.conditions.includes('import'))
      return next(specifier, context)
    return { url, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    const file = url.startsWith('file:') ? fileURLToPath(url) : undefined
    const source = file === undefined ? undefined : file === code ? compiledCode : stripped(file)
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})

/** The last line of what a file of tests says: what it, and all that it started and saw end, took of the processors (proc(5), ticks of 10 ms). */
if (process.argv[1]?.endsWith('.test.ts'))
  process.once('exit', () => {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ').map(Number)
    const sum = (...places) => places.reduce((total, place) => total + fields[place], 0)
    writeSync(1, `# spent user=${sum(11, 13)} kernel=${sum(12, 14)} faults=${sum(7, 8)}\n`)
  })
