/** A restore that is cut short anywhere leaves the old box or the new one; and files come to lie where they belong. */
import fs, { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { makeKeys } from '../../daemon/backup/keys.ts'
import { makeBackup } from '../../daemon/backup/make.ts'
import { placesOf, unfinishedRestore } from '../../daemon/backup/places.ts'
import { finishRestore, restoreBackup } from '../../daemon/backup/restore.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'

const log = createLog({ level: 'silent' })
const keys = await makeKeys()

/** A small box below `root`. */
async function box(root: string, name: string): Promise<void> {
  const dir = join(root, 'etc')
  const storage = join(root, 'var', 'pbxd')
  mkdirSync(join(storage, 'recordings'), { recursive: true })
  mkdirSync(join(storage, 'cache'), { recursive: true })
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'pbxd.yaml'), `# ${name}\nstorage: { dir: ../var/pbxd }\nmail: { password: { file: mail.secret } }\n`, {
    mode: 0o640,
  })
  writeFileSync(join(dir, 'mail.secret'), name, { mode: 0o600 })
  writeFileSync(join(storage, 'recordings', 'a.wav'), name)
  writeFileSync(join(storage, 'recordings', 'b.wav.part'), 'being written')
  writeFileSync(join(storage, `only-${name}`), name)
  const store = await openStore(join(storage, 'store'), log, { reserveBytes: 0 })
  await store.transaction(() => store.tables.meta.put('box', name))
  await store.close()
}

/** Its name, checked against all of its parts. */
async function whoIs(root: string): Promise<string> {
  const storage = join(root, 'var', 'pbxd')
  const store = await openStore(join(storage, 'store'), log, { reserveBytes: 0 })
  const name = String(store.tables.meta.get('box'))
  await store.close()
  const others = ['etc/mail.secret', 'var/pbxd/recordings/a.wav', `var/pbxd/only-${name}`].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const config = readFileSync(join(root, 'etc/pbxd.yaml'), 'utf8').startsWith(`# ${name}\n`)
  return config && others.every((other) => other === name) ? name : `mixed: ${name} with ${others.join(', ')}`
}

async function backupOf(root: string, dir: string): Promise<string> {
  const config = join(root, 'etc', 'pbxd.yaml')
  const made = await makeBackup({
    places: placesOf(readFileSync(config, 'utf8'), config),
    version: '1',
    storeFile: join(root, 'var/pbxd/store/store.mdb'),
    credentialsDir: join(root, 'none'),
    recipient: keys.recipient,
    dir,
    keep: 3,
  })
  return made.file
}

const dir = t.testdir({})
// A backup names its places: the old box is laid out where the new one was made.
const home = join(dir, 'home')
await box(home, 'new')
symlinkSync('/etc/passwd', join(home, 'var/pbxd/recordings/planted.wav'))
const file = await backupOf(home, join(dir, 'backups'))
fs.rmSync(home, { recursive: true })

t.test('on a blank machine; links and what was being written are not in it', async (t) => {
  const { replaced } = await restoreBackup({ file, identities: [keys.identity], root: '/', force: false, log })
  t.equal(replaced, null)
  t.equal(await whoIs(home), 'new')
  t.equal(statSync(join(home, 'etc/mail.secret')).mode & 0o777, 0o600)
  t.equal(statSync(join(home, 'etc/pbxd.yaml')).mode & 0o777, 0o640)
  for (const name of ['planted.wav', 'b.wav.part']) t.notOk(existsSync(join(home, 'var/pbxd/recordings', name)), name)
  await t.rejects(restoreBackup({ file, identities: [keys.identity], root: '/', force: false, log }), /already holds a box/)
})

t.test('below another root', async (t) => {
  await restoreBackup({ file, identities: [keys.identity], root: join(dir, 'mnt'), force: false, log })
  t.equal(await whoIs(join(dir, 'mnt', home)), 'new')
})

t.test('cut short before any of its renames: it is the old box, or becomes the new one', async (t) => {
  const { renameSync } = fs
  const found: string[] = []
  for (let most = 0; most < 40; most++) {
    fs.rmSync(home, { recursive: true, force: true })
    await box(home, 'old')
    let renamed = 0
    fs.renameSync = (...given) => {
      if (renamed++ >= most) throw Object.assign(new Error('the power is gone'), { code: 'EIO' })
      renameSync(...given)
    }
    syncBuiltinESMExports()
    let whole = true
    try {
      await restoreBackup({ file, identities: [keys.identity], root: '/', force: true, log })
    } catch {
      whole = false
    } finally {
      fs.renameSync = renameSync
      syncBuiltinESMExports()
    }
    const decided = unfinishedRestore(join(home, 'var/pbxd'))
    if (decided) finishRestore(join(home, 'var/pbxd'))
    found.push(`${decided ? 'finished' : whole ? 'whole' : 'refused'}: ${await whoIs(home)}`)
    if (whole) break
  }
  t.same([...new Set(found)], ['refused: old', 'finished: new', 'whole: new'])
  t.ok(found.length > 6, `${found.length} places to be cut`)
  t.equal(readFileSync(join(home, 'var/pbxd/before-restore/only-old'), 'utf8'), 'old')
})
