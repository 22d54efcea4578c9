/**
 * The service's user against root: whatever he lays in the way of a command, and whatever his daemon answers, nothing outside of his folders
 * changes, no command waits for ever, nothing of root's reaches him, and what is refused is refused in a sentence.
 */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readArchive, writeArchive, type BackupHead } from '../../daemon/backup/archive.ts'
import { identitiesIn } from '../../daemon/backup/keys.ts'
import { judge, liesOf, nonsense, shortPlace } from '../harness/hostile-judge.ts'
import { HostileService, plants, serviceUser } from '../harness/hostile-service.ts'
import { skipFile } from '../harness/skip-file.ts'

if (process.getuid?.() !== 0) skipFile('only root can play root, and another user as well')
t.setTimeout(900_000)
const box = await HostileService.open(t.testdir({}))
const { dir, storage, config, keyFile } = box
const at = (name: string): string => join(storage, name)
const recipient = /recoveryKey: (\w+)/.exec(fs.readFileSync(config, 'utf8'))![1]!
const identities = identitiesIn(fs.readFileSync(keyFile, 'utf8'))
t.teardown(() => box.end())

/** A backup of the box, of which nobody can say who made it. */
async function unsealed(head: Partial<BackupHead> = {}, more: { name: string; path: string; mode?: number }[] = []): Promise<string> {
  const file = join(dir, 'out', `made-${performance.now()}.tar.age`)
  const whole: BackupHead = {
    ...{ format: 1, version: '1', madeAt: '2026-03-02T02:06:11.000Z', host: 'box', configFile: config, storageDir: storage },
    ...{ outer: [{ name: 'outer/0', path: config, mode: 0o640, owner: 'root', group: 'service' }], credentials: [], missing: [], ...head },
  }
  const contents = [{ name: 'store/store.mdb', path: join(dir, 'kept.mdb') }, { name: 'outer/0', path: config }, ...more]
  await writeArchive(file, whole, contents, [recipient])
  return file
}
fs.copyFileSync(at('store/store.mdb'), join(dir, 'kept.mdb'))

interface Case {
  readonly words: () => string[]
  /** What the attacker may replace. */
  readonly paths: readonly string[]
  /** What the command is to change outside. */
  readonly but?: readonly string[]
  /** A file that it makes, as one of the service, where nothing is in the way. */
  readonly makes?: string
}

const out = join(dir, 'out')

const unsealedBox = await unsealed()
const cases: Readonly<Record<string, Case>> = {
  'backup of a box that runs': {
    words: () => ['backup'],
    paths: ['backup-work/store/store.mdb-lock', 'backup-work/store/store.mdb', 'backup-work/store/store.lock', 'recordings/a.wav'],
    but: [box.backups],
  },
  'backup into a folder of the service': { words: () => ['backup', '--to', at('own')], paths: ['own'] },
  'restore over the box': {
    words: () => ['restore', unsealedBox, '--key', keyFile, '--force'],
    paths: ['store/store.lock', 'restore-work', 'restore.json', 'before-restore'],
    but: [out, join(dir, 'etc'), join(dir, 'notes')],
  },
  'models list': { words: () => ['models', 'list'], paths: ['models', 'models/silero-vad', 'models/conformer-small/INSTALLED.json'] },
  'models verify': { words: () => ['models', 'verify'], paths: ['models', 'models/conformer-small/INSTALLED.json'] },
  'models remove': { words: () => ['models', 'remove', 'parakeet-110m'], paths: ['models', 'models/parakeet-110m'] },
  'say into a file': { words: () => ['say', 'hello', '--out', at('x.wav')], paths: ['x.wav'], makes: 'x.wav' },
  'simulate into a file': { words: () => ['simulate', 'inbound', '--from', '102', '--to', '101', '--save', at('x.wav')], paths: ['x.wav'] },
  'audit export': { words: () => ['audit', 'export', '--out', at('trail.jsonl')], paths: ['trail.jsonl'], makes: 'trail.jsonl' },
  'support-bundle': {
    words: () => ['support-bundle', '--out', at('s.tar.gz'), '--log', at('log')],
    paths: ['s.tar.gz', 'log'],
    makes: 's.tar.gz',
  },
  'inbox save': { words: () => ['inbox', 'save', 'vm_2', at('copy.wav')], paths: ['copy.wav'], makes: 'copy.wav' },
  'config init': { words: () => ['config', 'init', at('pbxd.yaml')], paths: ['pbxd.yaml'], makes: 'pbxd.yaml' },
  'config apply of a file': { words: () => ['config', 'apply', at('new.yaml'), '--yes'], paths: ['new.yaml'] },
  'crm import': { words: () => ['crm', 'import', at('people.csv')], paths: ['people.csv'] },
  transcribe: { words: () => ['transcribe', at('x.wav')], paths: ['x.wav'] },
  'fax send': { words: () => ['fax', 'send', at('x.pdf'), '--to', '101'], paths: ['x.pdf'] },
  'models import': { words: () => ['models', 'import', at('x.bin'), '--no-trial'], paths: ['x.bin', 'models', 'models/.incoming'] },
  'models install': {
    words: () => ['models', 'install', 'silero-vad', '--no-trial'],
    paths: ['models', 'models/silero-vad', 'models/.incoming'],
  },
  setup: {
    words: () => ['setup', '--answers', at('answers.yaml'), '--sheet', at('sheet.html')],
    paths: ['answers.yaml', 'sheet.html', 'sheet.html.part'],
  },
  upgrade: { words: () => ['upgrade', at('pbxd_9_amd64.deb')], paths: ['pbxd_9_amd64.deb'], but: [join(dir, 'notes')] },
  'upgrade at night': {
    words: () => ['upgrade', at('pbxd_9_amd64.deb'), '--at', '02:00'],
    paths: ['pbxd_9_amd64.deb'],
    but: [join(dir, 'notes')],
  },
  'upgrade --status': { words: () => ['upgrade', '--status'], paths: ['store'] },
  rollback: { words: () => ['rollback'], paths: ['store'], but: [join(dir, 'notes'), join(dir, 'lib')] },
  doctor: { words: () => ['doctor'], paths: ['store', 'cache', 'recordings'] },
}

let turn = 0

/** They give root's rights up for good, or what they start writes by itself. */
const ownProgram = /^(models|rollback|upgrade)/
/** Every kind at every path where root works on what he does not read alone; of the others each kind at one path, and each path once. */
const thorough = ['backup of a box that runs', 'restore over the box']

function* plantings(name: string, paths: readonly string[]): Generator<[kind: string, path: string]> {
  const kinds = Object.keys(plants)
  if (name === 'rollback') yield [kinds[0]!, paths[0]!]
  else if (thorough.includes(name)) for (const kind of kinds) for (const path of paths) yield [kind, path]
  else for (let n = 0; n < kinds.length; n++) yield [kinds[n]!, paths[n % paths.length]!]
}

for (const [name, { words, paths, makes, but = [] }] of Object.entries(cases))
  t.test(name, async (t) => {
    const listens = name !== 'restore over the box'
    const run = async (how: 'pbx' | 'served', what: string): Promise<void> => {
      if (listens) await box.listen(() => nonsense[turn++ % nonsense.length]!)
      const before = box.outside(but)
      const ran = await box[how](...words())
      judge(t, ran, before, but, `${what}: ${ran.code} ${ran.text.slice(0, 200)}`, box)
    }
    box.answer = liesOf(box)
    await box.close()
    box.reset()
    // By the program as it is installed.
    await run('pbx', 'nothing in the way')
    if (makes !== undefined) t.equal(fs.lstatSync(at(makes)).uid, serviceUser, `${makes} is made, as the service's`)
    for (const [kind, path] of plantings(name, paths)) {
      await box.close()
      box.reset()
      box.plant(at(path), kind)
      await run(ownProgram.test(name) ? 'pbx' : 'served', `${kind} at ${path}`)
    }
  })

t.test('the socket leads to a socket of root', async (t) => {
  await box.close()
  box.reset()
  const roots = await HostileService.open(shortPlace())
  t.teardown(async () => {
    await roots.end()
    fs.rmSync(roots.dir, { recursive: true, force: true })
  })
  await roots.listen(() => '{}')
  await roots.served('status')
  t.match(roots.heard, /GET \/api\/status/, 'as long as it is of the service')
  roots.heard = ''
  fs.chownSync(roots.socket, 0, 0)
  for (const lay of [() => fs.symlinkSync(roots.socket, box.socket), () => fs.linkSync(roots.socket, box.socket)]) {
    fs.rmSync(box.socket, { force: true })
    lay()
    const { code, text } = await box.served('status')
    t.equal(code, 3, text)
    t.equal(roots.heard, '', 'nobody asked it')
  }
})

t.test('a marker that the service wrote: root moves nothing', async (t) => {
  await box.close()
  box.reset()
  fs.writeFileSync(at('evil'), 'evil')
  const to = join(dir, 'canary/folder/profile.sh')
  fs.writeFileSync(at('restore.json'), JSON.stringify({ old: [], next: [], outer: [{ from: at('evil'), to }] }))
  box.give()
  const before = box.outside()
  const { code, text } = await box.served('restore', '--finish')
  t.equal(code, 1)
  t.match(text.replaceAll(/\s+/g, ' '), /restore\.json does not belong to a restore that root started: nothing was moved/)
  t.equal(box.outside(), before)
})

t.test('a restore of root is finished from his own folder, with the data in the hands of the service', async (t) => {
  await box.close()
  box.reset()
  const file = await unsealed({}, [{ name: 'data/recordings/b.wav', path: keyFile, mode: 0o777 }])
  const notes = fs.readdirSync(join(dir, 'notes'))
  const { code, text } = await box.served('restore', file, '--key', keyFile, '--force')
  t.equal(code, 0, text)
  const found = fs.statSync(at('recordings/b.wav'))
  t.same([found.uid, found.gid, found.mode & 0o7777], [serviceUser, serviceUser, 0o666 & ~0o022 & found.mode])
  t.equal(fs.statSync(at('store/store.mdb')).uid, serviceUser)
  t.equal(fs.statSync(config).uid, 0)
  t.same(fs.readdirSync(join(dir, 'notes')), notes, 'nothing is left of it')
})

t.test('a backup that anybody with the public half has made: what lies outside is listed and refused', async (t) => {
  const evil = join(dir, 'kept.mdb')
  const outer = (path: string, mode = 0o644) => ({ name: 'outer/1', path, mode, owner: 'root', group: 'root' }) as const
  const own = { name: 'outer/0', path: config, mode: 0o640, owner: 'root', group: 'service' } as const
  const heads: [string, Partial<BackupHead>, RegExp][] = [
    ['a file of cron', { outer: [own, outer(join(dir, 'canary/folder/cron'))] }, /canary\/folder\/cron/],
    ['a program with setuid', { outer: [own, outer(join(dir, 'out/su'), 0o4755)] }, /out\/su/],
    ['a path with dots', { outer: [own, outer(`${dir}/etc/box/../../out/x`)] }, /in a form that pbxd never writes/],
    ['the data in a folder with other things', { storageDir: join(dir, 'canary') }, /holds other files and no box/],
    ['the data in a folder that does not exist', { storageDir: join(dir, 'canary/folder/unit.d') }, /unit\.d \(the data\)/],
    [
      'another configuration',
      { configFile: join(dir, 'out/x/pbxd.yaml'), outer: [outer(join(dir, 'out/x/pbxd.yaml'))] },
      /out\/x\/pbxd\.yaml/,
    ],
  ]
  for (const [name, head, said] of heads) {
    box.reset()
    const file = await unsealed(head, [{ name: 'outer/1', path: evil }])
    const before = box.outside()
    const { code, text } = await box.served('restore', file, '--key', keyFile, '--force')
    t.equal(code, 1, name)
    t.match(text.replaceAll(/\n\s*/g, ' '), said, name)
    t.equal(box.outside(), before, name)
  }
  box.reset()
  const inside = join(dir, 'etc/box/tool')
  const file = await unsealed({ outer: [own, outer(inside, 0o4755)] }, [{ name: 'outer/1', path: evil }])
  t.equal((await box.served('restore', file, '--key', keyFile, '--force')).code, 0, 'below the folder of the configuration it may')
  t.equal(fs.statSync(inside).mode & 0o7777, 0o644, 'but nothing that it brings is a program')
  fs.rmSync(inside)
  for (const name of ['data/restore.json', 'data/models/x', 'strange/x', 'data/run/pbxd.sock']) {
    box.reset()
    const odd = await unsealed({}, [{ name, path: evil }])
    t.match(await box.served('restore', odd, '--key', keyFile, '--force'), { code: 1, text: /an unexpected file/ }, name)
  }
})

t.test('a backup that root made carries a seal; a seal that is made up is refused', async (t) => {
  await box.close()
  box.reset()
  // A restore before has left it.
  fs.rmSync(join(dir, 'etc/box/backup.seal'), { force: true })
  const plain = await box.pbx('backup')
  t.match(plain, { code: 0, text: /not sealed/ })
  const newest = (): string =>
    join(
      box.backups,
      fs
        .readdirSync(box.backups)
        .filter((name) => name.endsWith('.age'))
        .toSorted()
        .at(-1)!,
    )
  t.match(await box.served('backup', 'check', newest(), '--key', keyFile), { code: 0, text: /has no seal/ })
  t.equal(fs.statSync(join(dir, 'etc/box/backup.seal')).mode & 0o777, 0o600)
  for (const name of fs.readdirSync(box.backups)) fs.rmSync(join(box.backups, name))
  t.match(await box.pbx('backup'), { code: 0 })
  t.match(await box.served('backup', 'check', newest(), '--key', keyFile), { code: 0, text: /its seal is valid/ })
  const { head } = await readArchive(newest(), identities)
  const forged = join(out, 'forged.tar.age')
  await writeArchive(
    forged,
    { ...head, seal: head.seal!.replaceAll(/./g, '0') },
    [{ name: 'store/store.mdb', path: join(dir, 'kept.mdb') }],
    [recipient],
  )
  await t.rejects(readArchive(forged, identities), /the seal of the backup does not match the box/)
  const moved = join(out, 'moved.tar.age')
  await writeArchive(moved, { ...head, storageDir: '/etc' }, [{ name: 'store/store.mdb', path: join(dir, 'kept.mdb') }], [recipient])
  await t.rejects(readArchive(moved, identities), /the seal of the backup does not match the box/)
  const refilled = join(out, 'refilled.tar.age')
  await writeArchive(refilled, head, [{ name: 'store/store.mdb', path: config }], [recipient])
  await t.rejects(readArchive(refilled, identities), /the seal of the backup does not match the box/)
})

t.test('somebody who changes links all the time, while root works', async (t) => {
  const names = ['restore-work', 'restore-work/new', 'restore-work/new/store', 'backup-work/store', 'recordings', 'before-restore']
  for (const words of [
    async () => ['restore', await unsealed({}, [{ name: 'data/recordings/b.wav', path: keyFile }]), '--key', keyFile, '--force'],
    () => ['backup'],
  ]) {
    await box.close()
    box.reset()
    const asked = await words()
    const but = [out, box.backups, join(dir, 'etc'), join(dir, 'notes')]
    const before = box.outside(but)
    const stop = box.flip(names)
    for (let n = 0; n < 3; n++) judge(t, await box.served(...asked), before, but, asked[0]!, box, true)
    await stop()
  }
  execFileSync('rm', ['-rf', storage])
  fs.mkdirSync(storage)
})
