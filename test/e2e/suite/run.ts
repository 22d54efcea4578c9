/** Runs scenarios over a line, one after the other. */
import t from 'tap'
import type { Outside } from '../../harness/lines/outside.ts'
import type { Scenario } from './scenario.ts'

export function runSuite(line: string, open: () => Promise<Outside>, scenarios: readonly Scenario[]): void {
  t.setTimeout(300_000)
  t.test(line, async (t) => {
    const outside = await open()
    t.teardown(() => outside.close())
    for (const scenario of scenarios) {
      if (scenario.suits?.(outside) === false) continue
      await t.test(scenario.name, async (t) => {
        outside.scene.app.reset()
        await scenario.run(t, outside)
        t.same(await outside.scene.finish(), [], 'nothing was broken')
      })
      await outside.rest()
    }
  })
}
