/** pbx pair test: what a takeover needs. */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { machineAttributes } from '../../../daemon/pair/standing.ts'
import { exitCode } from '../client.ts'
import { mark } from '../cluster/files.ts'
import type { Context } from '../command.ts'
import { green, print, printJson, red, table } from '../output.ts'
import { lookSeconds } from './machine-agent.ts'
import { pairState, ran, type PairState } from './pacemaker.ts'

interface Look {
  readonly what: string
  readonly ok: boolean
  readonly seen: string
}

/** More would put rows of the store out of order after a takeover. */
const mostClockSeconds = 2

export async function check({ json }: Context): Promise<number> {
  const state = pairState()
  const other = state.machines.find(({ name }) => name !== state.here)
  const looks = [machines(state), witness(), fence(), disk(), files(state), versions(state), await clocks(other?.name ?? '')]
  const ok = looks.every((look) => look.ok)
  if (json) printJson({ ok, looks })
  else
    print(
      table(
        ['WHAT', '', 'SEEN'],
        looks.map((look) => [look.what, look.ok ? green('good') : red('bad'), look.seen]),
      ),
    )
  return ok ? exitCode.done : exitCode.failed
}

function machines({ machines: all, quorum }: PairState): Look {
  const seen = all.map(({ name, role }) => `${name} ${role}`).join(', ')
  const roles = all.map(({ role }) => role).toSorted()
  return { what: 'machines', ok: quorum && roles.join() === 'active,standby', seen: quorum ? seen : `${seen}; no majority` }
}

function witness(): Look {
  const { out } = ran('corosync-qdevice-tool', '-s')
  const state = /^State:\s*(.+)$/m.exec(out)?.[1] ?? out.split('\n')[0] ?? ''
  return { what: 'witness', ok: state === 'Connected', seen: state }
}

/** At least one of the two: a watchdog of its own, or what switches the other off. */
function fence(): Look {
  const { out } = ran('crm_mon', '--one-shot', '--output-as=xml', '--inactive')
  const devices = [...out.matchAll(/<resource id="(fence-[^"]+)"[^>]*role="(\w+)"[^>]*failed="(\w+)"/g)]
  // Debian's own file names a watchdog, too.
  const settings = readable('/etc/default/sbd')
  const watchdog = settings.includes(mark) ? (/^SBD_WATCHDOG_DEV=(.+)$/m.exec(settings)?.[1] ?? '') : ''
  const words = devices.map(([, name, role, failed]) => `${name} ${failed === 'true' ? 'failed' : role!.toLowerCase()}`)
  const working = devices.length > 0 && devices.every(([, , role, failed]) => role === 'Started' && failed === 'false')
  const dog = watchdog !== '' && existsSync(watchdog)
  if (watchdog !== '') words.push(dog ? watchdog : `${watchdog} is not there`)
  return { what: 'watchdog or fence', ok: (working || dog) && (devices.length === 0 || working), seen: words.join(', ') || 'neither' }
}

function disk(): Look {
  const state = ran('drbdsetup', 'status', 'pbxd')
  const shown = ran('drbdsetup', 'show', 'pbxd').out
  const protocol = /protocol\s+([ABC])/.exec(shown)?.[1] ?? 'C'
  const peer = /peer-disk:(\w+)/.exec(state.out)?.[1] ?? 'away'
  const own = /(?:^|\s)disk:(\w+)/.exec(state.out)?.[1] ?? 'away'
  const ok = state.code === 0 && own === 'UpToDate' && peer === 'UpToDate' && protocol === 'C'
  const seen = state.code === 0 ? `here ${own}, there ${peer}, protocol ${protocol}` : (state.out.split('\n')[0] ?? '')
  return { what: 'disk', ok, seen }
}

function files({ machines: all }: PairState): Look {
  const said = all.map(({ files: hash }) => hash)
  const ok = said.every((hash) => hash !== '' && hash === said[0])
  return { what: 'files', ok, seen: ok ? 'the same on both' : 'differ: pbx cluster check on each machine' }
}

function versions({ machines: all, storeVersion }: PairState): Look {
  const seen = all.map(({ name, version }) => `${name} ${version || 'not known'}`).join(', ')
  return { what: 'versions', ok: all.every(({ fit }) => fit), seen: `${seen}; store ${storeVersion || 'not written yet'}` }
}

/** The other one says its time at each look; the moment of a new value is known here. */
async function clocks(other: string): Promise<Look> {
  const what = 'clocks'
  const first = clockOf(other)
  const end = performance.now() + (lookSeconds + 5) * 1000
  for (let value = first; performance.now() < end; value = clockOf(other)) {
    if (value !== first && value !== null) {
      const apart = Math.max(0, Math.abs(Date.now() / 1000 - value) - 1)
      return { what, ok: apart <= mostClockSeconds, seen: apart <= mostClockSeconds ? 'the same' : `${Math.round(apart)} s apart` }
    }
    await pause(100)
  }
  return { what, ok: false, seen: `${other || 'the other machine'} does not say its time` }
}

function clockOf(machine: string): number | null {
  const { out } = ran('attrd_updater', '--query', '--name', machineAttributes.clock, '--node', machine)
  const value = /value="(\d+)"/.exec(out)?.[1]
  return value === undefined ? null : Number(value)
}

function readable(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
