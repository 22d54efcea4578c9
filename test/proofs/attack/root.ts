/** The daemon's user against root: what he lays in the way of root's `pbx`, a backup that is not of the box, a bundle for strangers. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { writeArchive, type BackupHead } from '../../../daemon/backup/archive.ts'
import { maskedConfig } from '../../../daemon/backup/support.ts'
import { canarySecret, HostileService, serviceUser } from '../../harness/hostile-service.ts'
import { none, type Area, type Attack, type Skipped, type Verdict } from './attack.ts'

/** With a box whose folders and daemon are the attacker's, where somebody is root. */
function against(name: string, play: (box: HostileService) => Promise<Verdict>): Attack {
  return {
    name,
    async play(): Promise<Verdict | Skipped> {
      if (process.getuid?.() !== 0) return { skipped: 'only root can be deceived' }
      const dir = fs.mkdtempSync(join(tmpdir(), 'pbxd-attack-'))
      fs.chmodSync(dir, 0o755)
      const box = await HostileService.open(dir)
      try {
        return await play(box)
      } finally {
        await box.end()
        fs.rmSync(dir, { recursive: true, force: true })
      }
    },
  }
}

const marker = against('a marker that says what root is to move where', async (box) => {
  const to = join(box.dir, 'canary/folder/profile.sh')
  fs.writeFileSync(join(box.storage, 'evil'), 'evil')
  fs.writeFileSync(
    join(box.storage, 'restore.json'),
    JSON.stringify({ old: [], next: [], outer: [{ from: join(box.storage, 'evil'), to }] }),
  )
  box.give()
  const before = box.outside()
  const { code, text } = await box.pbx('restore', '--finish')
  return none({ 'things moved': before === box.outside() ? 0 : 1, 'words of success': code === 0 ? 1 : 0 }, text.split('\n')[0])
})

const copy = against("a daemon's copy of the store whose lock leads to files of root", async (box) => {
  let [changed, refused, sent] = [0, 0, 0]
  box.answer = (path) => (path === '/api/backup/begin' ? { folder: join(box.storage, 'backup-work') } : {})
  await box.listen(() => '{}')
  const honest = await box.served('backup')
  const kinds = ['a link to a file of root', 'a link to nothing in a folder of root', 'a second name of a file of root', 'a pipe']
  for (const kind of kinds)
    for (const name of ['store.mdb-lock', 'store.mdb']) {
      await box.close()
      box.reset()
      box.plant(join(box.storage, 'backup-work/store', name), kind)
      await box.listen(() => '{}')
      const before = box.outside([box.backups])
      const { code } = await box.served('backup')
      if (before !== box.outside([box.backups])) changed++
      if (code !== 0) refused++
      if (box.heard.includes(canarySecret)) sent++
    }
  return none(
    { 'files of root changed': changed, 'secrets sent': sent, 'honest backups refused': honest.code === 0 ? 0 : 1 },
    `${refused} of ${kinds.length * 2} refused`,
  )
})

const strange = against('a backup by somebody who knows the public half alone', async (box) => {
  const recipient = /recoveryKey: (\w+)/.exec(fs.readFileSync(box.config, 'utf8'))![1]!
  const outer = (path: string, mode: number): BackupHead['outer'][number] => ({ name: 'outer/1', path, mode, owner: 'root', group: 'root' })
  const own = { name: 'outer/0', path: box.config, mode: 0o640, owner: 'root', group: 'service' } as const
  const heads: readonly Partial<BackupHead>[] = [
    { outer: [own, outer(join(box.dir, 'canary/folder/cron'), 0o644)] },
    { outer: [own, outer(join(box.dir, 'out/tool'), 0o4755)] },
    { storageDir: join(box.dir, 'canary') },
    { storageDir: join(box.dir, 'canary/folder/new') },
  ]
  const base: BackupHead = {
    ...{ format: 1, version: '1', madeAt: '2026-03-02T02:06:11.000Z', host: 'box', configFile: box.config, storageDir: box.storage },
    ...{ outer: [own], credentials: [], missing: [] },
  }
  let [changed, taken] = [0, 0]
  const store = join(box.dir, 'kept.mdb')
  fs.copyFileSync(join(box.storage, 'store/store.mdb'), store)
  for (const [n, head] of heads.entries()) {
    box.reset()
    const file = join(box.dir, 'out', `${n}.tar.age`)
    const contents = [
      { name: 'store/store.mdb', path: store },
      { name: 'outer/0', path: box.config },
      { name: 'outer/1', path: box.keyFile },
    ]
    await writeArchive(file, { ...base, ...head }, contents.slice(0, head.outer === undefined ? 2 : 3), [recipient])
    const before = box.outside()
    const { code } = await box.served('restore', file, '--key', box.keyFile, '--force')
    if (before !== box.outside()) changed++
    if (code === 0) taken++
  }
  return none({ 'places written': changed, 'backups taken': taken }, `${heads.length} backups`)
})

/** Nine that an administrator writes where no schema calls it a secret. */
const planted: readonly [what: string, section: Record<string, unknown>][] = [
  ['X-Api-Key', { sms: { template: { send: { headers: { 'X-Api-Key': 'canary-1' } } } } }],
  ['form', { sms: { template: { send: { form: { key: 'canary-2' } } } } }],
  ['json', { sms: { template: { send: { json: { auth: { pass: 'canary-3' } } } } } }],
  ['path', { sms: { template: { send: { path: '/v1/canary-4/messages' } } } }],
  ['headers of help', { emergency: { locations: [{ headers: { Authorization: 'Bearer canary-5' } }] } }],
  ['text of help', { emergency: { locations: [{ text: 'canary-6, second floor' }] } }],
  ['webhook', { alarms: [{ notify: { webhook: 'https://hooks.example.com/services/canary-7' } }] }],
  ['query', { crm: { baseUrl: 'https://crm.example.com/?token=canary-8' } }],
  ['user part', { voice: { endpoints: [{ id: 'a', controlUrl: 'https://anna:canary-9@app.example.com/voice' }] } }],
  ['a section that nobody knows', { somethingElse: { word: 'canary-10' } }],
]

const bundle: Attack = {
  name: 'keys, tokens and names in texts of a support bundle',
  play: async () => {
    const shown = planted.filter(([, section]) => /canary-\d/.test(stringify(maskedConfig(section)))).map(([what]) => what)
    const useful = stringify(maskedConfig(Object.assign({}, ...planted.map(([, section]) => section))))
    const hidden = ['hooks.example.com', 'crm.example.com'].filter((word) => !useful.includes(word))
    return none({ 'of ten shown': shown.length, 'hosts hidden': hidden.length }, shown.join(', '))
  },
}

/** The nightly backup reads as the data's owner: without the right to change users it would make none. */
const nightly: Attack = {
  name: 'root of the nightly unit: takes the rights of the data’s owner, and no more than it needs',
  play: async () => {
    if (process.getuid?.() !== 0) return { skipped: 'only root can give rights up' }
    const unit = fs.readFileSync(join(import.meta.dirname, '../../../systemd/pbxd-backup.service'), 'utf8')
    const rights = /^CapabilityBoundingSet=(.*)$/m.exec(unit)![1]!.toLowerCase().replaceAll('cap_', '+').replaceAll(' ', ',')
    const work = `process.setegid(${serviceUser}); process.seteuid(${serviceUser}); const as = process.geteuid(); process.seteuid(0); console.log(as, process.geteuid())`
    const { stdout, stderr } = spawnSync('setpriv', ['--no-new-privs', `--bounding-set=-all,${rights}`, process.execPath, '-e', work], {
      encoding: 'utf8',
    })
    return { seen: `euid ${stdout.trim()}${stderr.trim().slice(0, 100)} with ${rights}`, stood: stdout.trim() === `${serviceUser} 0` }
  },
}

export const root: Area = { name: 'root', attacks: [marker, copy, strange, bundle, nightly] }
