/** pbx pair status, switch, start --alone. */
import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { PairMachine } from '../../../daemon/pair/standing.ts'
import type { DrainView } from '../../../daemon/schema/drain.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { green, print, printJson, red, table, yellow } from '../output.ts'
import { quorumPolicy } from './machine-agent.ts'
import { pairState, ran, type PairState } from './pacemaker.ts'

/** A call that begins between two looks is ended by the switch. */
const lookMs = 250
/** The other one starts in seconds; a disk that cannot be unmounted is fenced after a minute. */
const movedMs = 180_000

export async function status({ json }: Context): Promise<number> {
  const state = pairState()
  const faults = faultsOf(state)
  if (json) printJson({ ok: faults.length === 0, ...state, faults })
  else {
    print(
      table(
        ['MACHINE', 'ROLE', 'VERSION', ''],
        state.machines.map((machine) => [
          machine.name,
          coloured(machine.role),
          machine.version === '' ? 'not known' : machine.version,
          machine.name === state.here ? 'this machine' : '',
        ]),
      ),
    )
    for (const fault of faults) print(yellow(fault))
  }
  return faults.length === 0 ? exitCode.done : exitCode.failed
}

function coloured(role: PairMachine['role']): string {
  return role === 'active' ? green(role) : role === 'standby' ? role : red(role)
}

const noMajority = 'This machine has no majority, so it does not serve: pbx pair start --alone, if the other one is off.'

/** What keeps the pair from serving, or from outliving the next death. */
export function faultsOf({ quorum, machines, failures }: PairState): string[] {
  const active = machines.find(({ role }) => role === 'active')
  return [
    ...(quorum ? [] : [active === undefined ? noMajority : 'No majority: this machine serves alone, as somebody has said.']),
    ...(active === undefined ? ['No machine serves.'] : []),
    ...machines
      .filter(({ role }) => role === 'away' || role === 'unknown')
      .map(({ name, role }) => (role === 'away' ? `${name} is away.` : `${name} does not answer and will be switched off.`)),
    ...machines
      .filter(({ role, fit }) => role === 'standby' && !fit)
      .map(
        ({ name, version }) => `${name} cannot take over: its version ${version || 'is not known and'} is older than that of the store.`,
      ),
    ...failures.map((failure) => `Failed: ${failure}.`),
  ]
}

export async function change(context: Context, { wait, now }: { wait: number; now?: true }): Promise<number> {
  const state = pairState()
  const active = state.machines.find(({ role }) => role === 'active')
  if (active === undefined) throw new CommandError('no machine serves, so there is nothing to switch', { fix: 'pbx pair status' })
  const other = state.machines.find(({ name }) => name !== active.name)
  if (other?.role !== 'standby' || !other.fit)
    throw new CommandError(`${other?.name ?? 'the other machine'} could not serve: ${faultsOf(state).join(' ')}`, { fix: 'pbx pair test' })
  if (now !== true) {
    if (state.here !== active.name)
      throw new CommandError(`the calls are at ${active.name}: run this there, or do not wait for them`, {
        ...{ exit: exitCode.usage, code: 'usage', fix: 'pbx pair switch --now' },
      })
    await untilIdle(context, wait)
  }
  const began = performance.now()
  // Pacemaker sends nothing to a machine whose daemon failed in the last minute, unless a person has it forget that.
  must(ran('crm_resource', '--cleanup', '--resource', 'box', '--node', other.name))
  must(ran('crm_resource', '--resource', 'box', '--move', '--node', other.name))
  try {
    for (;;) {
      const role = pairState().machines.find(({ name }) => name === other.name)?.role
      if (role === 'active') break
      if (performance.now() - began > movedMs)
        throw new CommandError(`${other.name} does not serve after ${movedMs / 1000} s`, { fix: 'pbx pair status' })
      await pause(lookMs)
    }
  } finally {
    ran('crm_resource', '--resource', 'box', '--clear')
  }
  const seconds = Math.round((performance.now() - began) / 100) / 10
  if (context.json) printJson({ active: other.name, seconds })
  else print(`${green('✓')} ${other.name} serves; it took ${seconds} s`)
  return exitCode.done
}

/** @throws CommandError where calls are still in progress after so many seconds */
async function untilIdle({ json, client }: Context, seconds: number): Promise<void> {
  const box = await client()
  const end = performance.now() + seconds * 1000
  let said = false
  for (;;) {
    const { calls } = await box.get<DrainView>('/api/drain')
    if (calls === 0) return
    if (performance.now() > end)
      throw new CommandError(`nothing was switched: ${calls} ${calls === 1 ? 'call is' : 'calls are'} still in progress`, {
        fix: 'pbx pair switch --wait 2h, or pbx pair switch --now',
      })
    if (!said && !json) print(`Waiting for ${calls} ${calls === 1 ? 'call' : 'calls'}; new calls are taken meanwhile.`)
    said = true
    await pause(lookMs)
  }
}

/** Without a majority a person is the witness. */
export async function startAlone({ json }: Context, { yes }: { yes?: true }): Promise<number> {
  const state = pairState()
  const other = state.machines.find(({ name }) => name !== state.here)?.name ?? ''
  const active = state.machines.find(({ role }) => role === 'active')
  if (active !== undefined) throw new CommandError(`${active.name} serves already`, { fix: 'pbx pair status' })
  if (state.machines.some(({ name, role }) => name === other && role === 'standby'))
    throw new CommandError(`${other} is there: the pair starts by itself`, { fix: 'pbx pair status' })
  if (yes !== true) await confirmed(other)
  ran('logger', '--priority', 'auth.warning', '--tag', 'pbx', `pair start --alone on ${state.here}: ${other} was declared off`)
  must(ran('crm_attribute', '--type', 'crm_config', '--name', quorumPolicy.name, '--update', quorumPolicy.alone))
  must(ran('stonith_admin', '--confirm', other))
  const end = performance.now() + movedMs
  while (pairState().machines.find(({ name }) => name === state.here)?.role !== 'active') {
    if (performance.now() > end)
      throw new CommandError(`${state.here} does not serve after ${movedMs / 1000} s`, { fix: 'pbx pair status' })
    await pause(lookMs)
  }
  if (json) printJson({ active: state.here, alone: true })
  else print(`${green('✓')} ${state.here} serves alone, until the witness or ${other} is back.`)
  return exitCode.done
}

async function confirmed(other: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandError(`this asks whether ${other} is off, and nobody is there to answer`, {
      ...{ exit: exitCode.usage, code: 'usage', fix: 'pbx pair start --alone --yes' },
    })
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(`Is ${other} switched off? If it serves, calls and data of both get mixed up. Type its name: `)
  lines.close()
  if (answer.trim() !== other) throw new CommandError('nothing was started', { exit: exitCode.usage })
}

function must({ code, out }: { code: number; out: string }): void {
  if (code !== 0) throw new CommandError(out === '' ? 'Pacemaker refused' : out, { fix: 'pbx pair status' })
}
