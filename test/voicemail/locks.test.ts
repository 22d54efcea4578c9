/** Wrong PINs keep out who tried them, and nobody else. */
import tap, { type Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { Locks } from '../../daemon/voicemail/menu/locks.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })
const hour = 3_600_000

async function box(t: Test) {
  const clock = new FakeClock()
  const store = await openStore(t.testdir(), log)
  t.teardown(() => store.close())
  const locks = new Locks({ store, clock, log })
  const guess = async (phone: string, times: number, ext = '101'): Promise<void> => {
    for (let n = 0; n < times; n++) await locks.wrong(ext, phone)
  }
  return { clock, store, locks, guess }
}

tap.test(
  'ten wrong PINs in an hour lock the phone that guessed out of that box, and no other phone, the own one first of all',
  async (t) => {
    const { locks, guess } = await box(t)
    await guess('102', 9)
    t.equal(locks.isLocked('101', '102'), false)
    await guess('102', 1)
    t.equal(locks.isLocked('101', '102'), true)
    for (const phone of ['101', '103', '']) t.equal(locks.isLocked('101', phone), false, `the phone ${phone}`)
    t.equal(locks.isLocked('103', '102'), false, 'nor of another box')
    await guess('103', 9)
    await guess('101', 9)
    for (const phone of ['101', '103']) t.equal(locks.isLocked('101', phone), false, `${phone} has tries of its own`)
    t.same(
      locks.locked().map(({ ext, phone }) => [ext, phone]),
      [['101', '102']],
    )
  },
)

tap.test('the tries of an hour count, over restarts; the lock ends after an hour, or by hand for all phones', async (t) => {
  const { clock, store, locks, guess } = await box(t)
  await guess('102', 5)
  clock.advance(hour + 1)
  await guess('102', 9)
  t.equal(locks.isLocked('101', '102'), false, 'those of before are forgotten')
  await guess('102', 1)
  await guess('103', 10)
  const again = new Locks({ store, clock, log })
  t.equal(again.isLocked('101', '102'), true)
  clock.advance(hour - 1)
  t.equal(again.isLocked('101', '102'), true)
  clock.advance(2)
  t.equal(again.isLocked('101', '102'), false)
  await guess('102', 10)
  await guess('103', 10)
  await guess('104', 10, '1010')
  let noted = 0
  t.equal(await locks.unlock('101', () => noted++), true)
  t.same([locks.isLocked('101', '102'), locks.isLocked('101', '103'), locks.isLocked('1010', '104'), noted], [false, false, true, 1])
  t.equal(await locks.unlock('101', () => noted++), false)
})
