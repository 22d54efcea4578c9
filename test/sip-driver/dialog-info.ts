/** Documents of lamps against the schema of RFC 4235. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { compiled } from '../engine/instant.ts'

const headers = '/usr/include/libxml2'
const schema = join(import.meta.dirname, 'dialog-info.xsd')

/** Whether this machine can check documents. */
export const validates = existsSync(headers)

/** '' for a document that the schema allows. */
export function faults(document: string): string {
  const validator = compiled('xml-valid', [`-I${headers}`, '-Wl,--no-as-needed', '-lxml2'], import.meta.dirname)
  const { status, stderr } = spawnSync(validator, [schema], { input: document, encoding: 'utf8' })
  return status === 0 ? '' : `${status} ${stderr}`
}
