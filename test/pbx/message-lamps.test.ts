/** Message lamps: by whatever number a phone watches its own mailbox, it is that one; another's, or one of another site, only by its number. */
import t from 'tap'
import type { Lamp } from '../../drivers/pbx.ts'
import { MessageLamps } from '../../daemon/pbx/lamps/message-lamps.ts'
import { featureCatalogue, featureNames, type FeatureCodesConfig } from '../../daemon/schema/config/pbx-codes.ts'

const codes = Object.fromEntries(featureNames.map((name) => [name, featureCatalogue[name].code])) as unknown as FeatureCodesConfig

/** What the lamp of a phone of 101 shows that watches this; null: nothing of that name. */
function shownTo(watches: string, given: Partial<FeatureCodesConfig> = {}): string | null {
  const seen: string[] = []
  const lamp: Lamp = {
    extension: '101',
    watches,
    kind: 'message-summary',
    showDialogs: () => undefined,
    showMessages: (mailbox, { fresh }) => void seen.push(`${mailbox}: ${fresh}`),
    showUnknown: () => void seen.push(`${watches}: unknown`),
    end: () => undefined,
  }
  const messages = new MessageLamps({
    lamps: { tellMessages: () => undefined },
    extensions: () => ['101', '102', '103'],
    mailboxes: () => ['101', '102', '900'],
    codes: () => ({ ...codes, ...given }),
    counts: (ext) => ({ fresh: Number(ext), old: 0 }),
    elsewhere: { has: (ext) => ext.startsWith('2'), counts: (ext) => (ext === '201' ? { fresh: 7, old: 0 } : null) },
  })
  if (messages.watch(lamp) === null) return null
  messages.changed(seen[0]!.split(':')[0]!)
  t.equal(seen.length, 2, 'told of a change as well')
  return seen[0]!
}

t.test('which mailbox is meant', async (t) => {
  const table: readonly (readonly [string, string | null, Partial<FeatureCodesConfig>?])[] = [
    ['101', '101: 101'],
    ['', '101: 101'],
    ['*97', '101: 101'],
    ['*98', '101: 101'],
    ['*98102', '102: 102'],
    ['102', '102: 102'],
    ['900', '900: 900'],
    ['103', null],
    ['201', '201: 7'],
    ['*98201', '201: 7'],
    ['202', '202: unknown'],
    ['*98103', null],
    ['*99', null],
    ['anybody', null],
    ['*17', '101: 101', { ownMailbox: '*17' }],
    ['*97', null, { ownMailbox: false, anyMailbox: false }],
  ]
  for (const [watches, shown, given] of table) t.equal(shownTo(watches, given), shown, watches)
})
