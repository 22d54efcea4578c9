/** Which of several boxes this is, as the configuration says it: what fits, and what is refused. */
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

const cases: readonly (readonly [what: string, text: string, refused: RegExp | null])[] = [
  ['a box that is alone', '{}', null],
  ['an id', 'box: { id: "001" }', null],
  ['an id and the box of the inbox', 'box: { id: "001", inbox: "00c" }', null],
  ['an inbox and no id', 'box: { inbox: "00c" }', /1:\d+: \/box\/inbox: give this box an id, too: box\.id/],
  ['an id of one digit', 'box: { id: "1" }', /1:\d+: \/box\/id: "1" does not have the right form/],
  ['an id of capitals', 'box: { id: "00C" }', /\/box\/id: "00C" does not have the right form/],
  ['an id without quotes', 'box: { id: 001 }', /\/box\/id: 001 was read as a number; put it in quotes: "001"/],
  ['an unknown key', 'box: { name: "001" }', /there is no key "name" here/],
]

for (const [what, text, refused] of cases) {
  t.test(`box: ${what}`, async (t) => {
    try {
      parseConfig(text, '/etc/pbxd/pbxd.yaml')
      t.equal(refused, null)
    } catch (error) {
      t.ok(error instanceof ConfigError)
      t.match((error as Error).message, refused ?? 'it is taken')
    }
  })
}
