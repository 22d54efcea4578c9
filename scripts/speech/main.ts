/**
 * Measures the embedded recogniser:
 *
 *   scripts/run scripts/speech/main.ts accuracy [--voice slt]... [--fixtures DIR] [--mistakes]
 *
 * Without `--fixtures` the utterances are synthesised (flite, espeak-ng). A folder of fixtures holds WAV files and
 * `transcripts.tsv`: file, text and kind (digit, digits, yes-no, command, menu, free), with tabs between.
 */
import { parseArgs } from 'node:util'
import { createGrammarRecogniser } from '../../drivers/speech-grammar/recogniser.ts'
import { accuracyTable, measureAccuracy } from './accuracy.ts'
import { voices, type Voice } from './corpus.ts'

const usage = 'usage: scripts/run scripts/speech/main.ts accuracy [--voice NAME]... [--fixtures DIR] [--mistakes]\n'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { voice: { type: 'string', multiple: true }, fixtures: { type: 'string' }, mistakes: { type: 'boolean', default: false } },
})
const unknown = (values.voice ?? []).filter((name) => !voices.includes(name as Voice))
if (positionals.length !== 1 || positionals[0] !== 'accuracy' || unknown.length > 0) {
  process.stderr.write(usage)
  process.exit(2)
}

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
