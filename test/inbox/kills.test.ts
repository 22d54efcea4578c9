/** The cursor under kill -9: real processes, real stores. `npm test` judges a few histories, `scripts/run test/proofs/inbox/main.ts cursor` many. */
import t from 'tap'
import { proveCursor } from '../proofs/inbox/cursor.ts'

t.test('kill -9, clocks, backups and restores: what was polled is what was acknowledged, once each, in order', async (t) => {
  const cases = Number(process.env.CURSOR_CASES ?? 30)
  const verdict = await proveCursor({ cases, seed: Number(process.env.CURSOR_SEED ?? 5), batch: 10 })
  t.ok(verdict.cases >= cases, JSON.stringify(verdict))
  t.ok(verdict.kills >= 2 * cases)
  t.ok(verdict.acknowledged >= 5 * cases, 'the boxes lived long enough to be judged')
  t.ok(verdict.polls >= cases && verdict.items > 0)
  t.ok(verdict.backups > 0 && verdict.restores > 0)
})
