/** The folder of the program: the checkout, or where it was installed. Compiled files lie elsewhere and are told by PBXD_ROOT. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = process.env.PBXD_ROOT ?? join(import.meta.dirname, '..')

export function programVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}
