/** The machine of hold, over random histories on a clock of its own. */
import fc from 'fast-check'
import t from 'tap'
import { hearsMusic, nextHold, otherSide, talking, type HoldInput, type HoldState, type Side } from '../../daemon/pbx/talk/hold-machine.ts'

const sides = ['own', 'far'] as const
const input: fc.Arbitrary<HoldInput> = fc.oneof(
  fc.record({ type: fc.constantFrom('hold' as const, 'resume' as const), side: fc.constantFrom(...sides) }),
  fc.constantFrom<HoldInput>({ type: 'forgotten' }, { type: 'not-back' }, { type: 'over' }),
)
const run = (history: readonly HoldInput[]): HoldState => history.reduce(nextHold, talking)

t.test('music is heard by whom the other holds, and by nobody else', async () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 30 }), (history) => {
      const holds = new Set<Side>()
      let over = false
      for (const each of history) {
        over ||= each.type === 'over'
        if (each.type === 'hold') holds.add(each.side)
        if (each.type === 'resume') holds.delete(each.side)
      }
      const state = run(history)
      return sides.every((side) => hearsMusic(state, side) === (!over && holds.has(otherSide(side))))
    }),
    { numRuns: 20_000 },
  )
})

t.test('only who alone holds is called back, and no longer than they hold; what is over stays so', async () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 30 }), input, (history, next) => {
      const before = run(history)
      const after = nextHold(before, next)
      if (before.at === 'over') return after === before
      if (after.at === 'back' && before.at !== 'back') return next.type === 'forgotten' && before.at === 'held' && before.by === after.by
      if (before.at === 'back' && next.type === 'resume' && next.side === before.by) return after.at === 'talking'
      return true
    }),
    { numRuns: 20_000 },
  )
})
