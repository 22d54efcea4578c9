/** What a page quotes of the box, the box says: people look for these words. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../harness/daemon.ts'

const sources = ['daemon', 'drivers', 'scripts']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)))
  .filter((file) => /\.(ts|cc)$|\/scripts\/upgrade$/.test(file))
  .map((file) => readFileSync(file, 'utf8'))

/** In the first cell of a row, or before a colon in the cell of the cause: "says so". The page of the office quotes telephones. */
const quoted = /^\| [^|]*"([^"|]{8,})"|\. "([^"|]{8,})":/gm

t.test('a text of the box that a page quotes is one', async (t) => {
  const pages = ['troubleshooting.md', 'changing-configuration.md', 'upgrade.md', 'analog.md', 'fax.md']
  const quotes = pages.flatMap((page) =>
    [...readFileSync(join(root, 'docs', page), 'utf8').matchAll(quoted)].map(([, first, second]) => ({ page, words: first ?? second! })),
  )
  t.ok(quotes.length >= 10, `${quotes.length} quotes`)
  const isSaid = (words: string): boolean => sources.some((source) => source.includes(words))
  t.same(
    quotes.filter(({ words }) => !isSaid(words)),
    [],
  )
})
