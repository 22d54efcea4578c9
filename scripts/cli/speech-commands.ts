/** The commands of speech: how it is, and the voice and the ear of the box without a call. */
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Context } from './context.ts'

type Run = (context: Context, ...args: never[]) => Promise<number | void>
export type Group = (name: string, summary: string) => Command
export type Finish = (command: Command, load: () => Promise<Run>, examples: readonly string[]) => Command

export function speechCommands(group: Group, finish: Finish): Command[] {
  const language = () => new Option('--language <tag>', 'language, such as en-US (default: that of the box)').argParser(tag)
  const say = finish(
    group('say', 'speak a text into a WAV file, as a caller would hear it')
      .argument('<text>', 'the text, or SSML when it starts with <speak')
      .option('--out <file>', 'the WAV file; - or nothing: standard output, unless that is a terminal')
      .option('--voice <name>', 'a voice or an engine, as "pbx speech" lists them')
      .addOption(language())
      .option('--rate <factor>', 'speed from 0.5 to 2', rate),
    async () => (await import('./commands/say.ts')).say,
    ['pbx say "Your visit is on 11/23 at 2:30 PM." --out visit.wav', 'pbx say "Guten Tag." --language de-DE | aplay'],
  )
  const transcribe = finish(
    group('transcribe', 'the words of a WAV file, by the recogniser of the recordings')
      .argument('<file>', 'any usual WAV; - for standard input')
      .addOption(language())
      .option('--hint <words...>', 'words and names that are likely'),
    async () => (await import('./commands/transcribe.ts')).transcribe,
    ['pbx transcribe message.wav', 'pbx transcribe message.wav --hint "Dr. Nguyen" ibuprofen > message.txt'],
  )
  const speech = finish(
    group('speech', 'who hears and who speaks, and why; processes, voices, problems with what mends them'),
    async () => (await import('./commands/speech.ts')).speech,
    ['pbx speech', 'pbx speech reload', 'pbx speech selftest'],
  )
  speech.enablePositionalOptions()
  speech.addCommand(
    finish(
      group('reload', 'look at the installed models again, without a restart'),
      async () => (await import('./commands/speech.ts')).reload,
      ['pbx speech reload'],
    ),
  )
  speech.addCommand(
    finish(
      group('selftest', 'try recognition and voice on this machine against their targets, beside the daemon; takes minutes')
        .option('--fixtures <dir>', 'folder of WAV files with a transcripts.tsv: file, words, kind (default: spoken by flite)')
        .option('--model <id...>', 'only these models (default: those installed)'),
      async () => (await import('./commands/selftest.ts')).selftest,
      ['pbx speech selftest', 'pbx speech selftest --model conformer-small --json'],
    ),
  )
  return [say, transcribe, speech]
}

function rate(text: string): number {
  const factor = Number(text)
  if (!(factor >= 0.5 && factor <= 2)) throw new InvalidArgumentError('A number from 0.5 to 2 is wanted.')
  return factor
}

function tag(text: string): string {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(text)) throw new InvalidArgumentError('A language is a tag such as en-US.')
  return text
}
