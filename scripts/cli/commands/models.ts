/** The commands of the speech models. */
import { type Command, Option } from 'commander'
import { finish, group, late } from '../command.ts'

export function modelsCommand(): Command {
  const command = (name: string, summary: string): Command =>
    group(name, summary)
      .option('--dir <folder>', 'the folder of the models (default: speech.models.dir in the configuration)')
      .option('--manifest <file>', 'use this catalogue instead of the built-in one, for example for your own mirror')
  const putting = (name: string, summary: string): Command =>
    command(name, summary)
      .addOption(
        new Option(
          '--trust-first-download',
          'accept files without a known sha256: they are trusted as downloaded, and their sha256 is recorded',
        ),
      )
      .addOption(new Option('--no-trial', 'do not load the model to test it'))

  const models = group('models', 'speech models: list, install, import, verify, remove')
  models.addCommand(
    finish(
      command('list', 'list the models that are available and installed').option(
        '--urls',
        'print download addresses, sizes and sha256 instead, for a computer with an internet connection',
      ),
      late(async () => (await import('../models/models.ts')).list),
      ['pbx models list', 'pbx models list --urls', "pbx models list --json | jq '.[] | select(.inUse)'"],
    ),
  )
  models.addCommand(
    finish(
      putting('install', 'download, verify and install models; continues an interrupted download').argument(
        '<id...>',
        'ids from "pbx models list", or "recommended": what suits this machine and the language of the site',
      ),
      late(async () => (await import('../models/models.ts')).install),
      ['pbx models install recommended', 'pbx models install conformer-small piper-amy-low'],
    ),
  )
  models.addCommand(
    finish(
      putting('import', 'install from files that were downloaded elsewhere: an archive, or a folder such as a USB stick')
        .argument('<path>')
        .option('--model <id>', 'the id of the model (default: found by its sha256)'),
      late(async () => (await import('../models/models.ts')).importFrom),
      ['pbx models import /media/usb', 'pbx models import sherpa-onnx-nemo-ctc-en-conformer-small.tar.bz2'],
    ),
  )
  models.addCommand(
    finish(
      command('verify', 'verify every file of the installed models; exit 1 when one has changed').argument('[id]'),
      late(async () => (await import('../models/models.ts')).verify),
      ['pbx models verify', 'pbx models verify conformer-small --json'],
    ),
  )
  models.addCommand(
    finish(
      command('remove', 'remove an installed model and its partial downloads').argument('<id>'),
      late(async () => (await import('../models/models.ts')).remove),
      ['pbx models remove whisper-base.en'],
    ),
  )
  return models
}
