/** A call that ends on a disk that is nearly full is kept; its history follows when there is room. */
import { join } from 'node:path'
import t from 'tap'
import { putCall } from '../../daemon/calls/live-index.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { History } from '../../daemon/history/history.ts'
import { CallRecords } from '../../daemon/history/records.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { SmallDisk } from '../harness/small-disk.ts'

const disk = SmallDisk.mount('size=100m')

t.test(
  'the row of the call first, its history later, each call once',
  { skip: disk === null && 'no small file system here' },
  async (t) => {
    const clock = new FakeClock()
    const store = await openStore(join(disk!.dir, 'store'), createLog({ level: 'silent' }))
    t.teardown(async () => {
      await store.close()
      disk!.close()
    })
    const history = new History({ store, clock, keepDays: 730 })
    const told: string[] = []
    const records = new CallRecords({ store, clock, history, live: () => undefined })
    records.watch({ changed: ({ callId }) => void told.push(callId) })
    const ended = async (): Promise<string> => {
      const at = clock.now()
      const row: CallRow = {
        ...newCallRow(at, 'inbound'),
        state: 'completed',
        startedAt: at,
        endedAt: at + 1000,
        endReason: 'caller-hangup',
      }
      await store.transaction(() => {
        records.write(row)
        putCall(store.tables, row)
      }, 'calls')
      return row.callId
    }
    const before = await ended()
    await disk!.filledTo(0)
    const during = [await ended(), await ended()]
    for (const callId of during) {
      t.equal(store.tables.calls.get(callId)?.state, 'completed', 'the call is kept')
      t.equal(history.find(callId), undefined)
    }
    await records.catchUp()
    t.equal(history.find(during[0]!), undefined, 'there is no room yet')
    await disk!.filledTo(50_000_000)
    const after = await ended()
    await records.catchUp()
    for (const callId of [before, ...during, after]) t.ok(history.find(callId), callId)
    t.equal(store.tables.history.count(), 4)
    t.same(told.toSorted(), [before, ...during, after].toSorted(), 'who watches is told of each once')
  },
)
