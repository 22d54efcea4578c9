/** Lists of what folders hold, so that a file of a kind is found where it lies, and no list has to be edited for it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../daemon/base/root.ts'

const about = (folder: string): string => `/** Written by npm run generate: what the files of ${folder}/ hold. */`

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .toSorted()

const array = (declared: string, items: readonly string[]): string => {
  const short = `${declared} = [${items.join(', ')}]`
  return short.length <= 140 ? short : [`${declared} = [`, ...items.map((item) => `  ${item},`), ']'].join('\n')
}

/** Each function of a command's file whose name ends in `Command` or `Commands` makes one or some. */
function commandsList(): string {
  const folder = 'scripts/cli/commands'
  const makers = filesIn(folder).flatMap((file) => {
    const found = readFileSync(join(root, folder, file), 'utf8').matchAll(/^export function (\w+Commands?)\(/gm)
    return Array.from(found, ([, name = '']) => ({ name, file }))
  })
  return [
    about('commands'),
    "import type { Command } from 'commander'",
    ...makers.map(({ name, file }) => `import { ${name} } from './commands/${file}'`),
    '',
    array(
      'export const commands: readonly (() => Command | Command[])[]',
      makers.map(({ name }) => name),
    ),
    '',
  ].join('\n')
}

/** Files of a folder that have a value of this name: each with the name that it has in the list, and its import. */
function valuesOf(folder: string, value: string, from: string): readonly { readonly name: string; readonly line: string }[] {
  return filesIn(folder)
    .filter((file) => new RegExp(`^export const ${value}\\b`, 'm').test(readFileSync(join(root, folder, file), 'utf8')))
    .map((file) => {
      const name = file.slice(0, -'.ts'.length).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      return { name, line: `import { ${value} as ${name} } from '${from}/${file}'` }
    })
}

/** Each file of checks has a value `checks`. */
function checksList(): string {
  const found = valuesOf('daemon/config/checks', 'checks', './checks')
  return [
    about('checks'),
    ...found.map(({ line }) => line),
    "import type { SectionCheck } from './checks/context.ts'",
    '',
    array(
      'export const checks: readonly SectionCheck[]',
      found.map(({ name }) => `...${name}`),
    ),
    '',
  ].join('\n')
}

/** One value of all. */
function together(folder: string, value: string, from: string, name: string): string {
  const found = valuesOf(folder, value, from)
  const all = found.length === 0 ? '{}' : `{ ${found.map((one) => `...${one.name}`).join(', ')} }`
  return [about(folder.split('/').at(-1)!), ...found.map(({ line }) => line), '', `export const ${name} = ${all}`, ''].join('\n')
}

/** Text by file, from the root. */
export const lists = (): readonly (readonly [file: string, text: string])[] => [
  ['scripts/cli/commands.ts', commandsList()],
  ['daemon/config/checks.ts', checksList()],
  // A section of the configuration that has numbers which phones dial has a value `houseNumbers`.
  ['daemon/schema/house-kinds.ts', together('daemon/schema/config', 'houseNumbers', './config', 'houseKinds')],
  // A part of the house of which pages show a list has a value `shownLists`.
  ['daemon/schema/shown-lists.ts', together('daemon/schema', 'shownLists', '.', 'listsShown')],
]

// Before all else is generated: that needs the files which the lists name, and one of them may be gone.
if (import.meta.main) for (const [file, text] of lists()) writeFileSync(join(root, file), text)
