/** Every command of pbx that a page shows is one: its name, its options, and how many words follow. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../harness/daemon.ts'
import { helpOf } from '../harness/help.ts'

interface Command {
  readonly inner: ReadonlySet<string>
  /** Which of them is meant where none is named. */
  readonly usual: string | undefined
  /** By every way of writing it: whether a value follows. */
  readonly options: ReadonlyMap<string, boolean>
  /** Words that follow. */
  readonly most: number
}

const asked = new Map<string, Command>()
function commandOf(path: readonly string[]): Command {
  const name = path.join(' ')
  let command = asked.get(name)
  if (command === undefined) asked.set(name, (command = read(path)))
  return command
}

/** As its own help has it. */
function read(path: readonly string[]): Command {
  // What went on below itself, at the width of the help, is one line again.
  const help = helpOf(path).replaceAll(/\n {8,}/g, ' ')
  const options = new Map<string, boolean>()
  for (const [, short, long, value] of help.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)( <[^>]+>)?/gm))
    for (const way of [short, long]) if (way !== undefined) options.set(way, value !== undefined)
  const inner = /\nCommands:\n([^]*?)(?:\n\n|$)/.exec(help)?.[1] ?? ''
  const usage = /^Usage: (.*)$/m.exec(help)?.[1] ?? ''
  const words = usage.match(/[<[](?!options\]|command\])[\w.-]+[>\]]/g) ?? []
  return {
    inner: new Set([...inner.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!)),
    usual: /^ {2}([a-z][\w-]*).*\(same as "pbx [\w ]+"\)/m.exec(inner)?.[1],
    options,
    most: words.some((word) => word.includes('...')) ? Infinity : words.length,
  }
}

/** Shell words up to where another command, or a remark, begins. Of "list|add" the first. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  const [command = ''] = line.split(/ {2,}/)
  for (const [all, quoted] of command.replaceAll(/(\w)(\|\w[\w-]*)+/g, '$1').matchAll(/"([^"]*)"|'[^']*'|[^\s"']+/g)) {
    if (/^(#|[|;&<>]|\d?>)/.test(all)) break
    const word = quoted ?? all
    words.push(word.replaceAll(/^\[|[\])]+$|[,;:.]$/g, ''))
    if (/[;)]$/.test(all)) break
  }
  return words.filter((word) => word !== '' && word !== '...')
}

function faultOf(line: string): string | null {
  const words = wordsOf(line)
  const path: string[] = []
  let command = commandOf(path)
  let given = 0
  while (words.length > 0) {
    const [word = ''] = words
    const [name = ''] = word.split('=')
    const isOption = word.startsWith('-') && word !== '-'
    const known = isOption ? command.options.has(name) : command.inner.has(word) || given < command.most
    if (!known && given === 0 && command.usual !== undefined) words.unshift(command.usual)
    else if (!known) return `pbx ${path.join(' ')}: no ${word}`
    const [next = ''] = words.splice(0, 1)
    if (!isOption || next !== word) {
      if (given === 0 && command.inner.has(next)) {
        path.push(next)
        command = commandOf(path)
      } else given += 1
    } else if (command.options.get(name) === true && !word.includes('=')) words.shift()
  }
  return null
}

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { encoding: 'utf8' }).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]

/** In blocks of a shell, and between backticks. */
function* shown(text: string): Iterable<string> {
  const shell = /^```(?:sh|console|text)?\n([^]*?)^```$/gm
  for (const [, block] of text.matchAll(shell))
    for (const [, line] of block!.matchAll(/(?:^|[|;&(] ?|\$ |sudo |-u \w+ |scripts\/)pbx ((?:[^\n\\]|\\\n)*)/gm))
      yield line!.replaceAll('\\\n', ' ')
  for (const [, line] of text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`(?:sudo |scripts\/)?pbx ([^`]*)`/g))
    yield line!.replaceAll('\n', ' ')
}

t.test('every command of pbx that a page shows is one', async (t) => {
  let found = 0
  for (const page of pages) {
    for (const line of shown(readFileSync(join(root, page), 'utf8'))) {
      found += 1
      t.equal(faultOf(line), null, `${page}: pbx ${line}`)
    }
  }
  t.ok(found > 200, `${found} commands`)
  for (const wrong of ['nothing', 'config aply x', 'status --chek', 'status all', 'config diff 1 2 3'])
    t.ok(faultOf(wrong), `${wrong} is none`)
})

t.test('each command has its page of the console in the field guide, or the guide says who does it', async (t) => {
  const guide = readFileSync(join(root, 'docs/field-guide.md'), 'utf8')
  const section = /## The technician's pages\n([^]*?)\n## /.exec(guide)?.[1] ?? ''
  const ofPrograms = new Set(['help', 'upgrade-gate'])
  const named = new Set([...section.matchAll(/`(?:sudo )?(?:pbx )?([a-z][\w-]*)/g)].map(([, name]) => name))
  for (const command of commandOf([]).inner) if (!ofPrograms.has(command)) t.ok(named.has(command), command)
})
