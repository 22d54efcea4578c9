// `npm ci` refuses a lock file in which an optional platform package is absent, and npm leaves out those that the
// registry in use does not carry (other operating systems, other libcs). Each gets a stub entry that npm never fetches
// here. Run after each change of dependencies: `npm install --package-lock-only --ignore-scripts && node scripts/fix-lock.mjs`.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
let added = 0
for (const entry of Object.values({ ...lock.packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`
    if (lock.packages[path]) continue
    lock.packages[path] = { version, optional: true, os: ['none'], cpu: ['none'] }
    added += 1
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, JSON.stringify(lock, null, 2) + '\n')
console.log(`package-lock.json: ${added} stub entries added`)
