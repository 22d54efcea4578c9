/** What calls that are not answered yet count against the ceilings of a day, compared with a count of all of them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { CallMinutes } from '../../daemon/calls/minutes.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { Ceilings } from '../../daemon/ceilings/ceilings.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createReach } from '../../daemon/numbers/reach.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const numbers = { home: '+12125550100', abroad: '+442079460018' }

t.test('a call counts as a minute of the box and of its token from its acceptance to its answer, its end or its withdrawal', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-minutes-'))
  const log = createLog({ level: 'silent' })
  const store = await openStore(dir, log)
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const clock = new FakeClock(Date.parse('2026-03-03T12:00:00Z'))
  const most = (callMinutes: number, internationalMinutes: number) => ({ texts: 1, faxes: 1, callMinutes, internationalMinutes })
  const perDay = { ...most(6, 3), perToken: most(4, 2), tokens: {} }
  const config = { site: { country: 'US', timeZone: 'UTC' }, numbers: { international: ['GB'], allow: [], deny: [] }, limits: { perDay } }
  const ceilings = new Ceilings({ config: config as never, store, clock })

  const step = fc.record({
    what: fc.constantFrom('accept', 'answer', 'end', 'take back', 'ask of one that lives'),
    which: fc.nat(9),
    to: fc.constantFrom(numbers.home, numbers.abroad),
    token: fc.constantFrom('', 'first', 'second'),
    trunkId: fc.constantFrom('main', 'main', 'main', ''),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), (steps) => {
      const minutes = new CallMinutes({ ceilings, reach: createReach(config), store, clock, log })
      const rows: CallRow[] = []
      const coming = () => rows.filter(({ trunkId, answeredAt, state }) => trunkId !== '' && answeredAt === null && state === 'queued')
      const expected = (to: string, token: string, without?: CallRow): boolean => {
        const others = coming().filter((row) => row !== without)
        const fits = (some: CallRow[], [calls, abroad]: [number, number]) =>
          some.length + 1 <= calls && some.filter((row) => row.to === numbers.abroad).length + (to === numbers.abroad ? 1 : 0) <= abroad
        // No ceiling of what the call does not need stands in its way.
        const home = (some: CallRow[], [calls]: [number, number]) => some.length + 1 <= calls
        const judge = others.some((row) => row.to === numbers.abroad) || to === numbers.abroad ? fits : home
        return (
          judge(others, [6, 3]) &&
          (token === '' ||
            judge(
              others.filter((row) => row.token === token),
              [4, 2],
            ))
        )
      }
      for (const { what, which, to, token, trunkId } of steps) {
        const row = rows[which]
        if (what === 'accept') {
          if ((minutes.refusal({ to, token }) === null) !== expected(to, token)) return false
          const added = Object.assign(newCallRow(clock.now(), 'outbound'), { to, token, trunkId })
          rows.push(added)
          minutes.expect(added)
        } else if (row === undefined) continue
        else if (what === 'ask of one that lives') {
          const call = { row } as never
          if ((minutes.refusal(row, call) === null) !== expected(row.to, row.token ?? '', row)) return false
        } else if (what === 'take back') {
          minutes.takeBack(row)
          rows.splice(which, 1)
        } else {
          if (what === 'answer') row.answeredAt = clock.now()
          else row.state = 'failed'
          minutes.takeBack(row)
        }
      }
      return true
    }),
  )
})
