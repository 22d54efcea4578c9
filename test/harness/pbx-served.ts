/**
 * The `pbx` program for many commands: its parent sends the words of one, and gets the exit code with all that was written. What a person types
 * starts a program each time; a file of tests that runs hundreds of commands would do little else (test/cli runs the real one).
 */
import { patience } from '../../scripts/cli/patience.ts'
import { run } from '../../scripts/cli/run.ts'

Object.assign(patience, JSON.parse(process.env['PBX_TEST_PATIENCE'] ?? '{}'))

const written = { out: '', error: '' }
process.stdout.write = (text: string | Uint8Array) => ((written.out += String(text)), true)
process.stderr.write = (text: string | Uint8Array) => ((written.error += String(text)), true)

process.on('message', (words: string[]) => {
  Object.assign(written, { out: '', error: '' })
  void run(words).then((code) => process.send!({ code, ...written, uid: process.getuid?.() }))
})
process.on('disconnect', () => process.exit())
