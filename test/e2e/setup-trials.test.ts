/** pbx setup --test as a person goes through it: a phone, calls both ways, a mail, a backup; a failure is shown with its remedy. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeKeys } from '../../daemon/backup/keys.ts'
import { root } from '../harness/daemon.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { desk } from '../harness/talkers.ts'
import { Typist } from '../harness/typist.ts'
import { password } from '../sip-driver/phones.ts'
import { MailServer } from '../mail/server.ts'

t.setTimeout(300_000)

async function house() {
  const mail = await MailServer.open(t)
  const { recipient: recoveryKey } = await makeKeys()
  const scene = await Scene.open({
    settings(base) {
      base['extensions'] = ['101', '102'].map((number) => ({ number, name: `Desk ${number}`, password }))
      base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
      base['alarms'] = [{ id: 'technician', notify: { mail: ['technician@example.com'] } }]
      base['backup'] = { recoveryKey, dir: 'backups' }
    },
  })
  t.teardown(() => scene.close())
  const env = { PBXD_SOCKET: join(scene.daemon.dir, 'run', 'pbxd.sock') }
  const type = (...words: string[]): Typist => {
    const person = new Typist(join(root, 'scripts', 'pbx'), ['setup', '--test', ...words], { env, cwd: scene.daemon.dir })
    scene.keep(person)
    return person
  }
  return { scene, mail, type }
}

t.test('everything is tried', async (t) => {
  const { scene, mail, type } = await house()
  const { daemon } = scene
  const before = readFileSync(daemon.configFile, 'utf8')
  mkdirSync(join(daemon.dir, 'backups'))

  await t.test('what fails is told, and tried again when it is mended', async (t) => {
    const person = type('--config', daemon.configFile)
    await person.answers('Set up phone 101')
    await person.sees(/no phone is registered.*fix: compare server, user and password of 101/s, 40_000)
    await desk(scene, '101')
    await person.answers('Try again? (y/n) [n]', 'y')
    await person.answers('Set up phone 101')
    await person.sees('registered: 101; not yet: 102')

    await scene.expect('busy')
    await person.answers('Number to call', '+15551230017')
    await person.sees(/\+15551230017 was not reached \(busy, SIP 486\).*fix: answer the call/s)
    await person.answers('Try again?', 'y')
    await scene.expect('answer')
    await person.answers('Number to call', '+15551230017')
    await person.sees(/in-progress/)
    await person.sees('+15551230017 answered and heard the test message', 60_000)

    await person.sees('Call +15550001000 from a mobile phone')
    scene.app.script = () => [{ say: { text: 'Welcome.' } }]
    await scene.call({ from: '+15551230001' })
    await scene.app.until('call.ended', (event) => event.from === '+15551230001')
    person.press('enter')
    await person.sees('+15551230001 called +15550001000: completed')
    await person.answers('(933)? It does not reach emergency services. (y/n) [n]')
    await scene.expect('busy')
    await person.answers('Fax number for a test page:', '+15551230018')
    await person.sees(/fax [0-9a-f-]+: 1 page to \+15551230018/)
    await person.sees('Next try', 60_000)
    person.press('ctrlC')
    t.same(await person.left(), { code: 1, sane: true }, person.screen)
    t.match(person.screen, /3 of 4 tests passed; ended here\. The configuration stays in use\./, person.screen)
  })

  await t.test('accounts, the backup, the box; a stop in the middle of a question', async (t) => {
    const person = type('--config', daemon.configFile)
    await skipToTheMail(person)
    await person.answers('[technician@example.com]', 'nobody')
    await person.sees('not an address')
    await person.answers('[technician@example.com]')
    await person.sees('✓ A mail')
    await person.answers('Send a test message to everyone in the alarm rules? (y/n) [y]')
    await person.sees('✓ Alarms')
    await person.answers('Make a backup now? (y/n) [y]')
    await person.sees('✓ A backup', 60_000)
    await person.sees('The box as a whole')
    // What this machine's clock and disk are like is not ours to say.
    await person.sees(/✓ The box as a whole|Try again\? \(y\/n\) \[n\]/, 60_000)
    const well = person.screen.includes('✓ The box as a whole')
    if (!well) person.press('enter')
    await person.sees(`${well ? 4 : 3} of 4 tests passed, 5 skipped`)
    t.same(await person.left(), { code: well ? 0 : 1, sane: true })
    t.equal(readdirSync(join(daemon.dir, 'backups')).filter((name) => name.endsWith('.age')).length, 1)
    await eventually('both mails', () => mail.received.length === 2)

    const second = type('--config', daemon.configFile)
    await skipToTheMail(second)
    await second.sees('[technician@example.com]')
    second.press('ctrlC')
    t.same(await second.left(), { code: 1, sane: true })
    t.match(second.screen, /0 of 0 tests passed.*ended here; the configuration stays in use/s)
  })
  t.equal(readFileSync(daemon.configFile, 'utf8'), before, 'nothing was changed')
})

async function skipToTheMail(person: Typist): Promise<void> {
  await person.answers('Set up phone 101', 's')
  await person.answers('Number to call')
  await person.answers('Call +15550001000', 's')
  await person.answers('It does not reach emergency services.')
  await person.answers('Fax number')
}
