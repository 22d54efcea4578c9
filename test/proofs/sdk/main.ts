/**
 * npm run proofs sdk [PART...]: what the helper packages and the examples promise, with the programs of others.
 *   python     the wheel: what mypy refuses (apt-get install python3-mypy), Flask and FastAPI of Debian (python3-flask, python3-fastapi,
 *              python3-uvicorn)
 *   packed     both packages installed in empty folders, by npm and pip: Express, Fastify, Hono, Flask, FastAPI, and a real box; needs the
 *              network (npm, PyPI) and python3-venv
 *   examples   each program of scripts/examples with a real box, calls, faxes and kills
 * Each part is a file of this folder with tests; without a name all of them run. A part whose programs are not there is shown as skipped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const parts = ['python', 'packed', 'examples']
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !parts.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`which part? ${parts.join(', ')}\n`)
  process.exit(2)
}

let failed = 0
for (const name of asked.length > 0 ? asked : parts) {
  const began = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, `${name}.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const results = said.split('\n').filter((line) => /^(not )?ok /.test(line))
  const good = child.exitCode === 0 && results.length > 0
  if (!good) failed += 1
  process.stdout.write(`${name}, ${Math.round((performance.now() - began) / 1000)} s\n${good ? results.join('\n') : said}\n`)
}
process.stdout.write(failed === 0 ? 'all parts passed\n' : `${failed} parts failed\n`)
process.exit(failed === 0 ? 0 : 1)
