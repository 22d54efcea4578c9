/** pbx cluster status: what each box says of itself, and which machine of the edge has the address. */
import { readFileSync } from 'node:fs'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { networkInterfaces } from 'node:os'
import type { Cluster, ClusterBox } from '../../../daemon/schema/cluster.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { green, print, printJson, red, table, yellow } from '../output.ts'
import { described } from './run.ts'

interface BoxState {
  readonly id: string
  readonly address: string
  readonly state: 'ready' | 'not ready' | 'draining' | 'unreachable' | 'another box'
  /** '' where it is not known. */
  readonly version: string
  readonly text: string
}

const patienceMs = 3000

export async function status({ json }: Context, file: string, { token }: { token?: string }): Promise<number> {
  const cluster = described(json, file)
  if (cluster === null) return exitCode.failed
  const secret = token === undefined ? null : readFileSync(token, 'utf8').trim()
  const ca = cluster.edge.http.ca === undefined ? null : readFileSync(cluster.edge.http.ca, 'utf8')
  const boxes = await Promise.all(cluster.boxes.map((box) => stateOf(box, { secret, ca })))
  const here = addressHere(cluster)
  const versions = new Set(boxes.map(({ version }) => version).filter((version) => version !== ''))
  const good = boxes.every(({ state }) => state === 'ready') && versions.size <= 1
  if (json) printJson({ boxes, address: { address: cluster.edge.address, here }, versionsDiffer: versions.size > 1 })
  else {
    print(
      table(
        ['BOX', 'ADDRESS', 'STATE', 'VERSION', ''],
        boxes.map((box) => [box.id, box.address, coloured(box.state), box.version === '' ? 'not known' : box.version, box.text]),
      ),
    )
    if (versions.size > 1) print(yellow('The versions differ.'))
    print(`${cluster.edge.address} is ${here ? 'at this machine' : 'not at this machine'}.`)
  }
  return good ? exitCode.done : exitCode.failed
}

function coloured(state: BoxState['state']): string {
  return state === 'ready' ? green(state) : state === 'draining' ? yellow(state) : red(state)
}

function addressHere({ edge }: Cluster): boolean {
  const [house] = edge.address.split('/')
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === house))
}

interface Access {
  readonly secret: string | null
  readonly ca: string | null
}

async function stateOf(box: ClusterBox, access: Access): Promise<BoxState> {
  const { id, address, http = `https://${address}:8443` } = box
  const common = { id, address, version: '', text: '' }
  try {
    const ready = await asked(`${http}/readyz`, access)
    const { parts = {} } = JSON.parse(ready.text) as { parts?: Record<string, { ok: boolean; required: boolean }> }
    const bad = Object.entries(parts).flatMap(([name, part]) => (part.ok || !part.required ? [] : [name]))
    const seen =
      access.secret === null
        ? null
        : /^pbx_box_info\{box="([^"]*)",version="([^"]*)"\}/m.exec((await asked(`${http}/metrics`, access)).text)
    const version = seen?.[2] ?? ''
    if (seen !== null && seen[1] !== id) return { ...common, version, state: 'another box', text: `it is box "${seen[1]}"` }
    const state = ready.status === 200 ? 'ready' : bad.includes('draining') ? 'draining' : 'not ready'
    return { ...common, version, state, text: bad.join(', ') }
  } catch (error) {
    return { ...common, state: 'unreachable', text: (error as Error).message }
  }
}

function asked(url: string, { secret, ca }: Access): Promise<{ status: number; text: string }> {
  const headers = secret === null ? {} : { authorization: `Bearer ${secret}` }
  const trust = ca === null ? { rejectUnauthorized: false } : { ca, checkServerIdentity: () => undefined }
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? secure : plain
    const request = open(url, { headers, timeout: patienceMs, ...trust }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', reject)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${patienceMs / 1000} s`)))
    request.on('error', reject)
    request.end()
  })
}
