/** `pbx fax` against the control socket of a box whose far ends the test plays. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t, { type Test } from 'tap'
import { eraseFax } from '../../daemon/fax/part.ts'
import { faxRoutes } from '../../daemon/fax/routes.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { pbxOn } from '../harness/pbx.ts'
import { log, Stage, takes } from './stage.ts'

async function box(t: Test): Promise<{ stage: Stage; pbx: ReturnType<typeof pbxOn>; letter: string }> {
  const stage = await Stage.open(t)
  const socket = join(stage.dir, 'pbxd.sock')
  const { store, fax } = stage
  const routes = faxRoutes({ queue: fax.queue, desk: fax.desk, hasLine: () => fax.hasLine() }, eraseFax(store, fax))
  const control = await startSocket({ socket, routes, log })
  t.teardown(() => control.close())
  stage.fax.queue.start()
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('A letter', { x: 50, y: 700 })
  const letter = join(stage.dir, 'letter.pdf')
  writeFileSync(letter, await document.save())
  const pbx = pbxOn(socket)
  return { stage, pbx, letter }
}

t.test('pbx fax send shows how it goes and ends with what became of it', async (t) => {
  const { stage, pbx, letter } = await box(t)
  const running = pbx('fax', 'send', letter, '--to', '555-123-0001', '--subject', 'Referral')
  const leg = await stage.dialled(1)
  await takes(stage, leg, 1)
  // The program reads the first report before the next one comes.
  await stage.until(() => stage.fax.queue.list({ limit: 1 })[0]?.row.pagesSent === 1)
  leg.progress({ phase: 'confirmed', pages: 2 })
  leg.result(0)
  await stage.until(() => stage.fax.queue.waiting === 0)
  const { code, out, error } = await running
  t.equal(code, 0, error)
  t.match(out, /fax [0-9a-f-]{36}: 2 pages to \+15551230001/)
  t.match(out, /calling \+15551230001, about \d+s left/)
  t.match(out, /1\/2 page 1 confirmed, about \d+s left/)
  t.match(out, /sent: 2 pages in .*with error correction, received by \+1 555 123 0001\.\n$/)
})

t.test('pbx fax list, show, retry and cancel', async (t) => {
  const { stage, pbx, letter } = await box(t)
  t.match(await pbx('fax', 'list'), { code: 0, out: 'none\n' })
  const sent = await pbx('fax', 'send', letter, '--to', '+15551230001', '--no-wait')
  t.match(sent, { code: 0, out: /accepted, 1 page to \+15551230001; see "pbx fax show [0-9a-f-]{36}"/ }, sent.error)
  const first = await stage.dialled(1)
  first.ring()
  first.end({ reason: 'rejected', sipCode: 486 })
  await stage.until(() => stage.fax.queue.list({ limit: 1 })[0]?.row.state === 'retrying')
  t.match(await pbx('fax', 'list'), { out: /retrying +0\/1 +1 .*The number is busy\. Next try at / })
  t.match(await pbx('fax', 'retry', 'last'), { code: 0, out: /will be (sent|called) now/ })
  const second = await stage.dialled(2)
  second.end({ reason: 'rejected', sipCode: 603 })
  await stage.until(() => stage.fax.queue.waiting === 0)
  const shown = await pbx('fax', 'show', 'last')
  t.match(shown.out, /failed \(rejected\): The far end rejected the call\. 0 of 1 page arrived\./)
  t.match(shown.out, /SIP 486[\s\S]*SIP 603[\s\S]*pbx trace CA[0-9a-f]{32}/)
  t.match(await pbx('fax', 'cancel', 'last'), { code: 1, error: /already ended/ })
  t.match(await pbx('fax', 'retry', 'last'), { code: 0, out: /sent again as a new fax/ })
  await stage.dialled(3)
  t.match(await pbx('fax', 'cancel', 'last'), { code: 0, out: /canceled: 0 of 1 page arrived/ })
  t.match(await pbx('fax', 'show', 'ffffffff'), { code: 1, error: /There is no fax ffffffff/ })
  t.match(await pbx('fax', 'send', join(stage.dir, 'none.pdf'), '--to', '1'), { code: 2, error: /cannot be read/ })
  t.match(await pbx('fax', 'send', letter, '--to', '1'), { code: 1, error: /Short numbers are not faxed; numbers\.allow/ })
  t.equal((JSON.parse((await pbx('fax', 'list', '--json', '--state', 'canceled')).out) as unknown[]).length, 1)
})
