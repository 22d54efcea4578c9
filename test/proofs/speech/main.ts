/**
 * Measures the embedded recogniser, and where detectors find the beginnings and ends of speech:
 *
 *   scripts/run test/proofs/speech/main.ts accuracy [--voice slt]... [--fixtures DIR] [--mistakes]
 *   scripts/run test/proofs/speech/main.ts endpointing
 *
 * Without `--fixtures` the utterances are synthesised (flite, espeak-ng). A folder of fixtures holds WAV files and
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

const usage = `usage: scripts/run test/proofs/speech/main.ts accuracy [--voice NAME]... [--fixtures DIR] [--mistakes]
       scripts/run test/proofs/speech/main.ts endpointing
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { voice: { type: 'string', multiple: true }, fixtures: { type: 'string' }, mistakes: { type: 'boolean', default: false } },
})
const unknown = (values.voice ?? []).filter((name) => !voices.includes(name as Voice))
const [command] = positionals
if (positionals.length !== 1 || !['accuracy', 'endpointing'].includes(command ?? '') || unknown.length > 0) {
  process.stderr.write(usage)
  process.exit(2)
}

if (command === 'endpointing') await endpointing()
else await accuracy()

async function endpointing(): Promise<void> {
  const silero = join(import.meta.dirname, '../../../.cache/models/silero-vad/silero_vad.onnx')
  if (!existsSync(silero))
    process.stderr.write('the Silero model is not there (scripts/setup fetches it): only the other detector is measured\n')
  const detectors = [...(existsSync(silero) ? [createSileroDetectors(silero, { size: 1 })] : []), await createWebrtcDetectors()]
  process.stdout.write(await measureEndpointing(detectors, (text) => process.stderr.write(`${text}\n`)))
}

async function accuracy(): Promise<void> {
  const recogniser = await createGrammarRecogniser()
  try {
    const rows = await measureAccuracy(recogniser, {
      ...(values.voice === undefined ? {} : { voices: values.voice as Voice[] }),
      ...(values.fixtures === undefined ? {} : { fixtures: values.fixtures }),
      onRow: (row) => {
        process.stderr.write(`${row.voice}, ${row.line}, ${row.kind}: ${row.right} of ${row.asked}\n`)
        if (values.mistakes)
          for (const { said, understood } of row.mistakes) process.stderr.write(`    ${said} -> ${understood || '(nothing)'}\n`)
      },
    })
    process.stdout.write(accuracyTable(rows))
  } finally {
    await recogniser.close()
  }
}
