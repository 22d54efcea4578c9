/** The file of a backup: what is in it comes out of it, the standard age program reads it, and nothing else opens or passes for it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readArchive, writeArchive, type BackupHead } from '../../daemon/backup/archive.ts'
import { identitiesIn, makeKeys } from '../../daemon/backup/keys.ts'

const dir = t.testdir({ small: 'a few words', empty: '' })
const keys = await makeKeys()
const head: BackupHead = {
  format: 1,
  version: '1',
  madeAt: '2026-03-02T02:06:11.000Z',
  host: 'box',
  configFile: '/etc/pbxd/pbxd.yaml',
  storageDir: '/var/lib/pbxd',
  outer: [],
  credentials: [],
  missing: [],
}
const large = join(dir, 'large')
writeFileSync(large, Buffer.alloc(5_000_001, 'pattern of sound'))
const contents = ['small', 'empty', 'large'].map((name) => ({ name: `data/${name}`, path: join(dir, name) }))
const file = join(dir, 'backup.tar.age')
const written = await writeArchive(file, head, [...contents, { name: 'data/gone', path: join(dir, 'gone'), mayGo: true }], [keys.recipient])

t.test('what goes in comes out', async (t) => {
  t.equal(written.files, 3)
  t.equal(statSync(file).size, written.bytes)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.notOk(readFileSync(file).includes('a few words'))
  const found = new Map<string, Buffer>()
  const read = await readArchive(file, [keys.identity], {
    async take(name, _mode, body) {
      const parts: Buffer[] = []
      for await (const part of body) parts.push(part as Buffer)
      found.set(name, Buffer.concat(parts))
    },
  })
  t.same(read.head, head)
  t.same([...found.keys()], ['data/small', 'data/empty', 'data/large'])
  for (const { name, path } of contents) t.ok(found.get(name)!.equals(readFileSync(path)), name)
})

t.test('a wrong key and a broken file are told apart, wherever it breaks', async (t) => {
  await t.rejects(readArchive(file, [(await makeKeys()).identity]), { name: 'BackupError', message: /needs another recovery key/ })
  await t.rejects(readArchive(join(dir, 'small'), [keys.identity]), { name: 'BackupError', message: /is not a backup/ })
  const { size } = statSync(file)
  const cut = join(dir, 'cut')
  // The last of them leaves every file whole, and takes the end of the list alone.
  for (const length of [0, 10, 100, 300, 70_000, Math.floor(size / 2), size - 65_000, size - 1]) {
    copyFileSync(file, cut)
    truncateSync(cut, length)
    await t.rejects(readArchive(cut, [keys.identity]), { name: 'BackupError', message: /damaged or incomplete/ }, `${length} bytes`)
  }
  const bytes = readFileSync(file)
  bytes[Math.floor(size / 3)]! ^= 1
  writeFileSync(cut, bytes)
  await t.rejects(readArchive(cut, [keys.identity]), { name: 'BackupError', message: /damaged/ })
})

t.test('a file that must be there, and is not, fails the backup', async (t) => {
  await t.rejects(writeArchive(join(dir, 'other'), head, [{ name: 'data/gone', path: join(dir, 'gone') }], [keys.recipient]), {
    code: 'ENOENT',
  })
})

t.test('keys are read as age-keygen writes them', async (t) => {
  t.same(identitiesIn(`# created: 2026\n# public key: ${keys.recipient}\n${keys.identity}\n`), [keys.identity])
  t.throws(() => identitiesIn(keys.recipient), /not a recovery key/)
  const last = keys.identity.at(-1) === 'Q' ? 'P' : 'Q'
  t.throws(() => identitiesIn(keys.identity.slice(0, -1) + last), { message: /^the recovery key has a typing error[^A-Z]*$/ })
})

const age = spawnSync('age', ['--version']).error === undefined
t.test('the age program of Debian and tar read it without pbxd', { skip: age ? false : 'age is not installed' }, async (t) => {
  const key = join(dir, 'key.txt')
  const out = join(dir, 'out')
  writeFileSync(key, `${keys.identity}\n`)
  mkdirSync(out)
  execFileSync('sh', ['-c', 'age --decrypt -i "$1" "$2" | tar -xf - -C "$3"', 'sh', key, file, out])
  t.equal(readFileSync(join(out, 'data/small'), 'utf8'), 'a few words')
  t.ok(readFileSync(join(out, 'data/large')).equals(readFileSync(large)))
  t.ok(existsSync(join(out, 'end.json')))
})
