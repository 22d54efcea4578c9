/** A child that is given no processor says nothing about its PDF: it has its time again, and then the machine is to blame. With real limits. */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { inspectPdf, PageError, renderJob, StarvedError } from '../../daemon/fax/pages/pages.ts'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { letter } from './documents.ts'
import { folder } from './fax-file.ts'
import { pictureBomb } from './hostile.ts'
import { found } from '../harness/waiting.ts'

const work = folder()
t.teardown(work.remove)

/** The child of ours that reads PDFs, as soon as it is Node. */
async function reader(): Promise<number> {
  return found('the child', () => childrenOf(process.pid).find((pid) => commandOf(pid).includes('fax-render')), undefined, 1)
}

/** Takes the processor from it for so long: it is there, and does not run. */
async function hold(ms: number): Promise<void> {
  const pid = await reader()
  process.kill(pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, ms))
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It was ended meanwhile.
  }
}

t.test('a child that never gets the processor: after three times its time the machine was too busy', async (t) => {
  const pdf = work.file('letter.pdf', await letter())
  const began = performance.now()
  const looking = inspectPdf(pdf, { milliseconds: 400 })
  let free = false
  const held = hold(8000).finally(() => (free = true))
  await t.rejects(looking, StarvedError)
  const took = performance.now() - began
  t.ok(took >= 1200, `not before its time was over three times: ${took} ms`)
  t.notOk(free, `and not when it was let go: ${took} ms`)
  await held
})

t.test('a child that gets the processor again in time goes on and is right', async (t) => {
  const pdf = work.file('late.pdf', await letter())
  const drawing = renderJob({ pdf, directory: join(work.path, 'late'), limits: { pageMilliseconds: 8000, totalMilliseconds: 60_000 } })
  const held = hold(9000)
  t.equal((await drawing).pages, 1)
  await held
})

t.test('a PDF that takes the processor for all its time is to blame itself', async (t) => {
  const pdf = work.file('bomb.pdf', pictureBomb())
  const error = await renderJob({ pdf, directory: join(work.path, 'bomb'), limits: { pageMilliseconds: 1500 } }).catch(
    (thrown: unknown) => thrown,
  )
  // Where others take more than half of the processors, either error is right.
  if (Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]) > availableParallelism())
    t.ok(error instanceof PageError || error instanceof StarvedError)
  else t.match(error, { name: 'PageError', code: 'pdf_unreadable' })
})

t.test('without the memory to begin the machine is to blame, with it the same PDF is read', async (t) => {
  const pdf = work.file('small.pdf', await letter())
  const confine = join(work.path, 'confine')
  // In front of all that the child is made of: less address space than Node asks for.
  writeFileSync(confine, `#!/bin/sh\nexec prlimit --as=400000000 -- "${resolve('.cache/pbx-confine')}" "$@"\n`, { mode: 0o755 })
  process.env['PBXD_CONFINE'] = confine
  t.teardown(() => delete process.env['PBXD_CONFINE'])
  await t.rejects(inspectPdf(pdf, { milliseconds: 20_000 }), StarvedError)
  delete process.env['PBXD_CONFINE']
  t.same(await inspectPdf(pdf, { milliseconds: 20_000 }), { pages: 1, warnings: [] })
})
