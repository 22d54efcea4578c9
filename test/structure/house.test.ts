/** `npm run house` counts what it says. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { measureHouse } from '../proofs/house/measures.ts'

const block = Array.from({ length: 6 }, (_, n) => `const twice${n} = ${n}`).join('\n')
const sources = Object.entries({
  'daemon/mail/queue.ts': `export class MailQueue {}\n${block}\n`,
  'daemon/mail/part.ts': "import { MailQueue } from './queue.ts'\n",
  'daemon/schema/config/mail.ts': 'export const MailSchema = {}\n',
  'daemon/schema/config.ts': "import { MailSchema } from './config/mail.ts'\n",
  'daemon/daemon.ts': "// the list\n\nimport { mailPart } from './mail/part.ts'\nstart(mailPart)\n",
  'daemon/inbox/inbox.ts': 'const mailbox = voicemail\n// no mail\n',
  'daemon/fax/view.ts': `export const FaxSchema = {}\nexport type FaxView = View<typeof FaxSchema>\nexport interface FaxSummary {}\nexport function faxView() {}\n${block}\n`,
  'daemon/voice/verbs/route.ts': 'await view.connect(to)\n',
  'daemon/voice/session.ts': 'const services = {\n  connect: options.connect,\n}\n',
  'daemon/pbx/menus/part.ts': "takers.add('menu', take)\n",
  'daemon/pbx/parking/part.ts': "takers.add('park', take)\n",
  'daemon/pbx/where.ts': "// parked calls\nwhere('the car park')\n",
  'daemon/console/words.ts': "say('parked')\n",
  'daemon/words/fr.ts': 'export const french = { parked: (slot) => slot }\n',
  'daemon/schema/destination.ts': "export type Destination = { kind: 'menu'; id: string }\n",
  'scripts/bench/main.ts': 'measure()\n',
  'test/mail/mail.test.ts': 'mail()\n',
}).map(([name, text]) => ({ name, text }))

t.test('what a capability, a verb and a record touch, what there is, and what is there twice', async (t) => {
  const measures = new Map(measureHouse(sources).map((measure) => [measure.what.replace(/,.*| \(.*/, ''), measure]))
  t.same(measures.get('shared files that know a capability: mail')?.files, ['daemon/schema/config.ts', 'daemon/daemon.ts'])
  t.same(measures.get('shared files that know a capability: fax')?.files, [])
  t.same(measures.get('files that know a kind of destination')?.files, ['daemon/schema/destination.ts'])
  t.same(measures.get('files that know parking')?.files, ['daemon/words/fr.ts'])
  t.same(measures.get('files of the console that know parking')?.files, ['daemon/console/words.ts'])
  t.same(measures.get('files that a verb with an ability touches')?.files, ['daemon/voice/verbs/route.ts', 'daemon/voice/session.ts'])
  t.same(measures.get('views of a record: fax')?.files, ['daemon/fax/view.ts: FaxSchema', 'daemon/fax/view.ts: FaxSummary'])
  t.equal(measures.get('lines of the product')?.count, 7 + 1 + 1 + 1 + 2 + 1 + 10 + 1 + 3 + 1 + 1 + 1 + 1 + 1 + 1)
  t.equal(measures.get('lines of tests')?.count, 2)
  t.equal(measures.get('lines of the product that stand there twice')?.count, 12)
})

t.test('the goals are met', async (t) => {
  const files = ['daemon', 'scripts/cli'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const here = files.filter((name) => name.endsWith('.ts')).map((name) => ({ name, text: readFileSync(name, 'utf8') }))
  const goals = measureHouse(here).filter(({ goal }) => goal !== undefined)
  t.ok(goals.length >= 20, `${goals.length} goals`)
  for (const { what, count, goal, files = [] } of goals)
    t.ok(count <= Number(/\d+/.exec(goal as string)), `${what}: ${count}, ${goal}: ${files.join(' ')}`)
})
