/** Loaded into the daemon with `node --import`: on SIGUSR2 it writes what its memory is made of, as JSON, into the file that PBXD_MEMORY names. */
import { writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'

process.on('SIGUSR2', () => {
  const spaces = Object.fromEntries(getHeapSpaceStatistics().map(({ space_name: name, space_size: size }) => [name, size]))
  writeFileSync(process.env['PBXD_MEMORY'] ?? '/dev/null', JSON.stringify({ ...process.memoryUsage(), spaces }))
})
