/** pbx modem scan: which serial devices there are, by the names that stay, what answers at them, and the line for the configuration. */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { ModemView } from '../../daemon/schema/modems.ts'
import { probe, type Found } from '../../drivers/modem/probe.ts'
import { exitCode, type Client } from './client.ts'
import type { Context } from './command.ts'
import { bold, dim, green, print, printJson, red, yellow } from './output.ts'

export interface Scanned {
  /** The name that stays: of the device's own number, or else of the socket that it is plugged into. */
  readonly device: string
  /** The line or trunk that has it; "" where none has. */
  readonly usedBy: string
  readonly found: Found | null
}

export async function scan(context: Context, given: readonly string[]): Promise<number> {
  const used = await usedDevices(context)
  const devices = given.length > 0 ? given : serialDevices()
  const scanned = await Promise.all(
    devices.map(async (device): Promise<Scanned> => {
      const usedBy = used.get(real(device)) ?? ''
      return { device, usedBy, found: usedBy === '' ? await probe(device) : null }
    }),
  )
  if (context.json) printJson(scanned)
  else tell(scanned)
  return scanned.some(({ usedBy, found }) => usedBy !== '' || found?.kind === 'modem' || found?.kind === 'gsm')
    ? exitCode.done
    : exitCode.failed
}

/** By /dev/serial/by-id where each has a name of its own, else by-path; what udev gave no name is taken as it is. */
export function serialDevices(dev = '/dev'): string[] {
  const named = new Map<string, string>()
  for (const folder of ['by-path', 'by-id']) {
    const place = join(dev, 'serial', folder)
    for (const name of existsSync(place) ? readdirSync(place).toSorted() : []) {
      // Adapters without a number of their own have all the same name there: the socket distinguishes them.
      const own = folder === 'by-path' || /_[0-9A-Za-z.]*\d[0-9A-Za-z.]*-if\d/.test(name)
      if (own || !named.has(real(join(place, name)))) named.set(real(join(place, name)), join(place, name))
    }
  }
  for (const name of readdirSync(dev).toSorted())
    if (/^tty(ACM|USB)\d+$/.test(name) && !named.has(join(dev, name))) named.set(join(dev, name), join(dev, name))
  return [...named.values()].toSorted()
}

function real(device: string): string {
  try {
    return realpathSync(device)
  } catch {
    return device
  }
}

async function usedDevices({ client }: Context): Promise<Map<string, string>> {
  try {
    const modems = await (await (client() as Promise<Client>)).get<ModemView[]>('/api/modems')
    return new Map(modems.map(({ device, id }) => [real(device), id]))
  } catch {
    // The daemon does not run: whatever it would have is free.
    return new Map()
  }
}

function tell(scanned: readonly Scanned[]): void {
  if (scanned.length === 0) return print(red('no serial modem found'))
  let n = scanned.filter(({ usedBy }) => usedBy !== '').length
  for (const { device, usedBy, found } of scanned) {
    print(bold(device))
    if (found === null) print(`  ${green('✓')} used by line ${usedBy}`)
    else if (found.kind === 'closed' || found.kind === 'nothing') print(`  ${red('✗')} ${found.reason}`)
    else {
      print(`  ${green('✓')} ${found.identification.slice(0, 2).join(', ') || 'a modem'}`)
      if (found.kind === 'gsm')
        print(`  for texts: ${dim(`sms: { trunks: [ { id: gsm, kind: gsm, device: ${device}, number: "+..." } ] }`)}`)
      else tellLine(device, found, ++n)
    }
  }
}

function tellLine(device: string, { roles, dialTone, reason }: Found, n: number): void {
  if (dialTone === 'heard') print(`  ${green('✓')} the line gives a dial tone`)
  if (dialTone === 'none') print(`  ${yellow('!')} no dial tone: is the telephone cable plugged in?`)
  if (roles.length === 0) return print(`  ${red('✗')} ${reason}`)
  print(`  for ${roles.map((role) => (role === 'fax' ? 'faxes' : 'calls')).join(' and ')}:`)
  print(dim(`  - { id: line${n}, device: ${device},\n      roles: [${roles.join(', ')}], number: "+..." }`))
}
