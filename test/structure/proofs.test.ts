/** Each proof has its row in the index, and a page or a script that uses its result: what nobody reads is deleted. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { proofNames } from '../proofs/main.ts'

t.test('the index of proofs lists each, and no other', (t) => {
  const rows = [...readFileSync('test/proofs/README.md', 'utf8').matchAll(/^\| `([\w-]+)`\s*\|/gm)].map(([, name]) => name)
  t.same(rows, proofNames())
  t.end()
})

t.test('each proof is cited by a page, or run by a script', (t) => {
  const texts = execFileSync('git', ['ls-files', 'docs', 'README.md', 'scripts', 'package.json'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => /\.(md|json|mjs)$|^scripts\/[\w-]+$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
  const isCited = (name: string): boolean => {
    const cited = new RegExp(`proofs/${name}/|proofs/box/${name}\\.sh|proofs (?:-- )?${name}\\b|npm run ${name}\\b`)
    return texts.some((text) => cited.test(text))
  }
  t.same(
    proofNames().filter((name) => !isCited(name)),
    [],
  )
  t.end()
})
