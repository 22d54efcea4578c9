/** Code that has a PDF read does not stand still while the child is started: Node's main thread has no child of its own meanwhile. */
import { getActiveResourcesInfo } from 'node:process'
import t from 'tap'
import { inspectPdf, PageError } from '../../daemon/fax/pages/pages.ts'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { letter } from './documents.ts'
import { folder } from './fax-file.ts'
import { eventually } from '../harness/waiting.ts'

const work = folder()
t.teardown(work.remove)
const children = (): number => getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length

t.test('the child that reads a PDF is started by another thread', async (t) => {
  const pdf = work.file('letter.pdf', await letter())
  const before = children()
  const looking = inspectPdf(pdf)
  await eventually('the child', () => childrenOf(process.pid).some((pid) => commandOf(pid).includes('fax-render')), undefined, 5)
  t.equal(children(), before)
  t.match(await looking, { pages: 1 })
})

t.test('it ends with what asked for it: whoever gives up hears his own reason, and another is read', async (t) => {
  const pdf = work.file('again.pdf', await letter())
  const aborter = new AbortController()
  const looking = inspectPdf(pdf, { signal: aborter.signal })
  aborter.abort(new PageError('internal', 'nobody waits'))
  await t.rejects(looking, { message: 'nobody waits' })
  t.match(await inspectPdf(pdf), { pages: 1 })
})
