/**
 * npm run proofs [NAME [ARGUMENTS...]]: runs `test/proofs/NAME/main.ts` or, of the proofs of a booted Debian, `test/proofs/box/NAME.sh`. Without a
 * name it lists them. Options need `--` for npm: npm run proofs -- calls --calls 1000. The index is README.md of this folder.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Sourced by the others of its folder. */
const notByThemselves = ['lib', 'steps']

export function proofNames(): string[] {
  const folders = readdirSync(import.meta.dirname).filter((name) => existsSync(join(import.meta.dirname, name, 'main.ts')))
  const scripts = readdirSync(join(import.meta.dirname, 'box')).filter((name) => name.endsWith('.sh'))
  const steps = scripts.map((name) => name.slice(0, -'.sh'.length)).filter((name) => !notByThemselves.includes(name))
  return [...folders, ...steps].toSorted()
}

if (import.meta.main) {
  const [name = '', ...rest] = process.argv.slice(2)
  if (!proofNames().includes(name)) {
    process.stderr.write(`usage: npm run proofs NAME\nproofs: ${proofNames().join(', ')}\n`)
    process.exit(name === '' ? 0 : 2)
  }
  const main = join(import.meta.dirname, name, 'main.ts')
  const [program, file] = existsSync(main) ? [process.execPath, main] : ['sh', join(import.meta.dirname, 'box', `${name}.sh`)]
  const { status } = spawnSync(program, [file, ...rest], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
