/** Reads cluster.yaml: one schema, then what a schema cannot say. Every fault is reported with its line. */
import { Ajv } from 'ajv'
import { ConfigError, readConfigFile, type ConfigFault } from '../../../daemon/config/load.ts'
import { ConfigSource, type Path } from '../../../daemon/config/source.ts'
import { faultOf } from '../../../daemon/config/validate.ts'
import { ClusterSchema, PairAloneSchema, type Cluster, type Pair } from '../../../daemon/schema/cluster.ts'

/** @throws ConfigError with all faults */
export function readCluster(file: string): Cluster {
  return parseCluster(readConfigFile(file), file)
}

/** @throws ConfigError with all faults */
export function parseCluster(text: string, file: string): Cluster {
  const source = new ConfigSource(text, file)
  if (source.faults.length > 0) throw new ConfigError(source.faults)
  const data = source.data()
  const check = new Ajv({ allErrors: true, useDefaults: true, verbose: true }).compile(isPairAlone(data) ? PairAloneSchema : ClusterSchema)
  if (!check(data)) throw new ConfigError((check.errors ?? []).map((error) => faultOf(error, source)))
  const cluster = { edge: noEdge, boxes: [], ...(data as object) } as unknown as Cluster
  const faults: ConfigFault[] = []
  checkMeaning(cluster, (path, said) => faults.push(source.at(path, said)))
  if (faults.length > 0) throw new ConfigError(faults)
  return cluster
}

/** Of a pair that stands alone. */
const noEdge: Cluster['edge'] = { address: '', interface: '', machines: [], router: 51, sip: {}, http: {}, providers: [] }

const isPairAlone = (data: unknown): boolean => typeof data === 'object' && data !== null && 'pair' in data && !('edge' in data)

type Fault = (path: Path, text: string) => void

function checkMeaning(cluster: Cluster, fault: Fault): void {
  const { edge, boxes, inbox } = cluster
  const [address = ''] = edge.address.split('/')
  once(['boxes'], 'id', boxes, fault)
  once(['boxes'], 'address', boxes, fault)
  once(['edge', 'machines'], 'name', edge.machines, fault)
  once(['edge', 'machines'], 'address', edge.machines, fault)
  if (inbox !== undefined && !boxes.some(({ id }) => id === inbox)) fault(['inbox'], `there is no box "${inbox}" in boxes`)
  boxes.forEach((box, index) => {
    if (box.address === address || edge.machines.some((machine) => machine.address === box.address))
      fault(['boxes', index, 'address'], `${box.address} is of the edge; a box has a machine of its own`)
    if (edge.providers.includes(box.address)) fault(['boxes', index, 'address'], `${box.address} is also a provider`)
  })
  if (edge.machines.length === 2 && edge.machines.some((machine) => machine.address === address))
    fault(['edge', 'address'], `${address} moves between the machines; each of them has an address of its own as well`)
  checkNumbers(boxes, fault)
  if (cluster.pair !== undefined) checkPair(cluster.pair, fault)
}

function checkPair({ address, machines, witness, watchdog, fence }: Pair, fault: Fault): void {
  const [own = ''] = address.split('/')
  once(['pair', 'machines'], 'name', machines, fault)
  once(['pair', 'machines'], 'address', machines, fault)
  if (watchdog === undefined && fence === undefined)
    fault(['pair'], 'give a watchdog or a fence: without one of them both machines could serve at once')
  if (machines.some((machine) => machine.address === own))
    fault(['pair', 'address'], `${own} moves between the machines; each of them has an address of its own as well`)
  if (witness === own || machines.some((machine) => machine.address === witness))
    fault(['pair', 'witness'], `${witness} is of the pair; the witness is a third machine`)
}

function once<K extends string>(path: Path, key: K, items: readonly { readonly [key in K]: string }[], fault: Fault): void {
  const seen = new Set<string>()
  items.forEach(({ [key]: value }, index) => {
    if (seen.has(value)) fault([...path, index, key], `"${value}" is given twice`)
    seen.add(value)
  })
}

/** A number that two boxes have would go to the first. */
function checkNumbers(boxes: Cluster['boxes'], fault: Fault): void {
  const seen: { readonly pattern: string; readonly id: string }[] = []
  boxes.forEach(({ id, extensions = '' }, index) => {
    for (const pattern of extensions.split(',').filter((one) => one !== '')) {
      const other = seen.find((one) => one.id !== id && overlap(one.pattern, pattern))
      if (other !== undefined) fault(['boxes', index, 'extensions'], `${pattern} and ${other.pattern} of box ${other.id} overlap`)
      seen.push({ pattern, id })
    }
  })
}

function overlap(one: string, other: string): boolean {
  return one.length === other.length && [...one].every((sign, at) => sign === 'x' || other.charAt(at) === 'x' || sign === other.charAt(at))
}
