/** The table of all commands of `pbx`. What a command needs beyond the client and the tables is loaded when it runs, so that `pbx` starts fast. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { root } from './client.ts'
import { helpLayout } from './command.ts'
import { commands } from './commands.ts'

const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }

export function program(): Command {
  const pbx = new Command('pbx')
    .description("The technician's program for pbxd, the telephone system. It talks to the running daemon over its control socket.")
    .version(version)
    .configureHelp({ minWidthToWrap: helpLayout.minWidthToWrap, sortSubcommands: true })
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.\nEvery command has --json and --help.')
    .showHelpAfterError('(see pbx --help)')
    // "pbx speech reload --json": the option is the inner command's, though the outer one has it as well.
    .enablePositionalOptions()
  for (const command of commands.flatMap((make) => make())) pbx.addCommand(command)
  return pbx
}
