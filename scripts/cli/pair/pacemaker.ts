/** How the pair stands, as Pacemaker's own programs say it. */
import { spawnSync } from 'node:child_process'
import { CommandError } from '../client.ts'
import { standingIn, type PairStanding } from '../../../daemon/pair/standing.ts'
import { storeVersion } from './machine-agent.ts'

export interface PairState extends Omit<PairStanding, 'witness'> {
  /** The machine on which this runs. */
  readonly here: string
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
  const { quorum, machines, failures } = standingIn(xml)
  return { quorum, here, machines, failures, storeVersion: storeVersionIn(xml) }
}

/** crm_mon does not show it; the property is asked for where the program is there. */
function storeVersionIn(xml: string): string {
  if (!xml.includes('<pacemaker-result')) return ''
  const { code, out } = ran('crm_attribute', '--type', 'crm_config', '--name', storeVersion, '--query', '--quiet')
  return code === 0 ? out : ''
}
