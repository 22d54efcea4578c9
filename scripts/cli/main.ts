/** The `pbx` program: the words that were typed, run once (run.ts). */
import { run } from './run.ts'

// `pbx calls | head` ends before everything is written; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await run(process.argv.slice(2))
