/** The configuration of a start without a file: this machine only, one phone, one sample application. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../schema/config.ts'
import { parseConfig } from './load.ts'

/** What a desk phone dials to reach the sample application. */
export const sampleNumber = '700'

/** That of scripts/examples/app.ts. Everybody knows it: it is for two programs that speak on the loopback of one machine. */
const sampleSecret = 'whsec_example_0123456789'

/**
 * `root` is the checkout; everything is written below its `var/`. Of the environment, for a container, whose loopback is its own:
 * PBXD_HTTP_LISTEN as `http.listen`, and PBXD_APPLICATION as the address of the application.
 */
export function defaultConfig(root: string): Config {
  const { PBXD_HTTP_LISTEN: listen, PBXD_APPLICATION: controlUrl = 'http://127.0.0.1:3000/voice' } = process.env
  const data = {
    site: { name: 'pbxd' },
    storage: { dir: join(root, 'var') },
    ...(listen === undefined ? {} : { http: { listen } }),
    callbacks: { secret: sampleSecret, allowLoopback: true },
    extensions: [{ number: '101', name: 'Front desk', password: keptPassword(join(root, 'var/extension-101.password')) }],
    voice: {
      // The author of an application wants to see what was pressed and said.
      trace: 'full',
      endpoints: [
        {
          id: 'sample',
          name: 'Sample application',
          controlUrl,
          secret: sampleSecret,
          destinations: ['101'],
        },
      ],
    },
    inbound: [
      { extension: '*', to: sampleNumber, destination: 'endpoint:sample' },
      { trunk: '*', to: '*', destination: 'endpoint:sample' },
    ],
  }
  // JSON is YAML: the default goes through the same checks as any file.
  return parseConfig(JSON.stringify(data), join(root, 'default.yaml')).config
}

/** Made once and kept, so that a phone that was set up still works after a restart. */
function keptPassword(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim()
    if (kept !== '') return kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const password = randomBytes(12).toString('base64url')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${password}\n`, { mode: 0o600 })
  return password
}
