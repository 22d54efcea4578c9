/** pbx setup as a person types it: at a terminal, with mistakes, with a provider that refuses, and with second thoughts. */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { root, type Daemon } from '../harness/daemon.ts'
import { fresh } from '../harness/fresh.ts'
import { registrar } from '../harness/registrar.ts'
import { eventually } from '../harness/scene.ts'
import { Typist } from '../harness/typist.ts'

t.setTimeout(300_000)

interface Scene {
  readonly daemon: Daemon
  readonly before: string
  /** Where pbx setup is started. */
  readonly folder: string
  type(...words: string[]): Typist
}

async function scene(t: Test): Promise<Scene> {
  const daemon = await fresh(t)
  const folder = join(daemon.dir, 'desk')
  await mkdir(folder)
  const env = { PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock') }
  return {
    ...{ daemon, folder, before: readFileSync(daemon.configFile, 'utf8') },
    type(...words) {
      const person = new Typist(join(root, 'scripts', 'pbx'), ['setup', '--config', daemon.configFile, ...words], { env, cwd: folder })
      t.teardown(() => person.close())
      return person
    },
  }
}

/** The first questions, with the mistakes that people make. */
async function theSite(person: Typist): Promise<void> {
  await person.answers('Name of the site:', '')
  await person.sees('not a valid answer')
  await person.answers('Name of the site:', 'Riverside Clinix\u007fc')
  await person.answers('Country, two letters: [US]', 'USA')
  await person.sees('give the two letters')
  await person.answers('Country, two letters: [US]', 'ZZ')
  await person.sees('give the two letters')
  await person.answers('Country, two letters: [US]')
  await person.answers('Time zone:', 'Mars/Base')
  await person.sees('give a time zone such as America/New_York')
  await person.answers('Time zone:', 'America/New_York')
  await person.answers('Street and floor')
  await person.answers("This machine's address for phones and browsers:", 'none')
}

async function theProvider(person: Typist, port: number, password: string): Promise<void> {
  await person.answers('Is there a SIP provider? (y/n) [y]', 'perhaps')
  await person.sees('answer y or n')
  await person.answers('Is there a SIP provider? (y/n) [y]')
  await person.answers('Which? [1]', '9')
  await person.sees('give a number from 1 to')
  await person.answers('Which? [1]')
  await person.answers('SIP server of the provider:', `127.0.0.1:${port}`)
  await person.answers('Transport (udp, tcp or tls): [udp]')
  await person.answers('Account name:', 'clinic')
  await person.answers('Password:', password)
  await person.answers('Your numbers', '(555) 000-1000')
  await person.sees('give each number with +')
  await person.answers('Your numbers', '+15550001000')
}

async function theRest(person: Typist, told = ''): Promise<void> {
  await person.answers('How many phones? [4]', '2')
  await person.answers('Number of the first phone: [101]')
  await person.answers('Name of 101: [Front desk]')
  await person.answers('Name of 102: [Phone 102]', 'Nurse')
  // Where there are modems they are asked about; a line of theirs is not wanted here.
  await person.answers('Does the office have opening hours? (y/n) [y]')
  await person.answers('Monday to Friday (with a lunch break', '8:30-17')
  await person.sees('give times such as 08:30-12:30 13:30-17:00')
  await person.answers('Monday to Friday (with a lunch break', '08:30-12:30 13:30-17:00')
  await person.answers('Saturday: (Enter for none)', '09:00-12:00')
  await person.answers('Sunday: (Enter for none)')
  await person.answers('Closed on these dates', 'Christmas')
  await person.sees('give a date such as 2026-12-25')
  await person.answers('Closed on these dates', '2026-12-25 2026-12-31/2027-01-01')
  await person.answers('When a phone is off, its calls go to its mailbox or to all phones: [mailbox]')
  await person.answers('Is there another site with a box of its own? (y/n) [n]', 'y')
  await person.answers('Short name of that site: [north]')
  await person.answers('Transport to its box (udp, tcp or tls): [tls]', 'udp')
  await person.answers('Address of its box, such as 10.20.0.10:5060:', '127.0.0.9:5060')
  await person.answers('Numbers of its phones, x for any digit: [2xx]', 'all')
  await person.sees('give numbers with x for any digit')
  await person.answers('Numbers of its phones, x for any digit: [2xx]')
  await person.answers('Its number in the telephone network', '+15550002000')
  await person.answers('Password of both boxes:', 'between-both')
  await person.answers('Mail server:', 'mail.example.com:587')
  await person.answers('Sender address of the box:', 'clinic')
  await person.sees('not an address: must be a mail address')
  await person.answers('Sender address of the box:', 'clinic@example.com')
  await person.answers('Name of the mail account:', 'clinic')
  await person.answers('Password:', 'mail-secret')
  await person.answers('Mail address to notify of faults:', told)
  await person.answers('Mail address for messages, faxes, texts and missed calls (- for none): [clinic@example.com]')
  await person.answers('Attach the recording, the fax and the picture to the mail? (y/n) [n]', 'y')
}

/** Of the house that was just set up: nothing is there yet that could call or be called. */
async function theTests(person: Typist, daemon: Daemon): Promise<void> {
  await person.answers('and install them now? (y/n) [n]')
  await person.sees('later: pbx models install recommended')
  await person.answers('Test everything now? (y/n) [y]', '')
  await person.answers('Set up phone 101 as on the sheet, then press Enter (s: skip)', 'perhaps')
  await person.sees('press Enter when done, or type s to skip')
  await person.answers('Set up phone 101', 's')
  await person.answers('Number to call, such as your mobile phone: (Enter for none)')
  await person.answers('Call +15550001000 from a mobile phone. When it has rung, press Enter')
  await person.sees('no call has come in over main')
  await person.answers('Try again? (y/n) [n]')
  await person.answers("Call the provider's test number (933)? It does not reach emergency services. (y/n) [n]")
  await person.answers('Fax number for a test page: (Enter for none)')
  await person.answers('Address for a test mail, - for none: [clinic@example.com]', '-')
  await eventually('the mail server that there is not is told', async () => (await daemon.pbx('status', '--check')).code === 1)
  await person.answers('Make a backup now? (y/n) [y]', 'n')
  await person.sees('The box as a whole')
  await person.answers('Try again? (y/n) [n]')
  await person.sees('0 of 2 tests passed, 6 skipped')
}

t.test('mistakes at the keyboard, a refused password, and a house', async (t) => {
  const { daemon, folder, before, type } = await scene(t)
  const provider = await registrar('secret')
  t.teardown(() => provider.close())
  const person = type()
  await theSite(person)
  await theProvider(person, provider.port, 'not-it')
  await theRest(person)
  await person.sees(/the provider does not accept the registration: .*403/s, 90_000)
  t.equal(readFileSync(daemon.configFile, 'utf8'), before, 'nothing is written')
  t.same(readdirSync(folder), [])

  await person.answers('Try again with other answers about the provider? (y/n) [y]')
  await person.answers('Which? [1]')
  await person.answers(`SIP server of the provider: [127.0.0.1:${provider.port}]`)
  await person.answers('Transport (udp, tcp or tls): [udp]')
  await person.answers('Account name: [clinic]')
  await person.answers('Password: (not shown; Enter keeps the current one)', 'sec\u007fcret')
  await person.answers('Your numbers, such as +15550001000, separated by spaces: [+15550001000]')
  await theTests(person, daemon)
  t.same(await person.left(120_000), { code: 0, sane: true }, person.screen)
  t.match(person.screen, /AGE-SECRET-KEY-1/)
  for (const password of ['not-it', 'mail-secret', 'secret\r', 'seccret']) t.notMatch(person.screen, password, `${password} is not shown`)
  t.match(parse(readFileSync(daemon.configFile, 'utf8')), {
    site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' },
    trunks: [{ server: `127.0.0.1:${provider.port}`, password: 'secret', numbers: ['+15550001000'] }],
    extensions: [
      { number: '101', name: 'Front desk' },
      { number: '102', name: 'Nurse' },
    ],
    sites: [{ id: 'north', server: '127.0.0.9:5060', extensions: '2xx', number: '+15550002000', password: 'between-both' }],
    mail: { from: 'clinic@example.com', password: 'mail-secret' },
    hours: [
      {
        open: { 'mon-fri': ['08:30-12:30', '13:30-17:00'], sat: ['09:00-12:00'] },
        closedOn: ['2026-12-25', '2026-12-31/2027-01-01'],
        whenOpen: 'group:house',
        whenClosed: 'voicemail:101',
      },
    ],
    inbound: [{ to: '*', destination: 'hours:office' }],
    mailboxes: [{ ext: '101', notify: { mail: 'clinic@example.com', attach: true } }, { ext: '102' }],
    fax: { notify: { mail: 'clinic@example.com', attach: true } },
    sms: { notify: { mail: 'clinic@example.com', attach: true } },
  })
  t.same(readdirSync(folder), ['pbxd-sheet.html'])
  t.equal(statSync(join(folder, 'pbxd-sheet.html')).mode & 0o777, 0o600)
})

t.test('who has had enough at the refusal keeps the answers, and a second run takes them', async (t) => {
  const { daemon, folder, before, type } = await scene(t)
  const provider = await registrar('secret')
  t.teardown(() => provider.close())
  const person = type()
  await theSite(person)
  await theProvider(person, provider.port, 'not-it')
  await theRest(person)
  await person.answers('Try again with other answers', 'n')
  t.same(await person.left(), { code: 1, sane: true })
  t.match(person.screen, /pbx setup --answers pbxd-answers.yaml/)
  t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  const kept = join(folder, 'pbxd-answers.yaml')
  t.equal(statSync(kept).mode & 0o777, 0o600)
  t.match(parse(readFileSync(kept, 'utf8')), { site: { name: 'Riverside Clinic' }, provider: { password: 'not-it' } })

  const again = type('--answers', kept)
  await again.sees(/the provider does not accept the registration/)
  t.same(await again.left(), { code: 1, sane: true })
  const mended = await registrar('not-it')
  t.teardown(() => mended.close())
  writeFileSync(kept, readFileSync(kept, 'utf8').replace(`:${provider.port}`, `:${mended.port}`))
  const third = type('--answers', kept)
  t.same(await third.left(120_000), { code: 0, sane: true }, third.screen)
  t.match(third.screen, /pbxd-answers.yaml contains passwords: delete it/)
})

for (const key of ['ctrlC', 'ctrlD'] as const) {
  t.test(`${key} in the middle of an answer, and while a password is typed`, async (t) => {
    const { daemon, folder, before, type } = await scene(t)
    const first = type()
    await first.answers('Name of the site:', 'Riverside')
    await first.sees('Country')
    if (key === 'ctrlC') first.type('U')
    first.press(key)
    t.same(await first.left(), { code: 1, sane: true })
    t.match(first.screen, /\npbx: stopped: nothing was changed\r?\n/)
    t.notMatch(first.screen, /AbortError|at .*\.js|node:internal/)

    const second = type()
    await theSite(second)
    await second.answers('Is there a SIP provider?')
    await second.answers('Which?')
    await second.answers('SIP server of the provider:', '127.0.0.1:9')
    await second.answers('Transport')
    await second.answers('Account name:', 'clinic')
    await second.sees('Password:')
    if (key === 'ctrlC') second.type('half-of-')
    second.press(key)
    t.same(await second.left(), { code: 1, sane: true })
    t.match(second.screen, /stopped: nothing was changed/)
    t.notMatch(second.screen, /half-of-/)
    t.equal(readFileSync(daemon.configFile, 'utf8'), before)
    t.same(readdirSync(folder), [])
  })
}

t.test('Ctrl-C while the provider is asked leaves nothing on trial', async (t) => {
  const { daemon, folder, before, type } = await scene(t)
  const person = type()
  await theSite(person)
  // Nobody is there.
  await theProvider(person, 9, 'x')
  await theRest(person)
  await person.sees('registering at the provider', 60_000)
  person.press('ctrlC')
  t.same(await person.left(), { code: 1, sane: true })
  t.match(person.screen, /stopped: nothing was changed/)
  t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  const lines = JSON.parse((await daemon.pbx('lines', '--json')).out) as { kind: string }[]
  t.same(
    lines.filter(({ kind }) => kind === 'trunk'),
    [],
  )
  t.ok(existsSync(join(folder, 'pbxd-answers.yaml')), 'what was answered is there')
})
