/** npm run demo: a call that an application drives; npm run demo house: a call through the house, by configuration alone. */
import { print } from '../cli/output.ts'

const scenes: Readonly<Record<string, () => Promise<unknown>>> = {
  application: () => import('./application.ts'),
  house: () => import('./house.ts'),
}
const [wanted = 'application'] = process.argv.slice(2)
const scene = scenes[wanted]
if (scene === undefined) {
  print(`There is no scene ${wanted}: npm run demo, or npm run demo house`)
  process.exitCode = 2
} else await scene()
