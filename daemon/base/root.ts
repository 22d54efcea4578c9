/**
 * The folder of the program: the checkout, or where it was installed. Compiled files lie elsewhere and find it by PBXD_ROOT. That may be a
 * link, which an upgrade changes: this process and its children stay with the version that they are of.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

export const root = realpathSync(process.env.PBXD_ROOT ?? join(import.meta.dirname, '../..'))
if (process.env.PBXD_ROOT !== undefined) process.env.PBXD_ROOT = root

export function programVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}
