/** What modems of class 2 say and are sent, as tables; and calls with modems that say anything. */
import fc from 'fast-check'
import t from 'tap'
import { readAbilities, readTerms, writeTerms, type Class2 } from '../../drivers/modem/class2/dialects.ts'
import type { Answer, ReplyCode } from '../../drivers/modem/class2/effects.ts'
import { hangUpOf } from '../../drivers/modem/class2/hangup.ts'
import { receiveCall } from '../../drivers/modem/class2/receive-call.ts'
import { sendCall } from '../../drivers/modem/class2/send-call.ts'
import { shielded, Unshield } from '../../drivers/modem/class2/shielding.ts'
import { order } from './class2-script.ts'

t.test('whatever a modem says, a call comes to its end', async (t) => {
  const line = fc.oneof(
    fc.constantFrom(
      '+FCON',
      '+FCO',
      '+FDIS:1,5,0,2,0,0,0,0',
      '+FIS:',
      '+FDCS:0,0',
      '+FCS:1,5,0,2,3,2,0,0',
      '+FHNG:',
      '+FPTS:1',
      '+FPTS:2,0',
      '+FPS:1',
      '+FPS:9',
      '+FET:0',
      '+FET:2',
      '+FET:x',
    ),
    fc.integer({ min: 0, max: 110 }).map((code) => `+FHNG:${code}`),
    fc.string({ maxLength: 20 }),
  )
  const code = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<ReplyCode>('ok', 'connect') },
    {
      weight: 1,
      arbitrary: fc.constantFrom<ReplyCode>('error', 'no-carrier', 'busy', 'timeout', 'closed', 'ring', 'voice', 'fax-carrier-error'),
    },
  )
  const dice = fc.record({
    code,
    lines: fc.array(line, { maxLength: 4 }),
    stopped: fc.integer({ min: 0, max: 60 }).map((n) => n === 0),
    n: fc.nat(1000),
  })
  let connected = 0
  fc.assert(
    fc.property(
      fc.constantFrom<Class2>('2', '2.0', '2.1'),
      fc.boolean(),
      fc.array(dice, { minLength: 1, maxLength: 60 }),
      (faxClass, sends, throws) => {
        const machine = sends ? sendCall(order(faxClass)) : receiveCall(order(faxClass))
        let kept = 0
        let told = 0
        let step = machine.next()
        let count = 0
        for (; step.done !== true; count++) {
          if (count > 20_000) return false
          const effect = step.value
          const { code: replyCode, lines, stopped, n } = throws[count % throws.length]!
          const met = effect.do === 'command' && /^AT[DA]/.test(effect.text) ? ['+FCON', '+FDIS:1,5,0,2,0,0,0,0'] : []
          const reply: Answer = { of: 'reply', code: replyCode, lines: [...met, ...lines], text: '', seconds: 1, stopped }
          if (effect.do === 'command' || effect.do === 'result') step = machine.next(reply)
          else if (effect.do === 'send') step = machine.next({ of: 'sent', how: n === 0 ? 'stuck' : n === 1 ? 'closed' : 'done', stopped })
          else if (effect.do === 'receive')
            step = machine.next({ of: 'page', data: new Uint8Array(n), how: n === 0 ? 'closed' : n < 5 ? 'silent' : 'whole', stopped })
          else if (effect.do === 'encode')
            step = machine.next({ of: 'encoded', code: effect.page < 3 ? 0 : 42, data: new Uint8Array(n), stopped })
          else if (effect.do === 'read') step = machine.next({ of: 'look', rows: n, badRows: n % 100, stopped })
          else if (effect.do === 'keep') step = ((kept += 1), machine.next({ of: 'kept', kept: true, stopped }))
          else step = machine.next({ of: 'nothing', stopped })
          if (effect.do === 'progress') told = effect.progress.pages
        }
        const result = step.value
        if (result.heardFax) connected += 1
        if (result.pages < told) return false
        return sends ? result.pages <= 3 : result.pages === kept
      },
    ),
    { numRuns: 3000 },
  )
  t.ok(connected > 500, `${connected} of them met a fax machine`)
})

t.test('numbers of the standards', async (t) => {
  t.same(readTerms('1,3,0,2,0,0,0,0', 10), { vr: 1, br: 3, ln: 2, df: 0, ec: 0, st: 0 })
  t.same(readTerms('01,5,0,2,0', 16), { vr: 1, br: 5, ln: 2, df: 0, ec: 0, st: 0 })
  t.equal(readTerms('', 10), null)
  t.equal(readTerms('1,x,0,2,0', 10), null)
  t.equal(writeTerms({ vr: 1, br: 5, ln: 2, df: 0, ec: 2, st: 0 }, 16), '1,5,0,2,0,2,0,0')
  t.same(readAbilities(['(0,1),(0-5),(0-4),(0-2),(0,1),(0-2),(0),(0-7)'], 10), { vr: 1, br: 5, ec: 2 })
  t.same(readAbilities(['+FCC:(00-07),(0-3),(0),(0-2),(0),(0),(0),(0-7)'], 16), { vr: 1, br: 3, ec: 0 })
  t.same(readAbilities([], 10), { vr: 1, br: 3, ec: 0 }, 'a modem that does not tell')
  for (const [said, code] of [
    ['0', 0],
    ['000', 0],
    ['00', 0],
    ['27', 6],
    ['54', 21],
    ['A0', 30],
    ['102', 30],
    ['2', 7],
    ['', 49],
    ['zz', 49],
    ['66', 49],
  ] as const)
    t.equal(hangUpOf(said).code, code, said)
  t.equal(hangUpOf('43').code, 49)
  t.equal(hangUpOf('43', 'early').code, 6)
})

t.test('shielded data come out as they were, wherever they are cut', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 20 }), fc.array(fc.nat(400)), (data, behind, cuts) => {
      const heavy = data.map((byte) => (byte < 64 ? 0x10 : byte))
      const bytes = Buffer.concat([shielded(heavy, '\x03'), behind])
      const shield = new Unshield()
      const out: Uint8Array[] = []
      let rest: Uint8Array | null = null
      const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
      for (let i = 1; i < borders.length; i++) {
        const chunk = bytes.subarray(borders[i - 1]!, borders[i]!)
        if (rest !== null) {
          rest = Buffer.concat([rest, chunk])
          continue
        }
        const taken = shield.take(chunk)
        out.push(taken.data)
        rest = taken.rest
      }
      return rest !== null && Buffer.concat(out).equals(Buffer.from(heavy)) && Buffer.from(rest).equals(Buffer.from(behind))
    }),
  )
  t.same([...new Unshield().take(Uint8Array.of(1, 0x10, 0x1a, 2, 0x10, 0x71, 3)).data], [1, 0x10, 0x10, 2, 3])
})
