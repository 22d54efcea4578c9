/** The courses of the proof, in namespaces that main.ts makes; prints a line of JSON for each look. `course.ts NAME...` */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clear, saidIn } from '../../../scripts/cluster/fleet.ts'
import { look } from '../../cluster/caller.ts'
import { extensionsOf } from '../../harness/light-phone.ts'
import { deaths } from './deaths.ts'
import { edges } from './edges.ts'
import { costs, rates } from './figures.ts'
import { crowdCount, phones } from './phones.ts'
import { requests } from './requests.ts'
import { drains, full } from './room.ts'
import { passwordOf, Stage } from './stage.ts'
import { texts } from './texts.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-fleet-proof-'))
/** It lists what was received meanwhile. */
const mostOfFault = 1000
const figures = { rounds: 5, calls: 200, seconds: 8 }

const courses: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  deaths,
  edges,
  full,
  drains,
  phones,
  requests: (stage) => requests(stage, dir),
  texts: (stage) => texts(stage),
  costs: (stage) => costs(stage, figures),
  rates: (stage) => rates(stage, figures),
}
export const courseNames = Object.keys(courses)

async function main(names: readonly string[]): Promise<void> {
  const stage = await Stage.open(dir, {
    describe: (text) => text.replace('"1xx"', '"1xx,1xxx"'),
    settings(config, { id }) {
      // The callers of this proof are silent.
      config['sip'].mediaTimeoutSeconds = 180
      config['trunks'][0].channels = 300
      config['emergency'] = { locations: [{ networks: ['10.211.0.42/32'], text: 'Second floor', headers: { 'X-Place': 'second floor' } }] }
      if (id === '001') config['extensions'].push({ number: '102', password: passwordOf('102') }, ...extensionsOf(crowdCount))
    },
  })
  for (const name of names.length === 0 ? courseNames : names) {
    try {
      await courses[name]!(stage)
    } catch (error) {
      look(`the course ${name}`, false, (error as Error).stack?.slice(0, mostOfFault))
      throw error
    }
  }
}

if (import.meta.main) {
  main(process.argv.slice(2)).then(
    () => {
      clear(dir)
      process.exit(0)
    },
    (error: unknown) => {
      look('the course of the proof', false, `${(error as Error).stack?.slice(0, mostOfFault)}\n${saidIn(dir)}`)
      process.exit(1)
    },
  )
}
