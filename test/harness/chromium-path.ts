/** Where Debian's Chromium is; undefined where there is none. Its shell without windows takes a third less of a processor. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export function chromiumPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(existsSync)
}
