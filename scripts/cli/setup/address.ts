/** Where phones and people reach this machine. */
import { networkInterfaces } from 'node:os'
import { CommandError } from '../client.ts'

export function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list)
  return all.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address)
}

/** Null: nobody but this machine. */
export function addressOf(network: string): string | null {
  if (network === 'none') return null
  if (network === 'all') return '0.0.0.0'
  const own = ownAddresses()
  if (network !== 'lan') {
    if (!own.includes(network))
      throw new CommandError(`this machine has no address ${network}`, {
        fix: `it has ${own.join(', ') || 'none'}`,
      })
    return network
  }
  const [first] = own
  if (first === undefined) throw new CommandError('this machine is in no network', { fix: 'plug it in, or answer network: none' })
  return first
}
