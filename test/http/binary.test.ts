/** Whose binary of uWebSockets.js is loaded: npm's, or where npm has none the one that an administrator supplied. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { loadUws } from '../../daemon/http/uws.ts'

const real = createRequire(import.meta.url)
const onlySupplied = (name: string): unknown => {
  if (!name.startsWith('/')) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' })
  return real(name)
}
const fileName = `uws_linux_${process.arch}_${process.versions.modules}.node`

t.test('neither is there: node:http serves', async (t) => {
  t.equal(loadUws(t.testdir(), onlySupplied), undefined)
})

t.test('what was supplied is of another machine: node:http serves', async (t) => {
  const dir = t.testdir()
  writeFileSync(join(dir, fileName), 'no library')
  t.equal(loadUws(dir, onlySupplied), undefined)
})

t.test('npm has none, one was supplied', { skip: process.arch !== 'x64' && 'npm has no binary to supply' }, async (t) => {
  const dir = t.testdir()
  copyFileSync(real.resolve('@uwsjs/linux-x64-22').replace(/[^/]+$/, 'uws.node'), join(dir, fileName))
  t.type(loadUws(dir, onlySupplied)?.App, 'function')
})
