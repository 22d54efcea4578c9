/** A fax whose modem changes to its class first: orders to the call meanwhile are not forgotten. */
import t from 'tap'
import { begunAfter, type RunningCall } from '../../drivers/modem/fax-call.ts'
import { undialled } from '../../drivers/modem/dialling.ts'

for (const what of ['stop', 'lost'] as const) {
  t.test(`${what} before it has begun, and after`, async (t) => {
    const ready = Promise.withResolvers<void>()
    const told: string[] = []
    const result = undialled('canceled', '')
    const begun = Promise.withResolvers<void>()
    const call = begunAfter(ready.promise, (): RunningCall => {
      begun.resolve()
      return { result: Promise.resolve(result), stop: () => void told.push('stop'), lost: () => void told.push('lost') }
    })
    call[what]()
    t.same(told, [])
    ready.resolve()
    await begun.promise
    t.same(await call.result, result)
    t.same(told, [what])
    call[what]()
    t.same(told, [what, what])
  })
}
