/** pbx config edit and apply as a person at a terminal has them: what was typed is not lost, and nothing is reported twice. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Daemon, root } from '../harness/daemon.ts'
import { Typist } from '../harness/typist.ts'

t.setTimeout(180_000)
const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9 })
await daemon.start()
t.teardown(() => daemon.close())

/** Edits once as the first word says, then as the second. */
function editor(...edits: readonly string[]): string {
  const file = join(daemon.dir, `editor${Math.random()}`)
  const turn = `${file}.turn`
  const cases = edits.map((edit, at) => `${at + 1}) sed -i '${edit}' "$1" ;;`)
  writeFileSync(file, `#!/bin/sh\necho x >>${turn}\ncase $(wc -l <${turn}) in\n${cases.join('\n')}\nesac\n`)
  chmodSync(file, 0o755)
  return file
}
const pbx = (EDITOR: string, ...words: string[]): Typist =>
  new Typist(join(root, 'scripts', 'pbx'), [...words, '--config', daemon.configFile], {
    env: { PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock'), EDITOR, VISUAL: '' },
    cwd: daemon.dir,
  })

t.test('a fault is edited again by Enter, and what is good is applied', async (t) => {
  const person = pbx(editor('s/Nurse/Nora/; s/name: Nora/nam: Nora/', 's/nam: Nora/name: Nora/'), 'config', 'edit')
  await person.answers('Edit it again? [Y/n]')
  await person.answers('Apply these changes? [y/N]', 'y')
  t.same(await person.left(), { code: 0, sane: true }, person.screen)
  t.match(readFileSync(daemon.configFile, 'utf8'), /Nora/)
  t.notMatch(person.screen, /kept/)
})

t.test('what cannot be used, and what is not wanted after all, is kept', async (t) => {
  for (const [edit, question, answer] of [
    ['s/name: Nora/nam: Noemi/', 'Edit it again?', 'n'],
    ['s/name: Nora/name: Noemi/', 'Apply these changes?', ''],
  ] as const) {
    const before = readFileSync(daemon.configFile, 'utf8')
    const person = pbx(editor(edit), 'config', 'edit')
    await person.answers(question, answer)
    t.same(await person.left(), { code: 1, sane: true }, person.screen)
    const copy = /pbx config apply (\S+)/.exec(person.screen)?.[1] ?? ''
    t.ok(existsSync(copy) && readFileSync(copy, 'utf8').includes('Noemi'), person.screen)
    t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  }
})

t.test('an empty file is no configuration, and a restart is told once', async (t) => {
  const empty = join(daemon.dir, 'empty.yaml')
  writeFileSync(empty, '')
  const refused = await daemon.pbx('config', 'apply', empty)
  t.equal(refused.code, 1)
  t.match(refused.error, /the file is empty/)
  const other = join(daemon.dir, 'other.yaml')
  writeFileSync(other, readFileSync(daemon.configFile, 'utf8').replace('Riverside Clinic', 'Hillside Clinic'))
  const { code, out } = await daemon.pbx('config', 'apply', other, '--config', daemon.configFile)
  t.equal(code, 0, out)
  t.ok((out.match(/applying/g)?.length ?? 0) <= 2, out)
  t.ok((out.match(/the daemon is restarting/g)?.length ?? 0) <= 1, out)
})
