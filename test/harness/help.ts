/** What `pbx ... --help` prints on a terminal of 80 columns, without a process of its own for each. */
import type { Command } from 'commander'
import { program } from '../../scripts/cli/run.ts'

const pbx = program()

/** `path`: as ['fax', 'send']; none is pbx itself. */
export function commandAt(path: readonly string[]): Command {
  return path.reduce((above: Command, name) => {
    const found = above.commands.find((command) => command.name() === name)
    if (found === undefined) throw new Error(`pbx ${path.join(' ')}: no such command`)
    return found
  }, pbx)
}

export function helpOf(path: readonly string[]): string {
  const command = commandAt(path)
  let text = ''
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHelpWidth: () => 80 })
  command.outputHelp()
  return text
}

/** All commands that have none below them, as "fax send". */
export function allCommands(above: Command = pbx, path: readonly string[] = []): string[] {
  if (above.commands.length === 0) return [path.join(' ')]
  return above.commands.flatMap((command) => allCommands(command, [...path, command.name()]))
}
