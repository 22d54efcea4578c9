/**
 * The service runs as a user of its own, the technician is root: what root can read and the service cannot is reported before it does harm.
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { eventually, Scene } from '../harness/scene.ts'

type Tree = Record<string, any>

/** nobody, on every Debian. */
const uid = 65_534

if (process.getuid?.() !== 0) {
  t.plan(0, 'only root can start a daemon as somebody else')
} else {
  const state = mkdtempSync(join(tmpdir(), 'pbxd-user-'))
  const credentials = join(state, 'credentials')
  mkdirSync(credentials)
  writeFileSync(join(credentials, 'phone101'), 'the-password-of-101\n')
  for (const path of [state, credentials, join(credentials, 'phone101')]) chownSync(path, uid, uid)
  const scene = await Scene.open({ uid, env: { STATE_DIRECTORY: state, CREDENTIALS_DIRECTORY: credentials } })
  const { daemon } = scene
  t.setTimeout(200_000)
  t.teardown(async () => {
    await scene.close()
    rmSync(state, { recursive: true, force: true })
  })
  const good = readFileSync(daemon.configFile, 'utf8')
  const next = join(daemon.dir, 'next.yaml')
  const written = (change: (config: Tree) => void): string => {
    const config = parse(good) as Tree
    change(config)
    return stringify(config)
  }
  const warnings = async (): Promise<Tree[]> => (JSON.parse((await daemon.pbx('status', '--json')).out) as Tree)['warnings']

  t.test('a secret of mode 600 that is root’s: refused by the check and by apply, though root can read it', async (t) => {
    const secret = join(daemon.dir, '101.secret')
    writeFileSync(secret, 'a-password-for-root-alone\n', { mode: 0o600 })
    const text = written((config) => (config['extensions'][0].password = { file: secret }))
    writeFileSync(next, text)
    for (const words of [
      ['apply', next, '--yes'],
      ['apply', next, '--check'],
      ['diff', next],
    ]) {
      const { code, error } = await daemon.pbx('config', ...words)
      t.equal(code, 1, words[0]!)
      t.match(error, /the secret cannot be read/)
    }
    writeFileSync(daemon.configFile, text)
    const { code, error } = await daemon.pbx('config', 'check', daemon.configFile)
    t.equal(code, 1)
    t.match(error, /the secret cannot be read/)
    chownSync(secret, uid, uid)
    t.equal((await daemon.pbx('config', 'check', daemon.configFile)).code, 0)
    t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 0)
  })

  t.test('a configuration of mode 600 that is root’s: told at once, and what is in use stays', async (t) => {
    writeFileSync(daemon.configFile, good)
    t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 0)
    rmSync(daemon.configFile)
    writeFileSync(daemon.configFile, good.replace('Nurse', 'Doctor'), { mode: 0o600 })
    const { code, error } = await daemon.pbx('config', 'check', daemon.configFile)
    t.equal(code, 1)
    t.match(error, /the file cannot be read: EACCES/)
    t.ok((await warnings()).some(({ text }) => /has a fault.*cannot be read/.test(String(text))))
    t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 1)
    // Root hands over no file of a folder that is the service's unless the service may read it; it could be a link to any.
    const refused = await daemon.pbx('config', 'apply', daemon.configFile, '--yes')
    t.equal(refused.code, 2)
    t.match(refused.error, /cannot be read/)
    // From a folder of root's it is another matter: the service writes it by itself, with the mode it had.
    const own = join(t.testdir({}), 'own.yaml')
    writeFileSync(own, good.replace('Nurse', 'Doctor'), { mode: 0o600 })
    const { code: handed, out } = await daemon.pbx('config', 'apply', own, '--yes')
    t.equal(handed, 0, out)
    t.equal(statSync(daemon.configFile).uid, uid)
    t.notOk((await warnings()).some(({ code: known }) => /^config-/.test(String(known))))
  })

  t.test('a folder that is root’s, as /etc is: root writes the file, and hears where the service could not read it', async (t) => {
    const folder = statSync(daemon.dir)
    chownSync(daemon.dir, 0, 0)
    chmodSync(daemon.dir, 0o755)
    t.teardown(() => chownSync(daemon.dir, folder.uid, folder.gid))
    writeFileSync(next, good)
    const { code, out } = await daemon.pbx('config', 'apply', next, '--yes')
    t.equal(code, 0, out)
    t.equal(readFileSync(daemon.configFile, 'utf8'), good)
    t.equal(statSync(daemon.configFile).uid, uid, 'it is whose it was')
    chownSync(daemon.configFile, 0, 0)
    chmodSync(daemon.configFile, 0o600)
    writeFileSync(next, good.replace('Nurse', 'Doctor'))
    const unread = await daemon.pbx('config', 'apply', next, '--yes')
    t.equal(unread.code, 1)
    t.match(unread.out, /the service cannot read it: chgrp pbx/)
    chmodSync(daemon.configFile, 0o644)
  })

  t.test('what a page applies outlives a restart where the service may not write the file, and root writes it as it stands', async (t) => {
    const folder = statSync(daemon.dir)
    const commented = `# of the clinic\n${good}`
    writeFileSync(daemon.configFile, commented)
    t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 0)
    chownSync(daemon.dir, 0, 0)
    chmodSync(daemon.dir, 0o755)
    chownSync(daemon.configFile, 0, uid)
    chmodSync(daemon.configFile, 0o640)
    process.env['STATE_DIRECTORY'] = state
    t.teardown(() => {
      delete process.env['STATE_DIRECTORY']
      chownSync(daemon.dir, folder.uid, folder.gid)
    })
    const named = async (): Promise<string> => {
      const list = (await daemon.api('GET', '/api/extensions')).body as { number: string; name: string }[]
      return list.find(({ number }) => number === '102')?.name ?? ''
    }
    const applied = async (from: string, to: string): Promise<void> => {
      const { body } = await daemon.api('GET', '/api/config/text')
      t.ok(body.text.includes(from), `the page shows ${from}`)
      const order = { text: body.text.replace(from, to), base: body.base, note: to }
      t.equal((await daemon.api('POST', '/api/config/apply', order)).status, 202)
      await eventually('it is applied', async () => (await daemon.api('GET', '/api/config')).body.change.state === 'applied')
    }
    await applied('Nurse', 'Doctor')
    t.equal(readFileSync(daemon.configFile, 'utf8'), commented, 'the file is as it was')
    t.match((await daemon.api('GET', '/api/config')).body, { fileIsBehind: true })
    t.equal(readFileSync(join(daemon.dir, 'run', 'config-due'), 'utf8'), '', 'root is asked')

    await daemon.stop()
    await daemon.start()
    t.equal(await named(), 'Doctor', 'after a restart it is in use')
    t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 1, 'the service cannot write it')
    t.equal(await named(), 'Doctor', 'and a reload takes nothing back')

    const asked = await daemon.pbx('config', 'write', '--unattended')
    t.equal(asked.code, 0, asked.error)
    t.equal(readFileSync(daemon.configFile, 'utf8'), commented.replace('Nurse', 'Doctor'), 'with its comments and secrets')
    t.match(statSync(daemon.configFile), { uid: 0, gid: uid })
    t.equal(statSync(daemon.configFile).mode & 0o777, 0o640)
    t.match((await daemon.api('GET', '/api/config')).body, { fileIsOther: false, fileIsBehind: false })
    t.match((await daemon.pbx('config', 'write')).out, /already/)

    await applied('Doctor', 'Physician')
    writeFileSync(daemon.configFile, `${commented}# by hand\n`)
    const byHand = await daemon.pbx('config', 'write', '--unattended')
    t.equal(byHand.code, 0, 'no failure of the unit')
    t.match(byHand.out, /left to a person: .* was changed by hand/)
    t.match(await daemon.pbx('config', 'write'), { code: 1, error: /changed by hand/ })

    writeFileSync(daemon.configFile, commented.replace('Nurse', 'Doctor'))
    await applied('Physician', 'Nurse')
    const { body } = await daemon.api('GET', '/api/config/text')
    const order = { text: `${body.text}backup: { dir: ${state} }\n`, base: body.base, confirmed: true, now: true }
    t.equal((await daemon.api('POST', '/api/config/apply', order)).status, 202)
    await eventually('it is applied', async () => (await daemon.api('GET', '/api/config')).body.change.state === 'applied')
    t.match(await daemon.pbx('config', 'write', '--unattended'), {
      code: 0,
      out: /left to a person: it changes what root acts upon \(backup/,
    })
    t.notOk(readFileSync(daemon.configFile, 'utf8').includes('backup:'))
    t.equal((await daemon.pbx('config', 'write')).code, 0, 'root by hand decides')
    t.ok(readFileSync(daemon.configFile, 'utf8').includes('backup:'))
  })

  t.test('a credential of systemd is read as the service has it', async (t) => {
    writeFileSync(
      next,
      written((config) => (config['extensions'][0].password = { credential: 'phone101' })),
    )
    const { code, out, error } = await daemon.pbx('config', 'apply', next, '--yes')
    t.equal(code, 0, out + error)
    t.equal((await daemon.pbx('config', 'check', daemon.configFile)).code, 0)
  })
}
