/** pbx modem scan: which serial devices there are, by the names that stay, what answers at them, and the line for the configuration. */
import type { ModemView } from '../../daemon/schema/modems.ts'
import { realDevice, serialDevices, probe, type Found } from '../../drivers/modem/probe.ts'
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
      const usedBy = used.get(realDevice(device)) ?? ''
      return { device, usedBy, found: usedBy === '' ? await probe(device) : null }
    }),
  )
  if (context.json) printJson(scanned)
  else tell(scanned)
  return scanned.some(({ usedBy, found }) => usedBy !== '' || found?.kind === 'modem' || found?.kind === 'gsm')
    ? exitCode.done
    : exitCode.failed
}

async function usedDevices({ client }: Context): Promise<Map<string, string>> {
  try {
    const modems = await (await (client() as Promise<Client>)).get<ModemView[]>('/api/modems')
    return new Map(modems.map(({ device, id }) => [realDevice(device), id]))
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
