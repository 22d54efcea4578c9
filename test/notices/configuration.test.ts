/** What is wrong with whom the configuration notifies, wherever it names people: each key by its place. */
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

const base = {
  extensions: [{ number: '101', password: 'a-long-password' }],
  mailboxes: [{ ext: '101' }],
  inbound: [{ to: '+15550001999', destination: 'fax' }],
  fax: {},
  sms: { trunks: [{ id: 'texts', kind: 'sim', number: '+15550002000' }] },
  ringGroups: [{ id: 'front', members: ['101'] }],
  queues: [{ id: 'nurses', members: ['101'] }],
}
const account = { mail: { server: '127.0.0.1:25', tls: 'off', from: 'clinic@example.com' } }
type Tree = Record<string, any>

const places: readonly (readonly [path: string, key: string, at: (tree: Tree) => Tree])[] = [
  ['/mailboxes/0', 'notify', (tree) => tree['mailboxes'][0]],
  ['/inbound/0', 'notify', (tree) => tree['inbound'][0]],
  ['/fax', 'notify', (tree) => tree['fax']],
  ['/sms', 'notify', (tree) => tree['sms']],
  ['/sms/trunks/0', 'notify', (tree) => tree['sms'].trunks[0]],
  ['/extensions/0', 'notifyMissed', (tree) => tree['extensions'][0]],
  ['/ringGroups/0', 'notifyMissed', (tree) => tree['ringGroups'][0]],
  ['/queues/0', 'notifyMissed', (tree) => tree['queues'][0]],
]

function said(at: (tree: Tree) => Tree, key: string, notify: object, more: object): string[] {
  const tree = structuredClone({ ...base, ...more }) as Tree
  at(tree)[key] = notify
  try {
    return parseConfig(JSON.stringify(tree), '/srv/pbxd.yaml').warnings.map(({ path, text }) => `${path} ${text}`)
  } catch (error) {
    return (error as ConfigError).faults.map(({ path, text }) => `${path} ${text}`)
  }
}

for (const [path, key, at] of places)
  t.test(`${path}/${key}`, async (t) => {
    const own = (notify: object, more: object = account) => said(at, key, notify, more).filter((text) => text.startsWith(path))
    t.same(own({ mail: 'front@example.com', sms: '+15551230000' }), [])
    t.match(own({ mail: 'front' }), [new RegExp(`^${path}/${key}/mail must be a mail address`)])
    t.match(own({ sms: '12' }), [])
    t.match(own({ sms: 'front' }), [new RegExp(`^${path}/${key}/sms `)])
    t.match(own({ mail: 'front@example.com' }, {}), [`${path}/${key}/mail no mail is sent without the section mail`])
    t.match(own({ email: 'front@example.com' })[0], /is not a key|did you mean|unknown/)
    if (key === 'notify') t.match(own({ attach: true }), [`${path}/notify/attach nothing is attached without notify.mail`])
  })

t.test('what a mail holds without a mail', async (t) => {
  const idle = (path: string, change: (tree: Tree) => void) => {
    const tree = structuredClone({ ...base, ...account }) as Tree
    change(tree)
    const said = parseConfig(JSON.stringify(tree), '/srv/pbxd.yaml').warnings.map((warning) => `${warning.path} ${warning.text}`)
    t.ok(said.includes(`${path} no mail is sent without notify.mail`), path)
  }
  idle('/mailboxes/0/transcriptInMail', (tree) => (tree['mailboxes'][0].transcriptInMail = true))
  idle('/sms/trunks/0/textInMail', (tree) => (tree['sms'].trunks[0].textInMail = true))
  const house = { sms: { trunks: [{ ...base.sms.trunks[0], textInMail: true }], notify: { mail: 'front@example.com' } } }
  t.same(
    parseConfig(JSON.stringify({ ...base, ...account, ...house }), '/srv/pbxd.yaml')
      .warnings.map(({ path }) => path)
      .filter((path) => /sms/.test(path)),
    [],
  )
})
