// Prints the folders of the npm packages that pbxd itself needs, one a line: those of package-lock.json that only development needs, and those of
// other machines, are left out. For systemd/install.
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
for (const [folder, { dev, devOptional }] of Object.entries(packages)) {
  if (folder !== '' && !dev && !devOptional && existsSync(new URL(folder, root))) console.log(folder)
}
