/** pbx say: a text as a WAV file. */
import type { SaidView } from '../../../daemon/schema/speech.ts'
import { writeNamed } from '../../../daemon/base/owner.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { dim, printJson, printNote, yellow } from '../output.ts'
import { patience } from '../patience.ts'

interface Options {
  out?: string
  voice?: string
  language?: string
  rate?: number
}

export async function say({ json, client }: Context, text: string, options: Options): Promise<void> {
  const { out, voice, language, rate } = options
  const toOutput = out === undefined || out === '-'
  const usage = { exit: exitCode.usage, code: 'usage', fix: 'pbx say TEXT --out FILE.wav' }
  if (text.trim() === '') throw new CommandError('there is nothing to say', usage)
  if (toOutput && json) throw new CommandError('with --json the sound needs a file of its own', usage)
  if (toOutput && process.stdout.isTTY) throw new CommandError('a terminal cannot play a WAV file', usage)
  const { wav, ...said } = await (await client()).post<SaidView>('/api/speech/say', { text, voice, language, rate }, patience.workMs)
  const sound = Buffer.from(wav, 'base64')
  if (toOutput) process.stdout.write(sound)
  else save(out, sound)
  if (json) return printJson({ file: out, bytes: sound.length, ...said })
  for (const warning of said.warnings) printNote(`${yellow('!')} ${warning}`)
  const facts = `${said.engine === '' ? 'nobody had anything to say' : said.engine}, ${said.seconds.toFixed(1)} s of speech in ${said.ms} ms, its beginning in ${said.firstMs} ms`
  printNote(dim(`${toOutput ? '' : `${out}: `}${facts}`))
}

function save(file: string, sound: Buffer): void {
  try {
    writeNamed(file, sound)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`, { exit: exitCode.usage })
  }
}
