/** Every command of `pbx` has its page of the manual, and bash, zsh and fish themselves complete its words, options and values. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import { program } from '../../scripts/cli/run.ts'
import { completionTable, manualPages } from '../../scripts/manual/main.ts'

const all = (command: Command, path: string): [string, Command][] => [
  [path, command],
  ...command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => all(one, `${path} ${one.name()}`)),
]
const commands = all(program(), 'pbx')
const there = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0

t.test('each command, argument and option stands on a page', async (t) => {
  const pages = manualPages()
  t.equal(
    pages.size,
    program()
      .createHelp()
      .visibleCommands(program())
      .filter((one) => one.name() !== 'help').length + 1,
  )
  for (const [path, command] of commands.slice(1)) {
    const page = (pages.get(`pbx-${path.split(' ')[1]}`) ?? '').replaceAll('\\-', '-')
    t.ok(page.includes(`.SS ${path}\n`), path)
    for (const { flags } of command.options) t.ok(page.includes(`\\fB${flags}\\fR`), `${path} ${flags}`)
  }
})

t.test('groff finds nothing to complain about', { skip: !there('groff') && 'groff is not here' }, async (t) => {
  for (const [name, text] of manualPages()) {
    const { stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: text, encoding: 'utf8' })
    t.equal(stderr, '', name)
  }
})

const folder = t.testdir({ bin: {} })
writeFileSync(join(folder, 'completion.tsv'), completionTable())
// What the box would answer; the program that asks it has tests of its own (test/cli).
mkdirSync(join(folder, 'bin'), { recursive: true })
writeFileSync(
  join(folder, 'bin/pbx'),
  `#!/bin/sh
case "$*" in
  'extensions --json') printf '[\\n {\\n  "number": "101",\\n  "name": "Front desk"\\n },\\n {\\n  "number": "102"\\n }\\n]\\n' ;;
  'fax list --json') echo '[{"faxId":"fax_1","to":"+15550001000"},{"faxId":"fax_2"}]' ;;
esac
`,
)
chmodSync(join(folder, 'bin/pbx'), 0o755)
const env = {
  ...process.env,
  PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
  PBXD_COMPLETION: join(folder, 'completion.tsv'),
  PBXD_COMPLETE: resolve('scripts/deb/complete'),
  HOME: folder,
}
const run = (file: string, words: readonly string[]): string[] =>
  execFileSync(file, words, { env, encoding: 'utf8' })
    .split('\n')
    .map((line) => line.split('\t')[0]!.trim())
    .filter((line) => line !== '')

/** What each shell itself offers for a line. */
const shells: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(' ').map((word) => `'${word}'`)
    const ask = `. scripts/deb/completion; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _pbx; printf '%s\\n' "\${COMPREPLY[@]}"`
    return run('bash', ['--norc', '-c', ask])
  },
  // Its own widgets need a terminal; what they would be given is printed.
  zsh: (line) => {
    const words = line.split(' ').map((word) => `'${word}'`)
    const stand = `compdef() { :; }; _files() { :; }; _describe() { print -l -- "\${(@)found%%:*}"; }`
    return run('zsh', ['-f', '-c', `${stand}; . scripts/deb/completion.zsh; words=(${words.join(' ')}); CURRENT=${words.length}; _pbx`])
  },
  fish: (line) => run('fish', ['--no-config', '-c', `source scripts/deb/completion.fish; complete -C '${line}'`]),
}

const lines: readonly (readonly [line: string, offers: readonly string[], not: readonly string[]])[] = [
  ['pbx sta', ['status'], ['fax']],
  ['pbx fax ', ['send', 'list', 'show', 'retry', 'cancel'], ['status', '--json']],
  ['pbx fax send --', ['--to', '--cover-to', '--json'], ['send']],
  ['pbx fax show ', ['fax_1', 'fax_2'], ['101']],
  ['pbx fax show --json fax_', ['fax_1', 'fax_2'], []],
  ['pbx extensions ', ['101', '102'], ['fax_1']],
  ['pbx extensions 2', [], ['101']],
  ['pbx --', ['--version'], ['status']],
]

for (const [shell, offered] of Object.entries(shells))
  t.test(`${shell} completes words, options, ids and extensions`, { skip: !there(shell) && `${shell} is not here` }, async (t) => {
    for (const [line, offers, not] of lines) {
      const found = offered(line)
      for (const word of offers) t.ok(found.includes(word), `${line}: ${word} of ${found.slice(0, 12).join(' ')}`)
      for (const word of not) t.notOk(found.includes(word), `${line}: not ${word}`)
    }
  })

t.test('every command and every option is offered by the program that the shells call', async (t) => {
  const rows = new Set(
    completionTable()
      .split('\n')
      .map((row) => row.split('\t', 3).join(' ')),
  )
  for (const [path, command] of commands) {
    for (const option of command.options) t.ok(rows.has(`word ${path} ${option.long ?? option.short}`), `${path} ${option.flags}`)
    if (path !== 'pbx') t.ok(rows.has(`word ${path.split(' ').slice(0, -1).join(' ')} ${command.name()}`), path)
  }
})
