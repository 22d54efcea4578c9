/**
 * Measures recognition of speech, and where detectors find its beginnings and ends:
 *
 *   scripts/run test/proofs/speech/main.ts accuracy [--voice slt]... [--fixtures DIR] [--mistakes]
 *   scripts/run test/proofs/speech/main.ts endpointing
 *
 * and, with real weights and recordings of people, which `install` and `people` fetch:
 *
 *   scripts/run test/proofs/speech/main.ts install
 *   scripts/run test/proofs/speech/main.ts people [--clones DIR] [--count N]
 *   scripts/run test/proofs/speech/main.ts hear|nothing|others [--recogniser NAME] [--seconds N]
 *   scripts/run test/proofs/speech/main.ts voices [--seconds N]
 *   scripts/run test/proofs/speech/main.ts table [--mistakes]
 *
 * Without `--fixtures` the utterances of `accuracy` are synthesised (flite, espeak-ng). A folder of fixtures holds WAV files and
 * `transcripts.tsv`: file, text and kind (digit, digits, yes-no, command, menu, free), with tabs between.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createWebrtcDetectors } from '../../../drivers/speech-grammar/detector.ts'
import { createGrammarRecogniser } from '../../../drivers/speech-grammar/recogniser.ts'
import { createSileroDetectors } from '../../../drivers/speech-sherpa/detector.ts'
import { accuracyTable, measureAccuracy } from '../../../scripts/cli/selftest/accuracy.ts'
import { voices, type Voice } from '../../../scripts/cli/selftest/corpus.ts'
import { measureEndpointing } from './endpointing.ts'
import { nothingTable, peopleTable, sureTable } from './figures.ts'
import { hear, heardFolder, hearNothing, recognisers, type RecogniserName } from './hear.ts'
import { linesFolder, makeLines } from './lines.ts'
import { gatherPeople, originalsFolder } from './people.ts'
import { measureVoices, voiceTable } from './voices.ts'
import { cache, installWeights, missingWeights, python, run, whisperSource } from './weights/install.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    voice: { type: 'string', multiple: true },
    fixtures: { type: 'string' },
    mistakes: { type: 'boolean', default: false },
    clones: { type: 'string', default: join(cache, 'clones') },
    count: { type: 'string', default: '20' },
    recogniser: { type: 'string', default: 'whisper-base' },
    seconds: { type: 'string', default: '240' },
  },
})
const silero = join(import.meta.dirname, '../../../.cache/models/silero-vad/silero_vad.onnx')
const said = (text: string): void => void process.stderr.write(`${text}\n`)
const seconds = Number(values.seconds)
const recogniser = values.recogniser as RecogniserName

const commands: Readonly<Record<string, () => void | Promise<void>>> = {
  accuracy,
  endpointing,
  install: () => installWeights(said),
  people: () => {
    gatherPeople(values.clones, Number(values.count), said)
    makeLines()
  },
  hear: async () => {
    more(await hear(recogniser, seconds))
    said(`${recogniser}: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB at most`)
  },
  nothing: async () => more(await hearNothing(recogniser, silero, seconds)),
  others,
  voices: async () => more(await measureVoices(seconds, said)),
  table: () => {
    const mistakes = values.mistakes ? said : () => undefined
    const names = [...recognisers, 'whisper', 'whisper originals', 'pocketsphinx', 'pocketsphinx originals']
    process.stdout.write(
      `${peopleTable(names, mistakes)}\n${sureTable(recognisers)}\n${nothingTable(recognisers, mistakes)}\n${voiceTable()}`,
    )
  },
}

const [command = ''] = positionals
const unknown = (values.voice ?? []).filter((name) => !voices.includes(name as Voice))
const chosen = Object.hasOwn(commands, command) ? commands[command] : undefined
if (positionals.length !== 1 || chosen === undefined || unknown.length > 0 || !recognisers.includes(recogniser)) {
  said(`usage: scripts/run test/proofs/speech/main.ts ${Object.keys(commands).join('|')}`)
  process.exit(2)
}
if (['hear', 'others', 'voices'].includes(command) && missingWeights() !== '') {
  said(`skipped: ${missingWeights()}`)
  process.exit(0)
}
await chosen()

function more(done: boolean): void {
  if (!done) said('more is to be done: run it again')
}

/** faster-whisper and PocketSphinx on the recordings as they were published and on the clean line. */
function others(): void {
  const script = join(import.meta.dirname, 'weights/others.py')
  const works = [
    ['whisper', originalsFolder, '*.wav', 'whisper originals', whisperSource],
    ['whisper', linesFolder, 'clean/*.wav', 'whisper', whisperSource],
    ['pocketsphinx', originalsFolder, '*.wav', 'pocketsphinx originals', ''],
    ['pocketsphinx', linesFolder, 'clean/*.wav', 'pocketsphinx', ''],
  ] as const
  for (const [which, folder, pattern, results, weights] of works) {
    said(run(python, [script, which, folder, pattern, join(heardFolder, `${results}.jsonl`), values.seconds, weights]).trim())
  }
}

async function endpointing(): Promise<void> {
  if (!existsSync(silero)) said('the Silero model is not there (scripts/setup fetches it): only the other detector is measured')
  const detectors = [...(existsSync(silero) ? [createSileroDetectors(silero, { size: 1 })] : []), await createWebrtcDetectors()]
  process.stdout.write(await measureEndpointing(detectors, said))
}

async function accuracy(): Promise<void> {
  const grammar = await createGrammarRecogniser()
  try {
    const rows = await measureAccuracy(grammar, {
      ...(values.voice === undefined ? {} : { voices: values.voice as Voice[] }),
      ...(values.fixtures === undefined ? {} : { fixtures: values.fixtures }),
      onRow: (row) => {
        said(`${row.voice}, ${row.line}, ${row.kind}: ${row.right} of ${row.asked}`)
        if (values.mistakes) for (const mistake of row.mistakes) said(`    ${mistake.said} -> ${mistake.understood || '(nothing)'}`)
      },
    })
    process.stdout.write(accuracyTable(rows))
  } finally {
    await grammar.close()
  }
}
