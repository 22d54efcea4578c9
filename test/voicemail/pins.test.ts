/** Which PIN opens a mailbox, over restarts with other configurations. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLog } from '../../daemon/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { Pins } from '../../daemon/voicemail/pins.ts'
import { FakeClock } from '../harness/fake-clock.ts'

t.test('the last one set counts: at the phone, or by a configuration that was changed since; none of them can be read', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-pins-'))
  const store = await openStore(dir, createLog({ level: 'silent' }))
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  /** Started with this PIN in the configuration. */
  const run = async (pin?: string) => {
    const box = { ext: '101', maxSeconds: 60, transcribe: false, transcriptInMail: false, ...(pin === undefined ? {} : { pin }) }
    const pins = new Pins({ config: { mailboxes: [box], extensions: [] }, store, clock: new FakeClock() })
    await pins.start()
    return pins
  }
  const open = async (pins: Pins, ...tried: string[]) => Promise.all(tried.map((pin) => pins.opens('101', pin)))
  const first = await run('1234')
  t.same([await first.needed('101'), await open(first, '1234', '12345', '')], [true, [true, false, false]])
  let recorded = 0
  await first.set('101', '86420', () => (recorded += 1))
  t.equal(recorded, 1)
  t.same(await open(first, '1234', '86420'), [false, true])
  t.same(await open(await run('1234'), '1234', '86420'), [false, true], 'over a restart')
  const changed = await run('9999')
  t.same(await open(changed, '1234', '86420', '9999'), [false, false, true], 'the configuration was changed since')
  t.same(await open(await run('1234'), '86420', '1234'), [false, true], 'and does not come back')
  const none = await run()
  t.equal(await none.needed('101'), false)
  await none.set('101', '1357', () => undefined)
  t.same([await none.needed('101'), await open(none, '1357', '')], [true, [true, false]], 'a box without one')
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name))
  const content = files.flatMap((file) => (/\.(mdb|lmdb|db)$|data/.test(file) ? [readFileSync(file).toString('latin1')] : [])).join('')
  t.ok(content.includes('configured'), 'the rows are in these files')
  t.notMatch(content, /86420|1357/)
})
