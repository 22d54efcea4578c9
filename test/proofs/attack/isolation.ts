/** A taken-over part of the box: what a reader of PDFs, a speech program, or the daemon's user makes of the machine; a changed supply. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pdfConfinement } from '../../../daemon/fax/pages/limited-child.ts'
import { speechCommand } from '../../../daemon/speech/process/program.ts'
import { confined, confineProgram } from '../../../drivers/confine.ts'
import { Daemon, root } from '../../harness/daemon.ts'
import { content, loose, manifestFile, serveModels } from '../../models/stage.ts'
import { none, type Area, type Attack, type Skipped, type Verdict } from './attack.ts'

const nobody = 65_534
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
const isRoot = process.getuid?.() === 0

/** A folder that everybody may look into, gone afterwards. */
async function within<T>(work: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'pbxd-attack-'))
  fs.chmodSync(folder, 0o755)
  try {
    return await work(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function run(
  command: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number | null; text: string }> {
  const env = { ...process.env, ...options.env }
  delete env['NODE_OPTIONS']
  const child = spawn(command[0] ?? '', command.slice(1), { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, text })).once('error', (error) => resolve({ code: -1, text: error.message })),
  )
}

/** A program in the place of one of ours, as the daemon's user, on everything that it should not get. */
function hostile(name: string, command: (program: string, args: string[]) => readonly string[]): Attack {
  return {
    name,
    play: () =>
      within(async (folder) => {
        const [secret, mine, socket] = [join(folder, 'store.mdb'), join(folder, 'mine'), join(folder, 'sock')]
        for (const path of [secret, mine]) fs.writeFileSync(path, 'of a patient')
        const listeners = [createServer(), createServer()]
        await new Promise<void>((done) => listeners[0]?.listen(0, '127.0.0.1', done))
        await new Promise<void>((done) => listeners[1]?.listen(socket, done))
        const { port } = listeners[0]?.address() as { port: number }
        // A place of its own, since that of a program may be read.
        const program = join(folder, 'program', 'hostile-child.ts')
        fs.mkdirSync(dirname(program))
        fs.copyFileSync(join(root, 'test/proofs/attack/hostile-child.ts'), program)
        if (isRoot) for (const path of [folder, secret, mine, socket]) fs.chownSync(path, nobody, nobody)
        const { code, text } = await run([...(isRoot ? asNobody : []), ...command(program, [secret, mine, String(port), socket])])
        for (const listener of listeners) listener.close()
        const line = text.split('\n').find((words) => words.startsWith('['))
        if (line === undefined) return { seen: `it did not run: status ${code} ${text.slice(0, 200)}`, stood: false }
        const got = JSON.parse(line) as string[]
        return none({ 'things got': got.length }, got.join(', '))
      }),
  }
}

/** Links planted by the daemon's user in the models' folder before root runs `pbx models`. */
function planted(name: string, plant: (home: string, victim: string) => string): Attack {
  return {
    name,
    play: () =>
      within(async (folder): Promise<Verdict | Skipped> => {
        if (!isRoot) return { skipped: 'only root can be deceived' }
        const [home, victim] = [join(folder, 'home'), join(folder, 'victim')]
        for (const path of [home, victim]) fs.mkdirSync(path)
        fs.writeFileSync(join(victim, 'kept'), 'as it was')
        const server = await serveModels()
        const model = content(2000)
        const manifest = manifestFile(folder, [loose(server, 'big', { encoder: model })])
        server.close()
        fs.writeFileSync(join(folder, 'encoder.bin'), model, { mode: 0o644 })
        const models = plant(home, victim)
        execFileSync('chown', ['-Rh', `${nobody}:${nobody}`, home])
        const words = ['models', 'import', join(folder, 'encoder.bin'), '--manifest', manifest, '--dir', models, '--no-trial']
        await run([join(root, 'scripts/pbx'), ...words], { env: { PBXD_SOCKET: join(folder, 'none') } })
        await run([join(root, 'scripts/pbx'), 'models', 'remove', 'big', '--manifest', manifest, '--dir', models], {
          env: { PBXD_SOCKET: join(folder, 'none') },
        })
        const given = [victim, join(victim, 'kept')].filter((path) => !fs.existsSync(path) || fs.statSync(path).uid !== 0)
        const written = fs.readdirSync(victim).filter((entry) => entry !== 'kept')
        return none({ 'things of root given away': given.length, 'things written among root’s': written.length })
      }),
  }
}

const links: Attack[] = [
  planted("root's pbx models: .incoming is a link to root's folder", (home, victim) => {
    fs.mkdirSync(join(home, 'models'))
    fs.symlinkSync(victim, join(home, 'models', '.incoming'))
    return join(home, 'models')
  }),
  planted("root's pbx models: the folder is a link to root's folder", (home, victim) => {
    fs.symlinkSync(victim, join(home, 'models'))
    return join(home, 'models')
  }),
  planted("root's pbx models: a folder above is a link to root's folder", (home, victim) => {
    fs.symlinkSync(victim, join(home, 'above'))
    return join(home, 'above', 'models')
  }),
]

const withoutLandlock: Attack = {
  name: 'a kernel without Landlock',
  play: (box) =>
    within(async (folder) => {
      const program = join(folder, 'without-landlock')
      execFileSync('cc', ['-o', program, join(root, 'test/proofs/attack/without-landlock.c'), '-lseccomp'])
      const wrapper = join(folder, 'confine')
      fs.writeFileSync(wrapper, `#!/bin/sh\nexec ${program} ${confineProgram()} "$@"\n`, { mode: 0o755 })
      const alone = spawnSync(wrapper, ['--', '/bin/true']).status
      const daemon = await Daemon.create({ app: box.app.url, trunkPort: box.trunk.port, env: { PBXD_CONFINE: wrapper } })
      try {
        await daemon.start()
        const warned = (await daemon.pbx('status')).out.replaceAll(/\s+/g, ' ').includes('does not support Landlock')
        const doctor = (await daemon.pbx('doctor')).out
        const told = /! confinement: the kernel does not support Landlock/.test(doctor)
        return {
          seen: `unasked it runs nothing (status ${alone}); ${warned ? 'a warning' : 'NO warning'}, ${told ? 'a line' : 'NO line'} of pbx doctor`,
          stood: alone === 125 && warned && told,
        }
      } finally {
        await daemon.stop()
      }
    }),
}

/** They install packages and change links of root's, for some seconds and at an administrator's word: what dpkg does cannot be closed in. Nothing of a stranger reaches them. */
const administrators = ['pbxd-upgrade.service', 'pbxd-upgrade-at.service']

/** It may become the owner of the data, whose folders root would otherwise have to believe. */
const mostExposed = (unit: string): number => (unit === 'pbxd-backup.service' ? 2.3 : 2)

const exposure: Attack = {
  name: 'systemd-analyze security of every unit that strangers reach, at most 2.0 (2.3 where it changes users)',
  play: async () => {
    const units = fs.readdirSync(join(root, 'systemd')).filter((name) => /\.(service|socket)$/.test(name) && !administrators.includes(name))
    const figures: string[] = []
    let open = 0
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      const { code, text } = await run(['systemd-analyze', 'security', '--offline=true', '--no-pager', join(root, 'systemd', unit)])
      if (code === -1) return { skipped: 'systemd-analyze is not installed' }
      const figure = /exposure level for \S+ ([\d.]+)/.exec(text)?.[1] ?? '?'
      figures.push(`${unit} ${figure}`)
      if (!(Number(figure) <= mostExposed(unit))) open++
    }
    return { seen: figures.join(', '), stood: figures.length > 0 && open === 0 }
  },
}

/** What pbx-confine asks of the kernel, that the unit must not refuse: then it would be as without. */
const needed = [
  'landlock_create_ruleset',
  'landlock_add_rule',
  'landlock_restrict_self',
  'seccomp',
  'prctl',
  'prlimit64',
  'setpriority',
  'sched_setscheduler',
]
const unitAllows: Attack = {
  name: "the units' own filters against what confines their children",
  play: async () => {
    const members = async (name: string): Promise<string[]> => {
      if (!name.startsWith('@')) return [name]
      const { code, text } = await run(['systemd-analyze', 'syscall-filter', '--no-pager', name])
      if (code !== 0) throw new Error(text)
      const inside = text
        .split('\n')
        .slice(1)
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'))
      return (await Promise.all(inside.map(members))).flat()
    }
    if ((await run(['systemd-analyze', '--version'])).code === -1) return { skipped: 'systemd-analyze is not installed' }
    const refusedBy = async (unit: string): Promise<string[]> => {
      const allowed = new Set<string>()
      for (const [, list = ''] of fs.readFileSync(join(root, 'systemd', unit), 'utf8').matchAll(/^SystemCallFilter=(.*)$/gm)) {
        const names = (await Promise.all(list.replace('~', '').split(' ').map(members))).flat()
        for (const name of names)
          if (list.startsWith('~')) allowed.delete(name)
          else allowed.add(name)
      }
      return needed.filter((name) => !allowed.has(name)).map((name) => `${unit}: ${name}`)
    }
    const refused = (await Promise.all(['pbxd.service', 'pbxd-pages@.service'].map(refusedBy))).flat()
    return none({ 'calls refused': refused.length }, refused.join(', '))
  },
}

const changedRuntime: Attack = {
  name: 'a changed package of Node',
  play: () =>
    within(async (folder) => {
      fs.mkdirSync(join(folder, 'scripts'))
      for (const name of ['lib.sh', 'runtime']) fs.copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name))
      fs.mkdirSync(join(folder, 'package/bin'), { recursive: true })
      fs.writeFileSync(join(folder, 'package/bin/node'), '#!/bin/sh\necho taken\n', { mode: 0o755 })
      execFileSync('tar', ['-czf', 'changed.tgz', 'package'], { cwd: folder })
      const { code, text } = await run(['sh', 'scripts/runtime'], { cwd: folder, env: { NODE_TARBALL: join(folder, 'changed.tgz') } })
      const taken = fs.globSync(join(folder, '.cache/**/bin/node')).length
      return {
        seen: `status ${code}, ${taken} taken: ${text.trim().slice(-90)}`,
        stood: code !== 0 && taken === 0 && text.includes('refused'),
      }
    }),
}

const changedPjsip: Attack = {
  name: 'a PJSIP source that lay in the cache and was changed',
  play: () =>
    within(async (folder): Promise<Verdict | Skipped> => {
      const kept = join(root, '.cache/pjproject-2.17.tar')
      if (!fs.existsSync(kept)) return { skipped: 'no source of PJSIP is kept here' }
      for (const name of ['scripts', 'drivers/sip/engine', '.cache', 'source']) fs.mkdirSync(join(folder, name), { recursive: true })
      for (const name of ['lib.sh', 'pjsip']) fs.copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name))
      fs.cpSync(join(root, 'drivers/sip/engine/pjsip'), join(folder, 'drivers/sip/engine/pjsip'), { recursive: true })
      execFileSync('tar', ['-xf', kept, '-C', join(folder, 'source')])
      const [top = ''] = fs.readdirSync(join(folder, 'source'))
      fs.appendFileSync(join(folder, 'source', top, 'pjsip/src/pjsip/sip_msg.c'), '/* a word more */\n')
      const changed = join(folder, '.cache/pjproject-2.17.tar')
      execFileSync('tar', ['-cf', changed, '-C', join(folder, 'source'), top])
      // The same is offered again when it asks again.
      const { code, text } = await run(['sh', 'scripts/pjsip', '--build'], { cwd: folder, env: { PJPROJECT_TARBALL: changed } })
      const built = fs.globSync(join(folder, '.cache/pjsip-*/built')).length
      return {
        seen: `status ${code}, ${built} built: ${text.trim().split('\n').at(-1)?.slice(0, 60)}`,
        stood: code !== 0 && built === 0 && text.includes('refused'),
      }
    }),
}

const limits = { pageMilliseconds: 20_000, totalMilliseconds: 20_000 }
const noModels = { role: 'call', detector: null, recognisers: [], voices: [] } as const

export const isolation: Area = {
  name: 'isolation',
  attacks: [
    hostile('a taken-over reader of PDFs', (program, args) => {
      const may = pdfConfinement('inspect', limits, 1)
      return confined({ ...may, withParent: false, read: [...(may.read ?? []), program] }, process.execPath, [program, ...args])
    }),
    hostile('a taken-over speech process', (program, args) => speechCommand(noModels, program, [...args, '--fork'])),
    ...links,
    withoutLandlock,
    exposure,
    unitAllows,
    changedRuntime,
    changedPjsip,
  ],
}
