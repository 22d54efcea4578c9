/** pbx speech: who hears and who speaks on this box, and what would make it better. */
import { createReadStream, fstatSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { writeNamed } from '../../../daemon/base/owner.ts'
import type {
  SaidView,
  SpeechProcessView,
  SpeechRoleView,
  SpeechView,
  Transcribing,
  TranscriptView,
} from '../../../daemon/schema/speech.ts'
import { CommandError, exitCode, type Upload } from '../client.ts'
import { type Context, finish, group, late } from '../command.ts'
import { bold, bytes, dim, green, print, printJson, printNote, table, yellow } from '../output.ts'
import { openGiven } from '../owner.ts'
import { patience } from '../patience.ts'

type Run = (context: Context, ...args: never[]) => Promise<number | void>

export function speechCommands(): Command[] {
  const language = () => new Option('--language <tag>', "language, such as en-US (default: the site's language)").argParser(tag)
  const saying = finish(
    group('say', 'speak a text into a WAV file, as a caller would hear it')
      .argument('<text>', 'the text, or SSML when it starts with <speak')
      .option('--out <file>', 'the WAV file to write (default: standard output, unless that is a terminal)')
      .option('--voice <name>', 'a voice or an engine from "pbx speech"')
      .addOption(language())
      .option('--rate <factor>', 'speed from 0.5 to 2', rate),
    say,
    ['pbx say "Your visit is on 11/23 at 2:30 PM." --out visit.wav', 'pbx say "Guten Tag." --language de-DE | aplay'],
  )
  const transcribing = finish(
    group('transcribe', 'transcribe a WAV file with the recogniser for recordings')
      .argument('<file>', 'a WAV file; - for standard input')
      .addOption(language())
      .option('--hint <words...>', 'likely words and names'),
    transcribe,
    ['pbx transcribe message.wav', 'pbx transcribe message.wav --hint "Dr. Nguyen" ibuprofen > message.txt'],
  )
  const commands = finish(
    group('speech', 'show the recognisers and voices in use and why, their processes, and problems with fixes'),
    speech,
    ['pbx speech', 'pbx speech reload', 'pbx speech selftest'],
  )
  commands.enablePositionalOptions()
  commands.addCommand(finish(group('reload', 'load newly installed models without a restart'), reload, ['pbx speech reload']))
  commands.addCommand(
    finish(
      group(
        'selftest',
        'test whether recognisers and voices do on this machine what their figures say; about two minutes for each recogniser',
      )
        .option('--fixtures <dir>', 'folder of WAV files with a transcripts.tsv: file, words, kind (default: spoken by flite)')
        .option('--model <id...>', 'only these models (default: those installed)'),
      late(async () => (await import('../selftest/selftest.ts')).selftest),
      ['pbx speech selftest', 'pbx speech selftest --model conformer-small --json'],
    ),
  )
  return [saying, transcribing, commands]
}

function rate(text: string): number {
  const factor = Number(text)
  if (!(factor >= 0.5 && factor <= 2)) throw new InvalidArgumentError('Give a number from 0.5 to 2.')
  return factor
}

function tag(text: string): string {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(text)) throw new InvalidArgumentError('Give a language tag such as en-US.')
  return text
}

async function speech({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<SpeechView>('/api/speech')
  if (json) printJson(view)
  else show(view)
}

async function reload({ json, client }: Context): Promise<void> {
  const view = await (await client()).post<SpeechView>('/api/speech/reload', undefined, patience.workMs)
  if (json) printJson(view)
  else show(view)
}

function show(view: SpeechView): void {
  print(bold('Roles'))
  for (const role of view.roles) print(roleLine(role))
  section('Processes')
  print(
    view.processes.length === 0
      ? dim('none')
      : table(['process', 'state', 'pid', 'memory', 'limit', 'restarts', 'last exit'], view.processes.map(processRow)),
  )
  section('Voices by language')
  print(
    view.voices.length === 0
      ? dim('none')
      : table(
          ['language', 'engines, the preferred one first'],
          view.voices.map(({ language, engines }) => [language, engines.join(', ')]),
        ),
  )
  if (view.leftOut.length > 0) {
    section('Installed, but not used')
    for (const { id, reason, fix } of view.leftOut) problem(`${id}: ${reason}`, fix)
  }
  if (view.problems.length > 0) section('Problems')
  for (const { text, fix } of view.problems) problem(text, fix)
  if (view.recommended.every(({ installed }) => installed)) return
  section('Recommended for this box')
  print(recommendedTable(view.recommended))
  print(`${dim('install them:')} ${bold(installThem)}`)
}

/** Stands for the models that suit the machine where the id of a model is given. */
export const recommendedWord = 'recommended'
export const installThem = `pbx models install ${recommendedWord}`

/** What each task of a model is to a caller. */
const brings: Readonly<Record<string, string>> = {
  call: 'understands callers',
  recording: 'writes down voicemail',
  voice: 'speaks prompts',
  detector: 'notices when somebody speaks, in noise too',
}

export function recommendedTable(rows: SpeechView['recommended']): string {
  return table(
    ['MODEL', 'WHAT IT BRINGS', 'DOWNLOAD', 'MEMORY', 'STATE'],
    rows.map(({ id, roles, downloadBytes, memoryBytes, installed }) => [
      id,
      roles.map((role) => brings[role] ?? role).join(', '),
      bytes(downloadBytes),
      bytes(memoryBytes),
      installed ? 'installed' : '-',
    ]),
  )
}

function section(title: string): void {
  print(`\n${bold(title)}`)
}

function problem(text: string, fix: string): void {
  print(`${yellow('!')} ${text}${fix === '' ? '' : `\n  ${dim('fix:')} ${bold(fix)}`}`)
}

function roleLine({ role, engine, vocabulary, why, fix }: SpeechRoleView): string {
  const who = engine === '' ? dim('nobody') : `${engine}${vocabulary === 'closed' ? ' (closed grammars only)' : ''}`
  const better = fix === '' ? '' : `\n             ${dim('better:')} ${bold(fix)}`
  return `${(engine === '' ? dim : green)(role.padEnd(11))}  ${who}${why === '' ? '' : dim(`  ${why}`)}${better}`
}

function processRow({ name, state, pid, memoryBytes, limitBytes, restarts, reason }: SpeechProcessView): string[] {
  return [
    name,
    state,
    pid === null ? '-' : String(pid),
    memoryBytes === null ? '-' : bytes(memoryBytes),
    bytes(limitBytes),
    String(restarts),
    reason,
  ]
}

interface Options {
  out?: string
  voice?: string
  language?: string
  rate?: number
}

async function say({ json, client }: Context, text: string, options: Options): Promise<void> {
  const { out, voice, language, rate } = options
  const toOutput = out === undefined || out === '-'
  const usage = { exit: exitCode.usage, code: 'usage', fix: 'pbx say TEXT --out FILE.wav' }
  if (text.trim() === '') throw new CommandError('the text is empty', usage)
  if (toOutput && json) throw new CommandError('with --json, the sound needs a file: give --out', usage)
  if (toOutput && process.stdout.isTTY) throw new CommandError('a terminal cannot play a WAV file', usage)
  const { wav, ...said } = await (await client()).post<SaidView>('/api/speech/say', { text, voice, language, rate }, patience.workMs)
  const sound = Buffer.from(wav, 'base64')
  if (toOutput) process.stdout.write(sound)
  else save(out, sound)
  if (json) return printJson({ file: out, bytes: sound.length, ...said })
  for (const warning of said.warnings) printNote(`${yellow('!')} ${warning}`)
  const facts = `${said.engine === '' ? 'nothing was spoken' : said.engine}, ${said.seconds.toFixed(1)} s of speech in ${said.ms} ms, the first sound after ${said.firstMs} ms`
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

interface Options {
  language?: string
  hint?: string[]
}

const limit = 1024 ** 3

async function transcribe({ json, client }: Context, file: string, { language, hint = [] }: Options): Promise<void> {
  const upload = file === '-' ? await standardInput() : fromFile(file)
  if (upload.bytes > limit) throw new CommandError(`${file} is larger than 1 GiB`, { exit: exitCode.usage, code: 'body_too_large' })
  const query = new URLSearchParams(hint.map((words): [string, string] => ['hint', words]))
  if (language !== undefined) query.set('language', language)
  const daemon = await client()
  const { ok, reason } = await daemon.get<{ ok: boolean; reason: string }>(`/api/speech/transcription?${query}`)
  if (!ok) throw refused(reason)
  const bar = progressBar('transcribing')
  let transcript: TranscriptView | undefined
  try {
    await daemon.upload<Transcribing>(`/api/speech/transcription?${query}`, upload, (told) => {
      if (told.type === 'progress') bar.show(told.doneMs / 1000, told.totalMs / 1000)
      else transcript = told
    })
  } finally {
    bar.end()
  }
  if (transcript === undefined) throw new CommandError('the daemon returned no transcript')
  const { status, text, reason: why, engine, ms } = transcript
  if (status === 'off') throw refused(why)
  if (status === 'failed') throw failed(why)
  if (json) return printJson({ status, text, engine, ms })
  if (status === 'done') print(text)
  printNote(dim(status === 'empty' ? 'no speech' : `${engine}, in ${(ms / 1000).toFixed(1)} s`))
}

const failures: Readonly<Record<string, string>> = {
  'engine-failed': 'the recogniser failed; "pbx speech" and the log of the daemon show the reason',
  'audio-unreadable': 'the file is not a supported WAV file',
  'file-unreadable': 'the daemon could not read the file',
  'not-ready': 'the recogniser was not ready in time; see "pbx speech"',
  overloaded: 'too many transcriptions are running',
  stopped: 'the daemon is stopping',
}

/** `code: what exactly`, or the code alone. */
function failed(reason: string): CommandError {
  const [code = '', ...rest] = reason.split(': ')
  const detail = rest.length > 0 ? ` (${rest.join(': ')})` : ''
  return new CommandError(`no transcript: ${failures[code] ?? code}${detail}`, { code })
}

function refused(reason: string): CommandError {
  if (reason === 'model-missing')
    return new CommandError('no model for recordings is installed', { code: reason, fix: 'pbx models install parakeet-110m' })
  if (reason === 'model-unusable')
    return new CommandError('the installed model cannot be loaded', {
      code: reason,
      fix: 'pbx speech says which, and pbx models verify why',
    })
  if (reason === 'switched-off')
    return new CommandError('transcription is switched off', { code: reason, fix: 'speech: { recogniser: auto } in the configuration' })
  if (reason === 'language-unsupported')
    return new CommandError('no installed model recognises this language', { code: reason, fix: 'pbx models list' })
  return new CommandError(`nothing can be transcribed now: ${reason}`, { code: reason, fix: 'pbx speech' })
}

function fromFile(file: string): Upload {
  const handle = openGiven(file)
  const { size } = fstatSync(handle)
  return {
    type: 'audio/wav',
    bytes: size,
    chunks: () => (size === 0 ? [] : createReadStream(file, { fd: handle, end: size - 1, highWaterMark: 1 << 18 })),
  }
}

/** Its length has to be known first. */
async function standardInput(): Promise<Upload> {
  const all = await buffer(process.stdin)
  return { type: 'audio/wav', bytes: all.length, chunks: () => [all] }
}

/** A progress bar on standard error, where that is a terminal. */
const barWidth = 24

interface ProgressBar {
  /** Numbers in seconds of audio. */
  show(done: number, total: number): void
  end(): void
}

function progressBar(what: string): ProgressBar {
  const { stderr } = process
  let drawn = false
  return {
    show(done, total) {
      if (!stderr.isTTY || total <= 0) return
      const part = Math.min(1, done / total)
      const full = Math.round(part * barWidth)
      stderr.write(
        `\r${what} ${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${Math.round(part * 100)} %  ${Math.round(done)} of ${Math.round(total)} s`,
      )
      drawn = true
    },
    end() {
      if (drawn) stderr.write('\r\u001b[K')
      drawn = false
    },
  }
}
