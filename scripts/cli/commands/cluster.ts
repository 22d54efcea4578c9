/** pbx cluster: several boxes behind one address, from one description. */
import type { Command } from 'commander'
import { finish, group, late } from '../command.ts'

const described = '/etc/pbxd/cluster.yaml'

export function clusterCommand(): Command {
  const cluster = group(
    'cluster',
    'several boxes behind one address, or two machines that are one box: the files of their programs; see docs/scale.md and docs/pair.md',
  )
  cluster.addCommand(
    finish(
      group('render', 'write the files of every machine, each below a folder with its name')
        .argument('[file]', 'the description', described)
        .option('--out <dir>', 'the folder', 'cluster'),
      late(async () => (await import('../cluster/run.ts')).render),
      ['pbx cluster render', 'pbx cluster render cluster.yaml --out /tmp/cluster'],
    ),
  )
  cluster.addCommand(
    finish(
      group('check', 'compare the files on this machine with the description; exit code 1 if they differ')
        .argument('[file]', 'the description', described)
        .option('--machine <name>', 'the machine of the edge or of the pair (default: the host name)')
        .option('--root <dir>', 'where the files of the machine are', '/'),
      late(async () => (await import('../cluster/run.ts')).check),
      ['pbx cluster check', 'pbx cluster check cluster.yaml --machine e1 --root /tmp/cluster/e1'],
    ),
  )
  cluster.addCommand(
    finish(
      group('status', 'show which boxes take calls, their versions, and which machine has the address')
        .argument('[file]', 'the description', described)
        .option('--token <file>', 'a file with an access token of the scope admin, for versions and drains'),
      late(async () => (await import('../cluster/status.ts')).status),
      ['pbx cluster status', 'pbx cluster status --token /root/fleet.token'],
    ),
  )
  return cluster
}
