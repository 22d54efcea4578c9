/** Lists of what folders hold, so that a file of a kind is found where it lies, and no list has to be edited for it. */
import { readdirSync, readFileSync } from 'node:fs'
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
export function commandsList(): string {
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

/** Each file of checks has a value `checks`. */
export function checksList(): string {
  const folder = 'daemon/config/checks'
  const names = filesIn(folder)
    .filter((file) => /^export const checks\b/m.test(readFileSync(join(root, folder, file), 'utf8')))
    .map((file) => file.slice(0, -'.ts'.length))
  return [
    about('checks'),
    ...names.map((name) => `import { checks as ${name} } from './checks/${name}.ts'`),
    "import type { SectionCheck } from './checks/context.ts'",
    '',
    array(
      'export const checks: readonly SectionCheck[]',
      names.map((name) => `...${name}`),
    ),
    '',
  ].join('\n')
}
