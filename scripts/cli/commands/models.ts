/** The commands of the speech models. */
import { type Command, Option } from 'commander'
import { finish, group, late } from '../command.ts'

export function modelsCommand(): Command {
  const command = (name: string, summary: string): Command =>
    group(name, summary)
      .option('--dir <folder>', 'where the models lie (default: speech.models.dir of the configuration)')
      .option('--manifest <file>', "another catalogue than the program's, such as one of a mirror in your house")
  const putting = (name: string, summary: string): Command =>
    command(name, summary)
      .addOption(new Option('--trust-first-download', 'also what has no known sha256: it is taken as it comes, and its sha256 kept'))
      .addOption(new Option('--no-trial', 'without loading it on trial'))

  const models = group('models', 'speech models: what can be had, what is installed, install, verify, import, remove')
  models.addCommand(
    finish(
      command('list', 'what can be had and what is installed').option(
        '--urls',
        'addresses, sizes and sha256 instead: for a computer with a connection',
      ),
      late(async () => (await import('../models/models.ts')).list),
      ['pbx models list', 'pbx models list --urls', "pbx models list --json | jq '.[] | select(.inUse)'"],
    ),
  )
  models.addCommand(
    finish(
      putting('install', 'download, verify and install; goes on where an earlier run stopped').argument('<id...>'),
      late(async () => (await import('../models/models.ts')).install),
      ['pbx models install conformer-small parakeet-110m piper-amy-low', 'pbx models install whisper-base.en'],
    ),
  )
  models.addCommand(
    finish(
      putting('import', 'install from files that were fetched elsewhere: an archive, or a folder such as a USB stick')
        .argument('<path>')
        .option('--model <id>', 'which model it is (default: told by its sha256)'),
      late(async () => (await import('../models/models.ts')).importFrom),
      ['pbx models import /media/usb', 'pbx models import sherpa-onnx-nemo-ctc-en-conformer-small.tar.bz2'],
    ),
  )
  models.addCommand(
    finish(
      command('verify', 'read every file of the installed models again; exit 1 when one is not what was installed').argument('[id]'),
      late(async () => (await import('../models/models.ts')).verify),
      ['pbx models verify', 'pbx models verify conformer-small --json'],
    ),
  )
  models.addCommand(
    finish(
      command('remove', 'remove an installed model, and what lies of its download').argument('<id>'),
      late(async () => (await import('../models/models.ts')).remove),
      ['pbx models remove whisper-base.en'],
    ),
  )
  return models
}
