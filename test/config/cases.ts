/** Texts of the configuration, each of which is taken, or refused in these words. */
import type { Test } from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

export type ConfigCase = readonly [what: string, text: string, refused: RegExp | null]

/** `of`: the section, for the names of the tests. */
export function judged(t: Test, of: string, cases: readonly ConfigCase[]): void {
  for (const [what, text, refused] of cases) {
    t.test(`${of}: ${what}`, async (t) => {
      try {
        parseConfig(text, '/etc/pbxd/pbxd.yaml')
        t.equal(refused, null)
      } catch (error) {
        t.ok(error instanceof ConfigError)
        t.match((error as Error).message, refused ?? 'it is taken')
      }
    })
  }
}
