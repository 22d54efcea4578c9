/** pbx upgrade, as somebody types it: what it refuses before anything is done, and what --status says. apt is a file that says what a real one would. */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../harness/daemon.ts'
import { upgradeBox, type UpgradeBox } from '../harness/upgrade-box.ts'
import { removedOf } from '../../scripts/cli/upgrade/upgrade.ts'

const asRoot = process.getuid?.() === 0 ? {} : { skip: 'only root may do this' }

function pbx(box: UpgradeBox, ...words: string[]): Promise<{ code: number | null; said: string }> {
  const env = {
    ...process.env,
    PATH: `${join(box.dir, 'bin')}:${process.env['PATH'] ?? ''}`,
    PBXD_UPGRADE_BASE: join(box.dir, 'lib'),
    PBXD_UPGRADE_NOTES: join(box.dir, 'notes'),
    NO_COLOR: '1',
  }
  const child = spawn(join(root, 'scripts/pbx'), words, { env, cwd: box.dir, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })))
}

/** A box with apt, whose plan is a file, and packages that are their names. */
async function boxWithApt(dir: string, plan: string): Promise<UpgradeBox> {
  const box = await upgradeBox(dir)
  const file = (name: string, text: string): void => writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  writeFileSync(join(dir, 'plan'), plan)
  file('apt-get', `echo "$*" >>${dir}/asked; cat ${dir}/plan`)
  file('dpkg-deb', 'for file; do :; done; basename "$file" .deb | tr _ " "')
  for (const name of ['pbxd_1.1_amd64.deb', 'pbxd-speech-engine_1.1_amd64.deb']) writeFileSync(join(dir, name), name)
  mkdirSync(join(dir, 'lib/package/scripts'), { recursive: true })
  writeFileSync(join(dir, 'lib/package/scripts/upgrade'), `#!/bin/sh\necho "$*" >>${dir}/done; ls ${dir}/notes/next\n`, { mode: 0o755 })
  return box
}

t.test('the packages of ours that a plan of apt removes', async (t) => {
  const plan = `NOTE: This is only a simulation!
Remv pbxd-speech-engine [0.1.0]
Remv pbxd-speech-silero-vad [1.0] [pbxd:amd64 ]
Remv libold1 [2.0]
Purg pbxd [0.9]
Inst pbxd [0.1.0] (1.1 local-deb [amd64])
Conf pbxd (1.1 local-deb [amd64])`
  t.same(removedOf(plan), ['pbxd-speech-engine', 'pbxd-speech-silero-vad', 'pbxd'])
  t.same(removedOf('Remv pbxdump [1.0]\nInst pbxd-speech-engine [1]'), [])
})

t.test('an upgrade that would remove a package of ours is refused, and the file that is missing is named', asRoot, async (t) => {
  for (const words of [[], ['--at', '02:00']]) {
    const box = await boxWithApt(
      t.testdir(),
      'Remv pbxd-speech-engine [0.1.0]\nRemv pbxd-speech-silero-vad [1.0]\nInst pbxd [0.1.0] (1.1)\n',
    )
    const { code, said } = await pbx(box, 'upgrade', './pbxd_1.1_amd64.deb', ...words)
    t.equal(code, 1, said)
    t.match(said, /nothing was installed: apt would remove pbxd-speech-engine and pbxd-speech-silero-vad/)
    t.match(said, /pbx upgrade \S+\/pbxd_1\.1_amd64\.deb \S+\/pbxd-speech-engine_1\.1_amd64\.deb/)
    t.match(readFileSync(join(box.dir, 'asked'), 'utf8'), /^-s [^\n]*\n$/, 'apt was asked once, and did nothing')
    t.notOk(existsSync(join(box.dir, 'done')))
    t.notOk(existsSync(join(box.dir, 'notes/next')), 'nothing waits')
  }
})

t.test('both packages in one command are laid ready, and installed', asRoot, async (t) => {
  const box = await boxWithApt(t.testdir(), 'Inst pbxd [0.1.0] (1.1)\nInst pbxd-speech-engine [0.1.0] (1.1)\n')
  const { code } = await pbx(box, 'upgrade', './pbxd_1.1_amd64.deb', './pbxd-speech-engine_1.1_amd64.deb')
  t.equal(code, 0)
  t.equal(readFileSync(join(box.dir, 'done'), 'utf8'), 'next\n')
  t.same(readdirSync(join(box.dir, 'notes/next')).toSorted(), ['pbxd-speech-engine_1.1_amd64.deb', 'pbxd_1.1_amd64.deb'])
})

t.test('pbx upgrade --status names one target of pbx rollback, and those that failed with the reason', async (t) => {
  const box = await upgradeBox(t.testdir())
  box.unpack('good')
  await box.run(['install', '1.1'])
  box.unpack('silent')
  writeFileSync(join(box.dir, 'journal'), 'Error: not like this\n')
  await box.run(['install', '1.2'])
  cpSync(join(root, 'scripts/upgrade'), join(box.dir, 'lib/package/scripts/upgrade'))
  const { said } = await pbx(box, 'upgrade', '--status')
  t.match(said, /pbxd 1\.1 is in use\npbx rollback restores pbxd 1\.0\npbxd 1\.2 failed, .*: Error: not like this\n/)
  t.equal(said.match(/rollback restores/g)?.length, 1)
  const json = JSON.parse((await pbx(box, 'upgrade', '--status', '--json')).said) as Record<string, unknown>
  t.match(json, {
    running: '1.1',
    target: '1.0',
    kept: ['1.0', '1.2'],
    failed: [{ version: '1.2', reason: 'Error: not like this' }],
    waiting: [],
  })
})
