/**
 * scripts/upgrade over versions that are a few files: the power is cut before each command that it runs, the script is killed there, and each of them
 * fails as on a full disk. In the end one whole version runs, and the notes say which. The whole package is tried by test/proofs/box/upgrade.sh.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { upgradeBox, type Nature, type UpgradeBox } from '../harness/upgrade-box.ts'

const happens = { killed: 'it is killed', fails: 'a command fails' } as const

t.test('a version that comes up stays, and the one before is kept', async (t) => {
  const box = await upgradeBox(t.testdir())
  box.unpack('good')
  const { code, said } = await box.run(['install', '2.0'])
  t.same([code, box.current, box.daemon, box.versions], [0, '2.0', '2.0', ['1.0', '2.0']])
  t.match(said, /pbxd 2\.0 runs in place of 1\.0, which is kept/)
  t.match(box.notes, { phase: 'done', from: '1.0', to: '2.0', reason: '' })
  box.unpack('good')
  await box.run(['install', '3.0'])
  t.same(box.versions, ['2.0', '3.0'], 'no more than one')
  t.equal((await box.run(['rollback'])).code, 0)
  t.same([box.current, box.daemon, box.versions], ['2.0', '2.0', ['2.0', '3.0']])
  t.equal((await box.run(['rollback'])).code, 0)
  t.same([box.current, box.daemon], ['3.0', '3.0'], 'and forth')
})

t.test('one that does not come up is taken back; one that refuses the configuration is not started', async (t) => {
  const box = await upgradeBox(t.testdir())
  box.unpack('broken')
  const broken = await box.run(['install', '2.0'])
  t.same([broken.code, box.current, box.daemon, box.notes?.phase], [1, '1.0', '1.0', 'returned'])
  t.match(broken.said, /pbxd 2\.0 did not come up: store: down\. pbxd 1\.0 runs again\./)
  box.unpack('refuses')
  const refused = await box.run(['install', '3.0'])
  t.same([refused.code, box.current, box.daemon, box.notes?.phase], [1, '1.0', '1.0', 'refused'])
  t.match(refused.said, /pbxd 3\.0 was not started: it does not accept .*: pbxd\.yaml:3:1: no\. pbxd 1\.0 goes on as it was\./)
  box.unpack('illegible')
  const illegible = await box.run(['install', '4.0'])
  t.same(
    [illegible.code, box.current, box.daemon, box.notes?.phase],
    [1, '1.0', '1.0', 'returned'],
    'though it runs, by the engine from before',
  )
  t.match(illegible.said, /pbxd 4\.0 did not come up: systemd cannot read pbxd-engine\.service/)
  box.unpack('good')
  t.equal((await box.run(['install', '3.0'])).code, 0, 'and again, mended')
  t.equal(box.daemon, '3.0')
})

t.test('the same version again, and one over a service that somebody stopped', async (t) => {
  const box = await upgradeBox(t.testdir())
  box.unpack('good')
  await box.run(['install', '1.0'])
  t.same([box.current, box.daemon, box.versions], ['1.0_2', '1.0_2', ['1.0', '1.0_2']])
  rmSync(join(box.dir, 'daemon'))
  box.unpack('broken')
  t.equal((await box.run(['install', '2.0'])).code, 0)
  t.same([box.current, existsSync(join(box.dir, 'daemon'))], ['2.0', false], 'it is not started')
  t.match(box.notes, { phase: 'done', reason: /stopped/ })
})

/** What is so wherever an upgrade from 1.0 to a version of that nature was broken off, and ended. */
function whole(t: Test, box: UpgradeBox, nature: Nature, what: string): void {
  const { current } = box
  t.ok(existsSync(join(box.dir, 'lib/versions', current, 'scripts/pbx')), `${what}: ${current} is whole`)
  t.ok(nature === 'good' || current === '1.0', `${what}: ${current}`)
  t.equal(box.daemon, current, `${what}: it runs`)
  t.ok(existsSync(join(box.dir, 'lib/versions/1.0/scripts/pbx')), `${what}: the one before is there`)
  if (box.notes?.phase === 'done') t.equal(current, box.notes.to, what)
}

for (const nature of ['good', 'broken', 'refuses'] as const) {
  t.test(`the power is cut anywhere in an upgrade to a version that is: ${nature}`, async (t) => {
    const dir = t.testdir()
    const first = await upgradeBox(join(dir, 'first'))
    first.unpack(nature)
    let many = 0
    for await (const { box, what } of first.cuts(['install', '2.0'], join(dir, 'box'))) {
      many++
      await box.boot()
      await box.boot()
      whole(t, box, nature, what)
      t.match(box.notes ?? { phase: 'refused' }, { phase: /^(done|refused|returned)$/ }, what)
    }
    t.ok(many > 7, `${many} states`)
  })
}

for (const how of ['killed', 'fails'] as const) {
  for (const nature of how === 'killed' ? (['good', 'broken'] as const) : (['good', 'broken', 'refuses'] as const)) {
    t.test(`${happens[how]} anywhere in an upgrade to a version that is: ${nature}`, async (t) => {
      const dir = t.testdir()
      const first = await upgradeBox(join(dir, 'first'))
      first.unpack(nature)
      const unbroken = first.copy(join(dir, 'unbroken'))
      const { all, changing } = await unbroken.commandsOf(['install', '2.0'])
      t.ok(changing.length > 8, `${changing.length} commands that change something`)
      for (const at of how === 'killed' ? changing : all) {
        const box = first.copy(join(dir, 'box'))
        const { code } = await box.run(['install', '2.0'], { how, at })
        if (how === 'killed') await box.run(['finish'])
        const what = `${how} at command ${at} of ${all.length}`
        whole(t, box, nature, what)
        if (how === 'killed') t.match(box.notes ?? { phase: 'refused' }, { phase: /^(done|refused|returned)$/ }, what)
        else if (box.current === '1.0') t.equal(code, 1, `${what} is told`)
      }
    })
  }
}
