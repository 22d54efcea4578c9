/** pbx setup over a daemon as it is after its first start, with a provider that asks for the password, one that is silent, and none. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { fresh } from '../harness/fresh.ts'
import { registrar } from '../harness/registrar.ts'

t.setTimeout(300_000)

const answers = (port: number, password: string) => ({
  site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York', address: '1 River Street, 2nd floor' },
  network: 'none',
  provider: { kind: 'account', server: `127.0.0.1:${port}`, username: 'clinic', password, numbers: ['+15550001000'] },
  extensions: [
    { number: '101', name: 'Front desk' },
    { number: '102', name: 'Nurse' },
  ],
})

t.test('the provider takes the registration, and a house is there', async (t) => {
  const daemon = await fresh(t)
  const provider = await registrar('secret')
  t.teardown(() => provider.close())
  const file = join(daemon.dir, 'answers.yaml')
  const sheet = join(daemon.dir, 'sheet.html')
  const before = readFileSync(daemon.configFile, 'utf8')

  writeFileSync(file, stringify(answers(provider.port, 'wrong')))
  const refused = await daemon.pbx('setup', '--answers', file, '--sheet', sheet, '--config', daemon.configFile)
  t.equal(refused.code, 1)
  t.match(refused.error, /the provider does not accept the registration: .*403.* Nothing was written/s)
  t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  t.same(
    JSON.parse((await daemon.pbx('lines', '--json')).out).filter(({ kind }: { kind: string }) => kind === 'trunk'),
    [],
    'nor is it in use',
  )

  writeFileSync(file, stringify(answers(provider.port, 'secret')))
  const taken = await daemon.pbx('setup', '--answers', file, '--sheet', sheet, '--config', daemon.configFile)
  t.equal(taken.code, 0, taken.error)
  t.match(taken.out, /AGE-SECRET-KEY-1/)
  t.match(taken.out, /Next, test everything: pbx setup --test/)
  for (const byHand of ['pbx phones add 101', 'call +15550001000 from a mobile phone', 'pbx backup', 'pbx status --check'])
    t.ok(taken.out.includes(byHand), byHand)
  t.ok(provider.count() > 0)
  const written = parse(readFileSync(daemon.configFile, 'utf8'))
  t.match(written, {
    site: { name: 'Riverside Clinic', number: '+15550001000' },
    trunks: [{ id: 'main', register: true }],
    emergency: { location: /River/ },
  })
  const page = readFileSync(sheet, 'utf8')
  for (const { number, password } of written.extensions) t.ok(page.includes(password), number)
  t.match((await daemon.pbx('where', '+15550001000')).out, /101/)
  t.match((await daemon.pbx('where', '101', '--from', '102')).out, /voicemail:101/, 'a colleague whose phone is off has a mailbox')
  t.notMatch(taken.out, /rolled back after 60 s/, 'it is confirmed by itself')
  t.match((await daemon.pbx('config', 'check', daemon.configFile)).out, /has no faults/)

  const again = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  t.match(again.error, /already has phones or trunks/)

  const wrong = join(daemon.dir, 'wrong.yaml')
  writeFileSync(wrong, readFileSync(daemon.configFile, 'utf8').replace('password: secret', 'password: not-it'))
  const back = await daemon.pbx('config', 'apply', wrong, '--yes')
  t.equal(back.code, 1)
  t.match(back.out, /rolled back: trunk main: .*403/)
  t.ok(back.out.split('\n').filter((line) => line.startsWith('not everything works')).length <= 1, back.out)
  t.match(readFileSync(daemon.configFile, 'utf8'), 'password: secret')
})

t.test('a name that DNS does not know is said before anything is put to use', async (t) => {
  const daemon = await fresh(t)
  const file = join(daemon.dir, 'answers.yaml')
  const given = answers(9, 'secret')
  writeFileSync(file, stringify({ ...given, provider: { ...given.provider, server: 'sip.provider.invalid' } }))
  const { code, error } = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  t.equal(code, 1)
  // Where the machine of the test has no DNS at all, the box finds out by itself.
  t.match(error, /DNS does not know the name sip\.provider\.invalid|the provider does not accept the registration/)
})

t.test('bad answers are told at once, all of them', async (t) => {
  const daemon = await fresh(t)
  const file = join(daemon.dir, 'answers.yaml')
  const good = answers(9, 'x')
  writeFileSync(
    file,
    stringify({ ...good, site: { ...good.site, country: 'us' }, extension: [], extensions: [{ number: 101, name: 'A' }] }),
  )
  const shape = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  t.equal(shape.code, 2)
  for (const part of [/site\.country/, /extension:/, /extensions\.0\.number/]) t.match(shape.error, part)
  writeFileSync(file, stringify({ ...good, site: { ...good.site, timeZone: 'Mars/Base', country: 'ZZ' }, alarms: ['a@example.com'] }))
  const meaning = await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)
  for (const part of [/Mars\/Base is not a time zone/, /ZZ is not a country/, /need a mail account/]) t.match(meaning.error, part)
  writeFileSync(file, 'site: [')
  t.equal((await daemon.pbx('setup', '--answers', file, '--config', daemon.configFile)).code, 2)
  t.match((await daemon.pbx('setup', '--config', daemon.configFile)).error, /there is no terminal to ask questions on/)
})

t.test('a configuration that cannot be read is told with its place, and --force takes its place', async (t) => {
  const daemon = await fresh(t)
  const before = readFileSync(daemon.configFile, 'utf8')
  const file = join(daemon.dir, 'answers.yaml')
  const { provider: _, ...inside } = answers(9, 'x')
  writeFileSync(file, stringify({ ...inside, backup: false, certificate: false }))
  const sheet = join(daemon.dir, 'sheet.html')
  const setup = (...words: string[]) => daemon.pbx('setup', '--answers', file, '--sheet', sheet, '--config', daemon.configFile, ...words)
  for (const [text, place] of [
    [`${before}trunks: [\n`, /pbxd\.yaml:\d+:\d+: this is not valid YAML: /],
    ['yes\n', /pbxd\.yaml:1:1: the file must consist of sections/],
    ['- http\n', /pbxd\.yaml:1:1: the file must consist of sections/],
  ] as const) {
    writeFileSync(daemon.configFile, text)
    const refused = await setup()
    t.equal(refused.code, 1)
    t.match(refused.error, place)
    t.match(refused.error, /repair .* with pbx config edit.* --force/)
    t.notMatch(refused.error, /YAMLParseError|node:internal|at .*\.ts/)
    t.equal(readFileSync(daemon.configFile, 'utf8'), text)
  }
  writeFileSync(daemon.configFile, `${before}trunks: [\n`)
  const anew = await setup('--force')
  t.equal(anew.code, 0, anew.error)
  t.match(parse(readFileSync(daemon.configFile, 'utf8')), {
    storage: parse(before).storage,
    extensions: [{ number: '101' }, { number: '102' }],
  })
})
