/** The work of a house on a real store, with the records of calls, the inbox and the wishes of queues that make it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { newId } from '../../daemon/base/ids.ts'
import { putCall } from '../../daemon/calls/live-index.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { History } from '../../daemon/history/history.ts'
import { CallRecords } from '../../daemon/history/records.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallLegRow, CallRow, InboxSmsRow, QueueCallbackRow } from '../../daemon/store/tables.ts'
import type { WishChange } from '../../daemon/pbx/queues/callbacks.ts'
import { workPart } from '../../daemon/work/part.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })

export async function stage(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-work-'))
  const store = await openStore(join(dir, 'store'), log)
  const clock = new FakeClock(Date.UTC(2026, 2, 2, 14))
  const history = new History({ store, clock, keepDays: 730 })
  const records = new CallRecords({ store, clock, history, live: () => undefined })
  const inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: ['100', '105'] })
  let wish: (row: QueueCallbackRow, change: WishChange) => void = () => undefined
  const callbacks = { onChange: (work: typeof wish): void => void (wish = work) }
  const config = { voice: { historyDays: 730 } } as never
  const names = new Map<string, string>()
  const part = workPart({ config, store, clock, log }, { records, inbox, callbacks, nameOf: (number) => names.get(number) ?? '' })
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const put = (row: CallRow): Promise<void> =>
    store.transaction(() => {
      records.write(row)
      putCall(store.tables, row)
    })
  const leg = (to: string, trunkId: string, answered: boolean): CallLegRow => ({
    ...{ to, trunkId, state: 'completed', startedAt: clock.now(), endedAt: clock.now() + 5, sipCode: 0 },
    answeredAt: answered ? clock.now() + 1 : null,
  })
  /** A call that has begun and ended, with its legs. */
  const call = async (more: Partial<CallRow>): Promise<string> => {
    clock.advance(10_000)
    const row: CallRow = {
      ...newCallRow(clock.now(), 'inbound'),
      ...{ from: '+15551234567', to: '+15550001000', trunkId: 'main' },
      ...more,
    }
    const { state: _, endReason: __, ...begun } = row
    await put({ ...begun, state: 'in-progress', answeredAt: row.answeredAt, endReason: null } as CallRow)
    await put({ ...row, state: 'completed', endedAt: clock.now() + 5000, endedBy: row.endedBy ?? 'caller' })
    return row.callId
  }
  return {
    ...{ dir, store, clock, records, history, inbox, work: part.work, views: part.views, routes: part.routes ?? [], names, put, call, leg },
    /** A caller whom nobody talked to. */
    missed: (from = '+15551234567', more: Partial<CallRow> = {}): Promise<string> =>
      call({ from, answeredAt: clock.now(), endReason: 'caller-hangup', legs: [leg('101', '', false)], ...more } as Partial<CallRow>),
    text: (more: Partial<InboxSmsRow> = {}): Promise<string> => {
      const item = {
        ...{ id: newId(), from: '+15551234567', to: '+15550001000', receivedAt: clock.now(), sha256: '', bytes: 0 },
        ...{ body: 'Hello', segments: 1, encoding: 'GSM-7' as const, trunkId: 't', ...more },
      }
      return store.transaction(() => void inbox.sms.insert(item)).then(() => item.id)
    },
    voicemail: async (ext: string): Promise<string> => {
      const file = join(dir, `${newId()}.wav`)
      writeFileSync(file, 'RIFF')
      const { id } = await inbox.publishVoicemail(
        {
          ...{ id: newId(), from: '+15551234567', to: '+15550001000', receivedAt: clock.now(), ext, callerName: 'Ana', callId: 'CA1' },
          ...{ durationSeconds: 3, transcript: 'Hi', transcriptStatus: 'done' as const },
        },
        file,
      )
      return id
    },
    wish: (id: string, change: WishChange): Promise<void> =>
      store.transaction(() =>
        wish({ id, queue: 'nurses', number: '+15551234567', name: 'Ana', placeAt: clock.now(), priority: 0, tries: 0 }, change),
      ),
  }
}

export type Stage = Awaited<ReturnType<typeof stage>>
