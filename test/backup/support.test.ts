/** The support bundle of a box full of one patient's words, and of people's secrets: none of them is in it, and what helps is. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { maskedConfig, maskedLine } from '../../daemon/backup/support.ts'
import { ConfigSchema } from '../../daemon/schema/config.ts'
import { MailServer } from '../mail/server.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { fillStore } from '../proofs/attack/privacy-items.ts'

type Tree = Record<string, any>

interface Shape {
  [key: string]: any
}

const words = 'Pat Wyzenbeek, MRN-4711239, +15550427731, wyz@patients.example'
const patient = /Wyzenbeek|4711239|wyz@|patients\.example|5550427731|0427731/i
const secrets = /a-long-password|another-long-password|whsec_|secret-of-the-trunk/

t.setTimeout(200_000)
const refusing = new MailServer()
await refusing.start()
refusing.refuse = () => `550 5.1.1 <wyz@patients.example> ${words}: user unknown`
const scene = await Scene.open(
  {
    settings(base) {
      const settings = base as Tree
      settings['log'] = { level: 'debug' }
      settings['trunks'][0].password = 'secret-of-the-trunk'
      settings['mail'] = {
        server: `127.0.0.1:${refusing.port}`,
        tls: 'off',
        username: 'clinic',
        password: 'secret',
        from: 'clinic@example.com',
      }
      settings['mailboxes'] = [{ ext: '101', greeting: 'Hello.' }]
      settings['numbers'] = { allow: ['+15550427731'] }
    },
  },
  false,
)
const { daemon, app } = scene
t.teardown(async () => {
  await scene.close()
  await refusing.stop()
})

/** Its files by name. */
async function bundle(...more: string[]): Promise<Map<string, string>> {
  const file = join(t.testdir({}), 'bundle.tar.gz')
  const { code, out, error } = await daemon.pbx('support-bundle', '--out', file, ...more)
  t.equal(code, 0, out + error)
  return unpacked(t, readFileSync(file))
}

function unpacked(t: Test, archive: Uint8Array): Map<string, string> {
  const out = t.testdir({})
  execFileSync('tar', ['-xzf', '-', '-C', out, '--strip-components=1'], { input: archive })
  return new Map(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]))
}

t.test('no patient and no secret, whatever the box went through', async (t) => {
  await fillStore(join(daemon.dir, 'var'), words)
  await daemon.start()
  app.script = () => [{ gather: { numDigits: words } }, { [words]: {} }]
  const caller = await scene.call({ from: '+15550427731', name: words.slice(0, 13) })
  await caller.sip.exit
  const mail = await daemon.api('POST', '/api/email', { to: 'wyz@patients.example', subject: words, text: words })
  await daemon.api('POST', '/api/sms', { to: '+15550427731', message: words })
  await daemon.api('GET', `/api/pbx/lookup/caller/15550427731?name=${encodeURIComponent(words)}`)
  t.equal(mail.status, 200)
  const refused = async () => (await daemon.api('GET', `/api/email/${mail.body.mailId}`)).body.status === 'failed'
  await eventually('the mail was refused in the words of the patient', refused, undefined, 200)
  const log = join(daemon.dir, 'pbxd.log')
  writeFileSync(log, daemon.log.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const files = await bundle('--log', log)
  t.same([...files.keys()].toSorted(), [
    'backup.json',
    'config.yaml',
    'doctor.json',
    'events.json',
    'log.txt',
    'status.json',
    'versions.json',
  ])
  const ofPage = await fetch(`${daemon.http}/api/support-bundle`, { headers: { authorization: `Bearer ${daemon.token}` } })
  t.match(ofPage.headers.get('content-disposition'), /^attachment; filename="pbxd-support-\w+\.tar\.gz"$/)
  const downloaded = unpacked(t, Buffer.from(await ofPage.arrayBuffer()))
  t.same(
    [...downloaded.keys()].toSorted(),
    [...files.keys()].map((name) => (name === 'log.txt' ? 'log.txt.missing' : name)).toSorted(),
    'a page gives the same, without the log',
  )
  t.match(downloaded.get('log.txt.missing')!, /sudo pbx support-bundle/)
  t.equal(downloaded.get('config.yaml'), files.get('config.yaml'))
  for (const [name, text] of [...files, ...downloaded]) {
    t.notMatch(text, patient, name)
    t.notMatch(text, secrets, name)
    t.notOk(text.includes(daemon.token), name)
  }
  const config = parse(files.get('config.yaml')!) as Tree
  t.match(config, { trunks: [{ id: 'main', password: '(removed)', transport: 'udp' }], inbound: [{ destination: 'endpoint:reception' }] })
  t.equal(config['mail'].password, '(removed)')
  t.match(JSON.parse(files.get('status.json')!), { warnings: Array })
  t.match(files.get('log.txt')!, /"ready"/)
})

t.test('a place that cannot be written, and a log that does not exist, are told in a sentence', async (t) => {
  for (const [words, said] of [
    [['--out', '/no/such/folder/bundle.tar.gz'], /bundle\.tar\.gz cannot be written: .*\n {2}try: give another file: --out FILE/],
    [['--log', '/no/such/log'], /the log \/no\/such\/log cannot be read: .*\n {2}try: give another file with --log FILE/],
  ] as const) {
    const { code, error } = await daemon.pbx('support-bundle', ...words)
    t.equal(code, 1)
    t.match(error, said)
    t.notMatch(error, / at .*\.ts|node:internal/)
  }
})

t.test('of a box that does not run, what there is', async (t) => {
  await daemon.stop()
  const files = await bundle()
  t.match(files.get('status.json.missing')!, /not reachable/)
  t.ok(files.has('config.yaml'))
  t.notMatch([...files.values()].join('\n'), secrets)
})

t.test('whoever wrote a line, or a key', async (t) => {
  t.notMatch(maskedLine('{"level":"error","msg":"not \\"Wyzenbeek\\" of +15550427731","any":{"to":"wyz@patients.example"}}'), patient)
  t.notMatch(maskedLine('Error: 550 <wyz@patients.example> for "Pat Wyzenbeek"'), patient)
  t.same(
    maskedConfig({
      numbers: { deny: [15550427731] },
      crm: { secret: { file: '/etc/pbxd/crm.secret' }, apiToken: 'abc' },
      sip: { rtpPorts: '10000-19999', udp: '0.0.0.0:5060' },
      ports: '+15550427731',
    }),
    {
      numbers: { deny: ['***7731'] },
      crm: { secret: { file: '/etc/pbxd/crm.secret' }, apiToken: '(removed)' },
      sip: { rtpPorts: '10000-19999', udp: '0.0.0.0:5060' },
      ports: '***7731',
    },
  )
})

/** Whether a text fits a form that has no room for a secret or for somebody's name: a name that leads to a thing, a short code. */
const closed = (pattern: string | undefined): boolean =>
  pattern !== undefined && !new RegExp(pattern, 'u').test(`${planted[0]!.text}`) && !pattern.startsWith('^/') && !pattern.includes('://')

/** What is planted, in the forms in which it might come out. */
const planted = [
  { text: 'hunter2-Zq8vKx93', forms: ['hunter2-Zq8vKx93', 'Zq8vKx93'] },
  { text: 'Pat Wyzenbeek', forms: ['Wyzenbeek'] },
  { text: 'https://hooks.example.net/T0Zq8vKx93/hunter2?key=Wyzenbeek', forms: ['Zq8vKx93', 'hunter2', 'Wyzenbeek'] },
].map(({ text, forms }) => ({
  text,
  forms: [
    ...forms,
    ...forms.flatMap((form) => [
      Buffer.from(form).toString('base64').replace(/=+$/, ''),
      encodeURIComponent(`${form} `).replace('%20', ''),
    ]),
  ],
}))

/** A tree of the schema with `text` in every string that is not an id, a code or one of a few words; `paths`: how many there are. */
function filled(shape: Shape, text: string, key = '', count = { planted: 0 }): unknown {
  const inner = shape['anyOf'] as Shape[] | undefined
  if (shape['enum'] !== undefined) return shape['enum'][0]
  if ('const' in shape) return shape['const']
  if (shape['properties'] !== undefined || shape['patternProperties'] !== undefined) {
    const members = Object.entries((shape['properties'] ?? {}) as Record<string, Shape>).map(([name, one]) => [
      name,
      filled(one, text, name, count),
    ])
    const more = Object.values((shape['patternProperties'] ?? {}) as Record<string, Shape>).map((one) => [
      'X-Any',
      filled(one, text, '', count),
    ])
    const all = ((shape['allOf'] ?? []) as { then: Shape }[]).map(({ then }) => filled(then, text, key, count))
    return Object.assign({}, ...all, Object.fromEntries([...members, ...more])) as unknown
  }
  if (shape['items'] !== undefined) {
    const kinds = ((shape['items'] as Shape)['anyOf'] as Shape[] | undefined) ?? [shape['items'] as Shape]
    return kinds.map((one) => filled(one, text, key, count))
  }
  if (inner !== undefined)
    return filled(inner.find(({ type }) => type === 'object') ?? inner.find(({ type }) => type === 'string') ?? inner[0]!, text, key, count)
  if (shape['type'] === 'string') {
    if (key === 'id' || closed(shape['pattern'] as string | undefined)) return '12'
    count.planted++
    return shape['pattern']?.startsWith('^/') ? `/${text}` : text
  }
  if (shape['type'] === 'boolean') return true
  if (shape['type'] === 'integer' || shape['type'] === 'number') return 7
  count.planted++
  return { any: [text] }
}

t.test('a secret, a name or an address in any string that the configuration may have is not in the bundle', async (t) => {
  for (const { text, forms } of planted) {
    const count = { planted: 0 }
    const tree = filled(ConfigSchema as unknown as Shape, text, '', count)
    t.ok(count.planted > 80, `${count.planted} places`)
    const shown = stringify(maskedConfig(tree))
    for (const form of forms) t.notOk(shown.includes(form), `${text}: ${form}`)
    t.match(shown, /level: error|level: debug|level: info|level: /, 'words that are one of a few are shown')
    // The same in what is written of it.
    const lines = [
      JSON.stringify({
        level: 'error',
        msg: `cannot reach ${text}`,
        to: text,
        [text]: 1,
        list: [text],
        deep: { url: `http://a.example/${text}` },
      }),
      `Error: ${text}: no such file, open '/var/lib/pbxd/${text}.wav'`,
      `Environment=KEY=${text}`,
      `    at ${text} (/srv/${text}.ts:1:2)`,
      ...forms.map(
        (form) => `${form} ${encodeURIComponent(text)} ${Buffer.from(text).toString('base64')} ${Buffer.from(text).toString('hex')}`,
      ),
    ].map((line) => maskedLine(line))
    for (const form of forms) t.notOk(lines.join('\n').includes(form), `${form} in ${lines.join('\n')}`)
  }
})

t.test('what helps is still there: words of the program, figures, addresses of hosts, times, codes', async (t) => {
  const line = maskedLine(
    '{"level":"error","time":"2026-11-26T12:00:00.000Z","msg":"the line is down","code":"ECONNREFUSED","at":"192.0.2.7:5060","ms":1200}',
  )
  for (const word of ['the line is down', 'ECONNREFUSED', '192.0.2.7:5060', '2026-11-26T12:00:00.000Z', '1200'])
    t.ok(line.includes(word), `${word} in ${line}`)
  t.same(
    maskedConfig({
      site: { timeZone: 'America/New_York', country: 'US', name: 'Dr Wyzenbeek' },
      trunks: [{ id: 'main', server: 'sip.provider.example', transport: 'tls', register: true }],
      hours: [{ id: 'day', open: { mon: ['08:00-12:00'] }, whenOpen: 'group:house' }],
      ringGroups: [{ id: 'house', members: ['101'], ringSeconds: 25 }],
      extensions: [{ number: '101' }],
      alarms: [{ id: 'all', notify: { webhook: ['https://hooks.example.net/services/T0/B0/abc'] } }],
    }),
    {
      site: { timeZone: 'America/New_York', country: 'US', name: '(removed)' },
      trunks: [{ id: 'main', server: 'sip.provider.example', transport: 'tls', register: true }],
      hours: [{ id: 'day', open: { mon: ['08:00-12:00'] }, whenOpen: 'group:house' }],
      ringGroups: [{ id: 'house', members: ['101'], ringSeconds: 25 }],
      extensions: [{ number: '101' }],
      alarms: [{ id: 'all', notify: { webhook: ['https://hooks.example.net/(removed)'] } }],
    },
  )
})
