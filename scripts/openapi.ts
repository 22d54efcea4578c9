/** Writes openapi.json: the description of the HTTP interface as it is served. `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describedRoutes } from '../daemon/http/describe.ts'
import { openApiDocument } from '../daemon/http/openapi.ts'

const file = join(import.meta.dirname, '../openapi.json')
const text = `${JSON.stringify(openApiDocument(describedRoutes()), null, 2)}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write('openapi.json is not what the routes say; write it anew with: npm run openapi\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, text)
}
