/** The support bundle of a box full of one patient's words, and of people's secrets: none of them is in it, and what helps is. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { maskedConfig, maskedLine } from '../../daemon/backup/support.ts'
import { MailServer } from '../mail/server.ts'
import { eventually, pause, Scene } from '../harness/scene.ts'
import { fillStore } from '../proofs/attack/privacy-items.ts'

type Tree = Record<string, any>

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
  const dir = t.testdir({ out: {} })
  const file = join(dir, 'bundle.tar.gz')
  const { code, out, error } = await daemon.pbx('support-bundle', '--out', file, ...more)
  t.equal(code, 0, out + error)
  execFileSync('tar', ['-xzf', file, '-C', join(dir, 'out'), '--strip-components=1'])
  return new Map(readdirSync(join(dir, 'out')).map((name) => [name, readFileSync(join(dir, 'out', name), 'utf8')]))
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
  await eventually('the mail was refused in the words of the patient', async () => {
    await pause(200)
    return (await daemon.api('GET', `/api/email/${mail.body.mailId}`)).body.status === 'failed'
  })
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
  for (const [name, text] of files) {
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

t.test('a place that cannot be written, and a log that is not there, are told in a sentence', async (t) => {
  for (const [words, said] of [
    [['--out', '/no/such/folder/bundle.tar.gz'], /bundle\.tar\.gz cannot be written: .*\n {2}try: name another place: --out FILE/],
    [['--log', '/no/such/log'], /the log \/no\/such\/log cannot be read: .*\n {2}try: name another one: --log FILE/],
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
