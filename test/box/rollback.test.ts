/** The way back: which version it leads to, and that it is there whatever happens on it. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { upgradeBox, type UpgradeBox } from '../harness/upgrade-box.ts'

const target = async (box: UpgradeBox, ...words: string[]): Promise<string> => (await box.run(['target', ...words])).printed.trim()

t.test('the way back leads to the newest good version before the one that runs, by the order of Debian', async (t) => {
  const table: readonly (readonly [runs: string, others: string, failed: string, to: string])[] = [
    ['1.0', '0.9 0.10', '', '0.10'],
    ['0.1.1', '0.1.0 0.1.2', '0.1.2', '0.1.0'],
    ['0.1.1', '0.1.2', '0.1.2', ''],
    ['0.10', '0.9 0.10.1', '', '0.9'],
    ['1.0', '1.0~rc1 1.0~rc2', '', '1.0~rc2'],
    ['1.0', '1.0~rc1 1.0~rc2', '1.0~rc2', '1.0~rc1'],
    ['1.0+deb12u1', '1.0 0.9', '', '1.0'],
    ['1.0', '1.0+deb12u1', '', '1.0+deb12u1'],
    ['1:0.5', '2.0 1.0', '', '2.0'],
    ['2.0', '1:0.5 1.9', '', '1.9'],
    ['1.0_2', '1.0 0.9', '', '1.0'],
    ['1.0_10', '1.0_9 1.0_2', '', '1.0_9'],
    ['1.0', '1.1 1.2', '', '1.2'],
    ['100', '10.0', '1000', '10.0'],
    ['1.0', '100 0.8', '1x0', '0.8'],
    ['1.0', '', '', ''],
  ]
  const box = await upgradeBox(t.testdir())
  const versions = join(box.dir, 'lib/versions')
  for (const [runs, others, failed, to] of table) {
    rmSync(versions, { recursive: true })
    for (const name of [runs, ...others.split(' ').filter((name) => name !== '')]) {
      mkdirSync(join(versions, name, 'scripts'), { recursive: true })
      writeFileSync(join(versions, name, 'scripts/pbx'), '')
    }
    mkdirSync(join(versions, '9.9.new/scripts'), { recursive: true })
    rmSync(join(box.dir, 'lib/current'))
    symlinkSync(`versions/${runs}`, join(box.dir, 'lib/current'))
    writeFileSync(join(box.dir, 'notes/failed'), failed.replace(/^(.+)$/, '$1\tupgrade\t2026-11-26T00:00:00Z\tstore: down\n'))
    t.equal(await target(box), to, `${runs} runs, beside ${others}; failed: ${failed}`)
  }
})

t.test('a version that failed is no target but by its name, and the good one before stays', async (t) => {
  const box = await upgradeBox(t.testdir())
  box.unpack('good')
  await box.run(['install', '1.1'])
  for (const failing of ['1.2', '1.10']) {
    box.unpack('broken')
    t.equal((await box.run(['install', failing])).code, 1)
    t.same([box.current, box.versions, box.failed.at(-1)], ['1.1', ['1.0', '1.1', failing], failing], 'of those that failed one is kept')
    t.equal(await target(box), '1.0')
  }
  const named = await box.run(['rollback', '1.10'])
  t.same([named.code, box.current, box.daemon], [1, '1.1', '1.1'], 'by its name it is tried, and fails again')
  t.same([(await box.run(['rollback'])).code, box.current, box.daemon], [0, '1.0', '1.0'])
  t.same([await target(box), (await box.run(['rollback'])).code, box.current], ['1.1', 0, '1.1'], 'and forth')
  for (const name of ['1.1', '3.0', '../package', '.', '1.10.new']) {
    t.equal((await box.run(['rollback', name])).code, 1, name)
    t.same([box.current, box.daemon], ['1.1', '1.1'])
  }
  rmSync(join(box.dir, 'lib/versions/1.10/broken'))
  t.same(
    [(await box.run(['rollback', '1.10'])).code, box.current, box.failed.includes('1.10')],
    [0, '1.10', false],
    'one that comes up has not failed',
  )
})

t.test(
  'a rollback that fails leads back, and the version that did not come up is no target of the next one; with the store it may be',
  async (t) => {
    const box = await upgradeBox(t.testdir())
    box.unpack('good')
    await box.run(['install', '2.0'])
    writeFileSync(join(box.dir, 'lib/versions/1.0/broken'), '')
    t.same([(await box.run(['rollback'])).code, box.current, box.daemon, box.failed], [1, '2.0', '2.0', ['1.0']])
    t.same([await target(box), (await box.run(['rollback'])).code, box.current], ['', 1, '2.0'])
    t.equal(await target(box, '--store'), '1.0')
    rmSync(join(box.dir, 'lib/versions/1.0/broken'))
    t.same([(await box.run(['rollback', '--store', '2026-11-26T00:00:00Z'])).code, box.current, box.failed], [0, '1.0', []])
  },
)

t.test('the reason is what the new version said itself, not that it cannot be reached', async (t) => {
  const table: readonly (readonly [journal: string, reason: string])[] = [
    [
      'file:///usr/lib/pbxd/x.js:1\nthrow new Error("not like this")\n^\n\nError: not like this\n    at x.js:1:7\n\nNode.js v22.23.3\npbxd.service: Main process exited, code=exited, status=1/FAILURE',
      'Error: not like this',
    ],
    [
      '{"level":"info","time":"x","msg":"begins"}\n{"level":"fatal","time":"x","err":{"type":"Error","message":"no \\"lmdb\\" here","stack":""},"msg":"a fault"}\nNode.js v22',
      'no \\"lmdb\\" here',
    ],
    ['{"level":"error","time":"x","path":"sip","msg":"SIP does not listen on UDP"}', 'SIP does not listen on UDP'],
    ['Error [ERR_MODULE_NOT_FOUND]: Cannot find package lmdb', 'Error [ERR_MODULE_NOT_FOUND]: Cannot find package lmdb'],
    [
      '/x/node: error while loading shared libraries: libz.so.1: cannot open',
      '/x/node: error while loading shared libraries: libz.so.1: cannot open',
    ],
    [
      'pbxd.service: Main process exited, code=killed, status=6/ABRT\npbxd.service: Failed with result',
      'Main process exited, code=killed, status=6/ABRT',
    ],
    [
      'pbxd: The web port 127.0.0.1:8080 is used by another program.\npbxd.service: Main process exited',
      'pbxd: The web port 127.0.0.1:8080 is used by another program.',
    ],
    ['', 'pbx: pbxd is not reachable'],
  ]
  const box = await upgradeBox(t.testdir())
  box.unpack('silent')
  for (const [journal, reason] of table) {
    writeFileSync(join(box.dir, 'journal'), journal)
    t.equal((await box.run(['install', '2.0'])).code, 1)
    t.equal(box.notes?.reason, reason)
  }
})

/** A box with 1.0 and 2.0, which runs. */
async function two(dir: string, nature: 'good' | 'broken'): Promise<UpgradeBox> {
  const box = await upgradeBox(dir)
  box.unpack('good')
  await box.run(['install', '2.0'])
  if (nature === 'broken') writeFileSync(join(dir, 'lib/versions/1.0/broken'), '')
  return box
}

/** What is so wherever a rollback to a 1.0 of that nature was broken off, and ended. */
async function whole(t: Test, box: UpgradeBox, nature: 'good' | 'broken', what: string, at: number): Promise<void> {
  t.equal(box.daemon, box.current, `${what}: it runs`)
  if (nature === 'broken') t.equal(box.current, '2.0', what)
  t.same(box.versions, ['1.0', '2.0'], `${what}: both are there`)
  t.notOk(existsSync(join(box.dir, 'notes/store-back')), `${what}: the store stays`)
  if (at % 3 !== 0) return
  if (nature === 'broken') rmSync(join(box.dir, 'lib/versions/1.0/broken'))
  t.equal((await box.run(['rollback', box.current === '1.0' ? '2.0' : '1.0'])).code, 0, `${what}: and once more`)
}
const ended = /^phase=(done|refused|returned)$/m

t.test('the power is cut anywhere in a rollback to a version that does not come up', async (t) => {
  const dir = t.testdir()
  const first = await two(join(dir, 'first'), 'broken')
  let many = 0
  for await (const { box, what, at } of first.cuts(['rollback'], join(dir, 'box'))) {
    many = at
    await box.boot()
    t.match(readFileSync(join(box.dir, 'notes/state'), 'utf8'), ended, what)
    await whole(t, box, 'broken', what, at)
  }
  t.ok(many > 7, `${many} states`)
})

const mishaps = [
  ['killed', 'broken'],
  ['killed', 'good'],
  ['fails', 'good'],
] as const
for (const [how, nature] of mishaps) {
  t.test(`${how} anywhere in a rollback to a version that is: ${nature}`, async (t) => {
    const dir = t.testdir()
    const first = await two(join(dir, 'first'), nature)
    const unbroken = first.copy(join(dir, 'unbroken'))
    const { all, changing } = await unbroken.commandsOf(['rollback'])
    t.ok(changing.length > 8, `${changing.length} commands that change something`)
    for (const [n, at] of (how === 'killed' ? changing : all).entries()) {
      const box = first.copy(join(dir, 'box'))
      await box.run(['rollback'], { how, at })
      if (how === 'killed') await box.run(['finish'])
      const what = `${how} at command ${at} of ${all.length}`
      if (how === 'killed') t.match(readFileSync(join(box.dir, 'notes/state'), 'utf8'), ended, what)
      await whole(t, box, nature, what, n)
    }
  })
}
