/** How the pair stands, as Pacemaker's own programs say it. */
import { spawnSync } from 'node:child_process'
import { CommandError } from '../client.ts'
import { attributes, storeVersion } from './machine-agent.ts'

export interface PairMachine {
  readonly name: string
  readonly role: 'active' | 'standby' | 'starting' | 'away' | 'unknown'
  /** '' where it has not said. */
  readonly version: string
  readonly files: string
  /** Its version reads the store. */
  readonly fit: boolean
}

export interface PairState {
  /** More than half of the votes are here. */
  readonly quorum: boolean
  /** The machine on which this runs. */
  readonly here: string
  readonly machines: readonly PairMachine[]
  /** What failed, in words. */
  readonly failures: readonly string[]
  readonly storeVersion: string
}

export interface Ran {
  readonly code: number
  readonly out: string
}

/** A program of Pacemaker or Corosync. @throws CommandError where it is not installed */
export function ran(program: string, ...words: string[]): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', timeout: 60_000 })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    throw new CommandError(`${program} is not installed: this machine is not one of a pair`, {
      fix: 'pbx cluster render, see docs/pair.md',
    })
  return { code: status ?? 1, out: `${stdout}${stderr}`.trim() }
}

/** @throws CommandError where Pacemaker does not run */
export function pairState(): PairState {
  const { code, out } = ran('crm_mon', '--one-shot', '--output-as=xml', '--inactive')
  if (code !== 0)
    throw new CommandError('Pacemaker does not run on this machine', { fix: 'systemctl start corosync corosync-qdevice pacemaker' })
  return stateIn(out, ran('crm_node', '--name').out)
}

/** From the output of `crm_mon --one-shot --output-as=xml`. */
export function stateIn(xml: string, here: string): PairState {
  const daemon = /<resource id="daemon"[^]*?(?:\/>|<\/resource>)/.exec(xml)?.[0] ?? ''
  const active = /role="Started"/.test(daemon) && !/failed="true"/.test(daemon) ? (/<node name="([^"]+)"/.exec(daemon)?.[1] ?? '') : ''
  const starting = active === '' ? (/<node name="([^"]+)"/.exec(daemon)?.[1] ?? '') : ''
  const nodes = /<nodes>([^]*?)<\/nodes>/.exec(xml)?.[1] ?? ''
  const said = /<node_attributes>([^]*?)<\/node_attributes>/.exec(xml)?.[1] ?? ''
  const machines = [...nodes.matchAll(/<node name="([^"]+)"[^>]*>/g)].map(([text, name = '']): PairMachine => {
    const own = new RegExp(`<node name="${name.replaceAll('.', '\\.')}">([^]*?)</node>`).exec(said)?.[1] ?? ''
    const value = (attribute: string): string => new RegExp(`name="${attribute}" value="([^"]*)"`).exec(own)?.[1] ?? ''
    const role = /unclean="true"/.test(text)
      ? 'unknown'
      : !/online="true"/.test(text)
        ? 'away'
        : name === active
          ? 'active'
          : name === starting
            ? 'starting'
            : 'standby'
    return { name, role, version: value(attributes.version), files: value(attributes.files), fit: value(attributes.fit) === '1' }
  })
  return {
    quorum: /<current_dc[^>]*with_quorum="true"/.test(xml),
    here,
    machines,
    failures: [...xml.matchAll(/<failure [^>]*op_key="([^"]*)"[^>]*node="([^"]*)"[^>]*exitstatus="([^"]*)"/g)].map(
      ([, operation = '', node = '', how = '']) => `${operation.replace(/_(\w+)_\d+$/, ' $1')} on ${node}: ${how}`,
    ),
    storeVersion: storeVersionIn(xml),
  }
}

/** crm_mon does not show it; the property is asked for where the program is there. */
function storeVersionIn(xml: string): string {
  if (!xml.includes('<pacemaker-result')) return ''
  const { code, out } = ran('crm_attribute', '--type', 'crm_config', '--name', storeVersion, '--query', '--quiet')
  return code === 0 ? out : ''
}
