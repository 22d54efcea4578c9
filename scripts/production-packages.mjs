// Prints the folders of the npm packages that pbxd itself needs, one a line: those of package-lock.json that only development needs, and those that
// are not in the given folder, or in this one, because they are of other machines, are left out. For systemd/install.
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const root = process.argv[2] === undefined ? new URL('../', import.meta.url) : pathToFileURL(`${process.argv[2]}/`)
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
for (const [folder, { dev, devOptional }] of Object.entries(packages)) {
  if (folder !== '' && !dev && !devOptional && existsSync(new URL(folder, root))) console.log(folder)
}
